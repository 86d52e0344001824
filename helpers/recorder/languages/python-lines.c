/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats: Objects/lnotab_notes.txt (up to 3.10), Objects/locations.md (from 3.11 on) of CPython. */
#include "helpers/recorder/languages/python-lines.h"

#include <stdbool.h>

#define VERSION_3_10 0x030a
#define VERSION_3_11 0x030b

/* What stands in the upper four bits of an entry's first byte, of those whose form is not a short one. */
enum location {
  LOCATION_ONE_LINE = 10, /* 10 to 12: the line is so many further */
  LOCATION_NO_COLUMN = 13,
  LOCATION_LONG = 14,
  LOCATION_NONE = 15
};

static uint32_t line_or_none(int64_t line)
{
  return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* Pairs: so many bytes of code further, so many lines further. A line holds from its pair on. */
static uint32_t line_by_lnotab(const uint8_t *table, size_t size, uint32_t first, uint32_t at)
{
  int64_t line = first;
  uint64_t address = 0;

  for (size_t i = 0; i + 1 < size; i += 2) {
    address += table[i];
    if (address > (uint64_t)at * 2)
      break;
    line += (int8_t)table[i + 1];
  }
  return line_or_none(line);
}

/* Pairs: the next so many bytes of code are so many lines further; -128: they have none. */
static uint32_t line_by_ranges(const uint8_t *table, size_t size, uint32_t first, uint32_t at)
{
  int64_t line = first;
  uint64_t address = 0;

  for (size_t i = 0; i + 1 < size; i += 2) {
    int8_t further = (int8_t)table[i + 1];
    if (further != INT8_MIN)
      line += further;
    address += table[i];
    if (address > (uint64_t)at * 2)
      return further != INT8_MIN ? line_or_none(line) : 0;
  }
  return 0;
}

/* Six bits a byte, the lowest first; bit 6: there is more. */
static int64_t read_signed(const uint8_t *table, size_t size, size_t *at)
{
  uint64_t value = 0;

  for (unsigned int shift = 0; *at < size; shift += 6) {
    uint8_t byte = table[(*at)++];
    if (shift < 36)
      value |= (uint64_t)(byte & 0x3f) << shift;
    if ((byte & 0x40) == 0)
      break;
  }
  return (value & 1) != 0 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Entries begin with a byte whose bit 7 is set, which no other byte of them has. */
static uint32_t line_by_locations(const uint8_t *table, size_t size, uint32_t first, uint32_t at)
{
  int64_t line = first;
  uint64_t unit = 0;

  for (size_t i = 0; i < size;) {
    uint8_t head = table[i++];
    unsigned int kind = head >> 3 & 15;
    bool has_line = kind != LOCATION_NONE;
    if (kind == LOCATION_NO_COLUMN || kind == LOCATION_LONG)
      line += read_signed(table, size, &i);
    else if (kind >= LOCATION_ONE_LINE && kind < LOCATION_NO_COLUMN)
      line += kind - LOCATION_ONE_LINE;
    while (i < size && (table[i] & 0x80) == 0)
      i++;
    unit += (head & 7u) + 1;
    if (unit > at)
      return has_line ? line_or_none(line) : 0;
  }
  return 0;
}

uint32_t recorder_python_line(uint32_t version, const uint8_t *table, size_t size, uint32_t first,
                              uint32_t at)
{
  if (version < VERSION_3_10)
    return line_by_lnotab(table, size, first, at);
  if (version < VERSION_3_11)
    return line_by_ranges(table, size, first, at);
  return line_by_locations(table, size, first, at);
}
