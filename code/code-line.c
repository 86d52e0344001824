/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-line-private.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

void code_line_put(struct code_line *line, char character)
{
  if (line->length < CODE_TEXT_MAX)
    line->text[line->length++] = character;
}

void code_line_put_text(struct code_line *line, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++)
    code_line_put(line, text[i]);
}

void code_line_put_word(struct code_line *line, const char *word)
{
  code_line_put_text(line, word, strlen(word));
}

void code_line_put_number(struct code_line *line, uint64_t number)
{
  unsigned int shift = 60;

  while (shift > 0 && number >> shift == 0)
    shift -= 4;
  for (; shift > 0; shift -= 4)
    code_line_put(line, digits[number >> shift & 15]);
  code_line_put(line, digits[number & 15]);
}

void code_line_put_bytes(struct code_line *line, const uint8_t *bytes, size_t n)
{
  code_line_put_word(line, ".byte ");
  for (size_t i = 0; i < n; i++) {
    code_line_put_word(line, i > 0 ? ",0x" : "0x");
    code_line_put(line, digits[bytes[i] >> 4]);
    code_line_put(line, digits[bytes[i] & 15]);
  }
}
