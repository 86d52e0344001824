/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checked reads of little-endian bytes. Each moves *at behind what was read, or says false and leaves *ret
 * alone. */
#ifndef UNWIND_BYTES_PRIVATE_H
#define UNWIND_BYTES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define UNWIND_READ(type)                                                                                    \
  static inline bool unwind_read_##type(const uint8_t **at, const uint8_t *end, type##_t *ret)               \
  {                                                                                                          \
    if ((size_t)(end - *at) < sizeof *ret)                                                                   \
      return false;                                                                                          \
    memcpy(ret, *at, sizeof *ret);                                                                           \
    *at += sizeof *ret;                                                                                      \
    return true;                                                                                             \
  }

UNWIND_READ(uint8)
UNWIND_READ(uint16)
UNWIND_READ(uint32)
UNWIND_READ(uint64)
#undef UNWIND_READ

/* Longer ones than 64 bits are damage. */
static inline bool unwind_read_uleb_long(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
  uint64_t value = 0;

  for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;

    if (shift == 63 && byte > 1)
      return false;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *ret = value;
      return true;
    }
  }
  return false;
}

static inline bool unwind_read_uleb(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
  if (__builtin_expect(*at < end && **at < 0x80, 1)) {
    *ret = *(*at)++;
    return true;
  }
  return unwind_read_uleb_long(at, end, ret);
}

static inline bool unwind_read_sleb(const uint8_t **at, const uint8_t *end, int64_t *ret)
{
  uint64_t value = 0;

  for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;

    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (byte & 0x40 && shift + 7 < 64)
        value |= ~(uint64_t)0 << (shift + 7);
      *ret = (int64_t)value;
      return true;
    }
  }
  return false;
}

#endif
