/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of one instruction while it is written. What does not fit is left out. */
#ifndef CODE_LINE_PRIVATE_H
#define CODE_LINE_PRIVATE_H

#include "code/code-instructions.h"

struct code_line {
  uint16_t length;
  char text[CODE_TEXT_MAX];
};

void code_line_put(struct code_line *line, char character);
void code_line_put_text(struct code_line *line, const char *text, size_t length);
void code_line_put_word(struct code_line *line, const char *word);
/* Hexadecimal, without 0x; the last n digits, at most 16. */
void code_line_put_digits(struct code_line *line, uint64_t number, unsigned int n);
/* Likewise without zeros before it. */
void code_line_put_number(struct code_line *line, uint64_t number);

/* ".byte 0x12,0x34", for at most CODE_SIZE_MAX bytes. */
void code_line_put_bytes(struct code_line *line, const uint8_t *bytes, size_t n);

#endif
