/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/languages/text.h"

#include <string.h>

#define NO_CHARACTER 0xfffdu

static uint32_t text_read(const uint8_t *from, unsigned int width)
{
  uint32_t wide;
  uint16_t half;

  switch (width) {
  case 2:
    memcpy(&half, from, sizeof half);
    return half;
  case 4:
    memcpy(&wide, from, sizeof wide);
    return wide;
  default:
    return *from;
  }
}

static size_t put_character(char *to, size_t room, uint32_t c)
{
  if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
    c = NO_CHARACTER;
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (n > room)
    return 0;
  static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n; i-- > 1; c >>= 6)
    to[i] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(heads[n] | c);
  return n;
}

size_t recorder_text_convert(char *to, size_t room, const void *from, size_t size, unsigned int width)
{
  const uint8_t *at = from;
  size_t step = width == 2 || width == 4 ? width : 1, length = 0;

  for (; size >= step; at += step, size -= step) {
    size_t n = put_character(to + length, room - length, text_read(at, width));
    if (n == 0)
      break;
    length += n;
  }
  return length;
}
