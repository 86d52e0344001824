/* SPDX-License-Identifier: BSD-2-Clause */
/* What both ends of a pool demand of its two memfds. */
#ifndef CAPTURE_POOL_PRIVATE_H
#define CAPTURE_POOL_PRIVATE_H

#include <fcntl.h>
#include <sys/mman.h>

/* Newer than the C library's headers. */
#define CAPTURE_MFD_NOEXEC_SEAL 0x0008u

/* The consumer must not write windows; the producer must not pull pages away under the consumer. */
#define CAPTURE_WINDOWS_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE)
#define CAPTURE_CONTROL_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

#endif
