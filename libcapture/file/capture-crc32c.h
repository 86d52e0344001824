/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAPTURE_CRC32C_H
#define CAPTURE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli), reflected, initial and final inversion; crc is the result so far, 0 to begin.
 * Thread-safe. */
uint32_t capture_crc32c(uint32_t crc, const void *bytes, size_t length);

/* The same without special instructions, for processors that have none; the tests compare both. */
uint32_t capture_crc32c_portable(uint32_t crc, const void *bytes, size_t length);

#endif
