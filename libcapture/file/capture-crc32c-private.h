/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAPTURE_CRC32C_PRIVATE_H
#define CAPTURE_CRC32C_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

/* capture_crc32c without special instructions, for processors that have none; the tests compare both. */
uint32_t capture_crc32c_portable(uint32_t crc, const void *bytes, size_t length);

#endif
