/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-length-private.h"

#include <stdbool.h>

#define LENGTH_MAX 15

/* Maps of opcodes, as the prefixes number them. */
#define MAP_0F   1
#define MAP_0F38 2
#define MAP_0F3A 3

static bool length_has_immediate(unsigned int map, uint8_t opcode)
{
  return map == MAP_0F3A || (map == MAP_0F && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                                               (opcode >= 0xc4 && opcode <= 0xc6)));
}

/* ModRM, what it brings with it in code of 64 bits. 0: not all there. */
static size_t length_of_operand(const uint8_t *bytes, size_t size)
{
  unsigned int mode, base;
  size_t n = 1;

  if (size == 0)
    return 0;
  mode = bytes[0] >> 6;
  base = bytes[0] & 7;
  if (mode == 3)
    return 1;
  if (base == 4) {
    if (size < 2)
      return 0;
    base = bytes[1] & 7;
    n = 2;
  } else if (mode == 0 && base == 5) {
    n += 4;
  }
  if (mode == 1)
    n += 1;
  else if (mode == 2 || (mode == 0 && base == 5 && n == 2))
    n += 4;
  return n;
}

static size_t length_after_prefix(const uint8_t *bytes, size_t size, size_t prefix, unsigned int map)
{
  size_t operand, all;

  if (size <= prefix)
    return 0;
  if (prefix < 4 && map == MAP_0F && bytes[prefix] == 0x77) /* vzeroall */
    return prefix + 1;
  operand = length_of_operand(bytes + prefix + 1, size - prefix - 1);
  all = prefix + 1 + operand + length_has_immediate(map, bytes[prefix]);
  return operand > 0 && all <= size && all <= LENGTH_MAX ? all : 0;
}

/* Those of 0f 01 that are newer than many decoders: rdpkru, wrpkru. */
static size_t length_of_system(const uint8_t *bytes, size_t size)
{
  return size >= 3 && bytes[0] == 0x0f && bytes[1] == 0x01 && (bytes[2] == 0xee || bytes[2] == 0xef) ? 3 : 0;
}

size_t code_length_find(const uint8_t *bytes, size_t size)
{
  unsigned int map;

  if (size < 3)
    return 0;
  if (bytes[0] == 0xc5)
    return length_after_prefix(bytes, size, 2, MAP_0F);
  if (bytes[0] == 0xc4) {
    map = bytes[1] & 31;
    return map >= MAP_0F && map <= MAP_0F3A ? length_after_prefix(bytes, size, 3, map) : 0;
  }
  if (bytes[0] == 0x62) {
    map = bytes[1] & 7;
    return (bytes[1] & 8) == 0 && (bytes[2] & 4) && map != 0 && map != 4 && map != 7
               ? length_after_prefix(bytes, size, 4, map)
               : 0;
  }
  return length_of_system(bytes, size);
}
