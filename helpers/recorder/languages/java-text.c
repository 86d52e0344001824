/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/languages/java-text.h"

#include <stdbool.h>
#include <stdint.h>

#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/languages/text.h"

#define NO_CHARACTER    0xfffdu
#define HIGH_SURROGATES 0x36u /* their upper bits */
#define LOW_SURROGATES  0x37u

static bool goes_on(const uint8_t *bytes, unsigned n)
{
  for (unsigned i = 1; i < n; i++)
    if ((bytes[i] & 0xc0) != 0x80)
      return false;
  return true;
}

/* What one to three bytes are of UTF-16, or four of a character, as in everybody's UTF-8 but Java's; what is
 * none of these is taken as one byte. */
static uint32_t read_unit(const uint8_t *from, size_t size, size_t *at)
{
  const uint8_t *bytes = from + *at;
  size_t left = size - *at;

  if (left >= 2 && (bytes[0] & 0xe0) == 0xc0 && goes_on(bytes, 2)) {
    *at += 2;
    return (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu);
  }
  if (left >= 3 && (bytes[0] & 0xf0) == 0xe0 && goes_on(bytes, 3)) {
    *at += 3;
    return (bytes[0] & 0x0fu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
  }
  if (left >= 4 && (bytes[0] & 0xf8) == 0xf0 && goes_on(bytes, 4)) {
    *at += 4;
    return (bytes[0] & 0x07u) << 18 | (bytes[1] & 0x3fu) << 12 | (bytes[2] & 0x3fu) << 6 | (bytes[3] & 0x3fu);
  }
  (*at)++;
  return bytes[0] < 0x80 ? bytes[0] : NO_CHARACTER;
}

size_t recorder_java_text(char *to, size_t room, const void *from, size_t size, int is_name)
{
  uint32_t units[RECORDER_RAW_FUNCTION_FILE];
  size_t n = 0;

  for (size_t at = 0; at < size && n < RECORDER_RAW_FUNCTION_FILE;) {
    uint32_t unit = read_unit(from, size, &at);
    if (n > 0 && unit >> 10 == LOW_SURROGATES && units[n - 1] >> 10 == HIGH_SURROGATES)
      units[n - 1] = 0x10000 + ((units[n - 1] & 0x3ff) << 10 | (unit & 0x3ff));
    else /* What stands behind the name of a class that has none of its own tells it from others. */
      units[n++] = is_name && unit == '/' ? '.' : is_name && unit == '+' ? '/' : unit;
  }
  return recorder_text_convert(to, room, units, n * sizeof units[0], sizeof units[0]);
}
