/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Format: CompressedLineNumberWriteStream and UNSIGNED5 of HotSpot. */
#include "helpers/recorder/languages/java-lines.h"

#include <stdbool.h>

#define BYTES_MAX 5
/* A byte from here on has more behind it. */
#define FIRST_OF_MORE 192
/* From this version on numbers have no byte 0. */
#define VERSION_NO_ZERO 20

#define ENTRY_END  0
#define ENTRY_LONG 0xff

struct reader {
  const uint8_t *bytes;
  size_t size;
  uint32_t least; /* what a byte is at least */
};

static bool read_byte(struct reader *reader, uint8_t *ret)
{
  if (reader->size == 0)
    return false;
  *ret = *reader->bytes++;
  reader->size--;
  return true;
}

/* Six bits a byte, the lowest first, and the sign in bit 0. */
static bool read_signed(struct reader *reader, int64_t *ret)
{
  uint32_t value = 0;
  uint8_t byte;

  for (unsigned int i = 0; i < BYTES_MAX; i++) {
    if (!read_byte(reader, &byte))
      return false;
    value += (byte - reader->least) << 6 * i;
    if (byte < FIRST_OF_MORE)
      break;
  }
  *ret = (value & 1) != 0 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
  return true;
}

/* Goes on by an entry: to where its line begins. False behind the last one. */
static bool next_entry(struct reader *reader, int64_t *start, int64_t *line)
{
  int64_t further, lines;
  uint8_t byte;

  if (!read_byte(reader, &byte) || byte == ENTRY_END)
    return false;
  if (byte != ENTRY_LONG) {
    further = byte >> 3;
    lines = byte & 7;
  } else if (!read_signed(reader, &further) || !read_signed(reader, &lines)) {
    return false;
  }
  *start += further;
  *line += lines;
  return true;
}

uint32_t recorder_java_line(uint32_t version, const uint8_t *table, size_t size, uint32_t at)
{
  struct reader reader = {table, size, version >= VERSION_NO_ZERO ? 1 : 0};
  int64_t start = 0, line = 0, best = -1, found = 0;

  /* Entries need not ascend. */
  while (next_entry(&reader, &start, &line))
    if (start <= at && start >= best) {
      best = start;
      found = line;
    }
  return found > 0 && found <= UINT16_MAX ? (uint32_t)found : 0;
}
