/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Format: src/codegen/source-position-table.cc and source-position.h of V8. */
#include "helpers/recorder/languages/v8-places.h"

#include <stdbool.h>

#define IS_EXTERNAL    1u
#define POSITION_MASK  0x3fffffffu
#define POSITION_SHIFT 1
#define INLINED_MASK   0xffffu
#define INLINED_SHIFT  31

/* Seven bits a byte, the lowest first; bit 7: there is more. */
static bool places_read_unsigned(const uint8_t *table, size_t size, size_t *at, uint64_t *ret)
{
  *ret = 0;
  for (unsigned int shift = 0; *at < size && shift < 64; shift += 7) {
    uint8_t byte = table[(*at)++];
    *ret |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return true;
  }
  return false;
}

/* Bit 0 of the whole is the sign. */
static bool places_read(const uint8_t *table, size_t size, size_t *at, int64_t *ret)
{
  uint64_t value;

  if (!places_read_unsigned(table, size, at, &value))
    return false;
  *ret = (int64_t)(value >> 1 ^ -(value & 1));
  return true;
}

/* Pairs: so much code further (or, of an expression, its complement), and so much further in the script. A
 * place holds from its pair on; before the first code there is -1. */
uint64_t recorder_v8_place(const uint8_t *table, size_t size, uint64_t at)
{
  uint64_t offset = UINT64_MAX, place = 0, next = 0;
  int64_t further, change;

  for (size_t i = 0; places_read(table, size, &i, &further) && places_read(table, size, &i, &change);) {
    offset += (uint64_t)(further < 0 ? ~further : further);
    if (offset != UINT64_MAX && offset > at)
      break;
    next += (uint64_t)change;
    place = next;
  }
  return place;
}

/* A wide bytecode begins with one of these that says so. */
enum { BYTECODE_WIDE = 0, BYTECODE_WIDER = 1, BYTECODE_PREFIXES = 4 };

/* 0: it is none. */
static size_t bytecode_length(const uint8_t *bytecode, size_t size, const uint8_t *lengths, size_t n)
{
  size_t prefix = 0, scale = 0;

  if (size > 1 && bytecode[0] < BYTECODE_PREFIXES) {
    prefix = 1;
    scale = (bytecode[0] & 1) == BYTECODE_WIDE ? 1 : 2;
  }
  return size > prefix && bytecode[prefix] < n ? prefix + lengths[scale * n + bytecode[prefix]] : 0;
}

uint64_t recorder_v8_bytecode(const uint8_t *table, size_t size, const uint8_t *bytecode,
                              size_t bytecode_size, const uint8_t *lengths, size_t n, uint64_t at)
{
  uint64_t end, length, offset = UINT64_MAX;
  size_t next = 0, i = 0;

  if (!places_read_unsigned(table, size, &i, &end)) /* what is before the first */
    return UINT64_MAX;
  while (end <= at) {
    size_t step =
        next < bytecode_size ? bytecode_length(bytecode + next, bytecode_size - next, lengths, n) : 0;
    if (step == 0 || !places_read_unsigned(table, size, &i, &length))
      return UINT64_MAX;
    offset = next;
    next += step;
    end += length;
  }
  return offset;
}

uint32_t recorder_v8_position(uint64_t place)
{
  uint32_t position = (uint32_t)(place >> POSITION_SHIFT) & POSITION_MASK;

  return (place & IS_EXTERNAL) != 0 || position == 0 ? UINT32_MAX : position - 1;
}

uint32_t recorder_v8_inlined(uint64_t place)
{
  return (uint32_t)(place >> INLINED_SHIFT) & INLINED_MASK;
}

uint32_t recorder_v8_line(uint32_t start, uint32_t first, const uint32_t *lengths, size_t n,
                          uint32_t position)
{
  uint64_t end = start;

  if (first == 0 || position < start || position == UINT32_MAX)
    return 0;
  for (size_t i = 0; i < n; i++) {
    end += lengths[i];
    if (position < end)
      return first + (uint32_t)i;
  }
  return 0;
}
