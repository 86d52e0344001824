/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CRC32C_PRIVATE_H
#define UNWIND_CRC32C_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C of a multiple of 8 bytes that stand at a multiple of 8. `crc` is that of what stands before, 0 at
 * the beginning. */
uint32_t unwind_crc32c(uint32_t crc, const void *bytes, size_t size);

#endif
