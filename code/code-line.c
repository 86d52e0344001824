/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-line-private.h"

#include <string.h>

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

void code_line_put_digits(struct code_line *line, uint64_t number, unsigned int n)
{
  while (n-- > 0)
    code_line_put(line, "0123456789abcdef"[number >> 4 * n & 15]);
}

void code_line_put_number(struct code_line *line, uint64_t number)
{
  unsigned int n = 1;

  while (n < 16 && number >> 4 * n != 0)
    n++;
  code_line_put_digits(line, number, n);
}

void code_line_put_bytes(struct code_line *line, const uint8_t *bytes, size_t n)
{
  code_line_put_word(line, ".byte ");
  for (size_t i = 0; i < n; i++) {
    code_line_put_word(line, i > 0 ? ",0x" : "0x");
    code_line_put_digits(line, bytes[i], 2);
  }
}
