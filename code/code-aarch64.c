/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-aarch64-private.h"

#include <stdio.h>

#define HINT      0xd503201fu
#define HINT_MASK 0xfffff01fu

#define RETAA 0xd65f0bffu
#define RETAB 0xd65f0fffu

/* Bits of loads and stores that are atomic. */
#define LSE      0x38200000u
#define LSE_MASK 0x3f200c00u
#define CAS      0x08a07c00u
#define CAS_MASK 0x3fa07c00u
#define ZERO     31
#define STACK    31

static const char *const sizes[] = {"b", "h", "", ""};

const char *code_aarch64_name_hint(uint32_t word)
{
  static const struct {
    uint8_t number;
    const char *name;
  } hints[] = {
      {7, "xpaclri"},  {8, "pacia1716"}, {10, "pacib1716"}, {12, "autia1716"}, {14, "autib1716"},
      {16, "esb"},     {20, "csdb"},     {24, "paciaz"},    {25, "paciasp"},   {26, "pacibz"},
      {27, "pacibsp"}, {28, "autiaz"},   {29, "autiasp"},   {30, "autibz"},    {31, "autibsp"},
      {32, "bti"},     {34, "bti c"},    {36, "bti j"},     {38, "bti jc"},
  };

  if ((word & HINT_MASK) != HINT)
    return NULL;
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
    if (hints[i].number == (word >> 5 & 127))
      return hints[i].name;
  return NULL;
}

static void aarch64_put_register(struct code_line *line, uint32_t number, bool wide)
{
  char text[8];

  if (number == ZERO)
    snprintf(text, sizeof text, "%czr", wide ? 'x' : 'w');
  else
    snprintf(text, sizeof text, "%c%u", wide ? 'x' : 'w', (unsigned int)number);
  code_line_put_word(line, text);
}

static void aarch64_put_address(struct code_line *line, uint32_t number)
{
  code_line_put_word(line, ", [");
  if (number == STACK)
    code_line_put_word(line, "sp");
  else
    aarch64_put_register(line, number, true);
  code_line_put(line, ']');
}

/* The name without its operands: of what orders the memory it acquires and releases, and of its size. */
static void aarch64_put_name(struct code_line *line, const char *name, bool acquire, bool release,
                             uint32_t word)
{
  code_line_put_word(line, name);
  code_line_put_word(line, acquire ? "a" : "");
  code_line_put_word(line, release ? "l" : "");
  code_line_put_word(line, sizes[word >> 30]);
  code_line_put(line, ' ');
}

/* Without a register for what was there it is a store: its alias has no acquire. */
static void aarch64_decode_atomic(uint32_t word, const char *operation, struct code_line *line)
{
  bool swap = word & 0x8000, wide = word >> 30 == 3, acquire = word >> 23 & 1, release = word >> 22 & 1;
  bool store = !swap && (word & 31) == ZERO && !acquire;
  char name[8];

  snprintf(name, sizeof name, "%s%s", swap ? "" : store ? "st" : "ld", swap ? "swp" : operation);
  aarch64_put_name(line, name, acquire, release, word);
  aarch64_put_register(line, word >> 16 & 31, wide);
  if (!store) {
    code_line_put_word(line, ", ");
    aarch64_put_register(line, word & 31, wide);
  }
  aarch64_put_address(line, word >> 5 & 31);
}

static void aarch64_decode_compare(uint32_t word, struct code_line *line)
{
  bool wide = word >> 30 == 3;

  aarch64_put_name(line, "cas", word >> 22 & 1, word >> 15 & 1, word);
  aarch64_put_register(line, word >> 16 & 31, wide);
  code_line_put_word(line, ", ");
  aarch64_put_register(line, word & 31, wide);
  aarch64_put_address(line, word >> 5 & 31);
}

bool code_aarch64_decode(uint32_t word, struct code_line *line, enum code_kind *ret_kind)
{
  static const char *const operations[] = {"add", "clr", "eor", "set", "smax", "smin", "umax", "umin"};
  uint32_t operation = word >> 12 & 7;

  *ret_kind = word == RETAA || word == RETAB ? CODE_RETURN : CODE_PLAIN;
  if (*ret_kind == CODE_RETURN)
    code_line_put_word(line, word == RETAA ? "retaa" : "retab");
  else if ((word & LSE_MASK) == LSE && (!(word & 0x8000) || operation == 0))
    aarch64_decode_atomic(word, operations[operation], line);
  else if ((word & CAS_MASK) == CAS)
    aarch64_decode_compare(word, line);
  else
    return false;
  return true;
}
