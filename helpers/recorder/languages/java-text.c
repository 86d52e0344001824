/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/languages/java-text.h"

#include <stdint.h>

#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/languages/text.h"

#define NO_CHARACTER 0xfffdu

/* A unit of UTF-16, for which there are one to three bytes; what is none of these is taken as one byte. */
static uint16_t read_unit(const uint8_t *from, size_t size, size_t *at)
{
  const uint8_t *bytes = from + *at;
  size_t left = size - *at;

  if (left >= 2 && (bytes[0] & 0xe0) == 0xc0 && (bytes[1] & 0xc0) == 0x80) {
    *at += 2;
    return (uint16_t)((bytes[0] & 0x1f) << 6 | (bytes[1] & 0x3f));
  }
  if (left >= 3 && (bytes[0] & 0xf0) == 0xe0 && (bytes[1] & 0xc0) == 0x80 && (bytes[2] & 0xc0) == 0x80) {
    *at += 3;
    return (uint16_t)((bytes[0] & 0x0f) << 12 | (bytes[1] & 0x3f) << 6 | (bytes[2] & 0x3f));
  }
  (*at)++;
  return bytes[0] < 0x80 ? bytes[0] : NO_CHARACTER;
}

size_t recorder_java_text(char *to, size_t room, const void *from, size_t size, int is_name)
{
  uint16_t units[RECORDER_RAW_FUNCTION_FILE];
  size_t n = 0;

  for (size_t at = 0; at < size && n < RECORDER_RAW_FUNCTION_FILE; n++) {
    uint16_t unit = read_unit(from, size, &at);
    /* What stands behind the name of a class that has none of its own tells it from others. */
    units[n] = is_name && unit == '/' ? '.' : is_name && unit == '+' ? '/' : unit;
  }
  return recorder_text_convert(to, room, units, n * sizeof units[0], sizeof units[0]);
}
