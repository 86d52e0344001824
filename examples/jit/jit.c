/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "jit.h"

#include "emit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

struct parser {
  struct jit_code *code;
  const char *at;
  uint32_t line;
  unsigned depth;
  bool failed;
};

__attribute__((noinline)) int64_t jit_steps(int64_t start)
{
  volatile int64_t steps =
      0; /* on the stack: GCC gives functions that need no stack no frame record either */
  for (uint64_t n = (uint64_t)start; n > 1; steps++)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

static char peek(struct parser *parser)
{
  for (; isspace((unsigned char)*parser->at); parser->at++)
    parser->line += *parser->at == '\n';
  return *parser->at;
}

static bool take(struct parser *parser, const char *word)
{
  peek(parser);
  size_t length = strlen(word);
  if (strncmp(parser->at, word, length) != 0)
    return false;
  parser->at += length;
  return true;
}

/* The code that follows belongs to the line of what was read last. */
static void note_line(struct parser *parser, uint32_t line)
{
  struct jit_code *code = parser->code;
  if (code->n_lines > 0 && code->lines[code->n_lines - 1].line == line)
    return;
  if (code->n_lines == JIT_MAX_LINES)
    parser->failed = true;
  else
    code->lines[code->n_lines++] = (struct jit_line){(uint32_t)code->length, line};
}

static void sum(struct parser *parser);

static void operand(struct parser *parser)
{
  char next = peek(parser);
  uint32_t line = parser->line;
  note_line(parser, line);
  if (isdigit((unsigned char)next)) {
    emit_constant(parser->code, (int32_t)strtol(parser->at, (char **)&parser->at, 10));
  } else if (take(parser, "x")) {
    emit_load(parser->code, EMIT_SLOT_X);
  } else if (take(parser, "steps(")) {
    sum(parser);
    note_line(parser, line);
    emit_call(parser->code, jit_steps);
    parser->failed |= !take(parser, ")");
  } else if (take(parser, "(")) {
    sum(parser);
    parser->failed |= !take(parser, ")");
  } else {
    parser->failed = true;
  }
}

/* An operator's left side waits in a slot while the right one is computed. */
static void chain(struct parser *parser, const char *operators, void (*side)(struct parser *))
{
  side(parser);
  for (char next; !parser->failed && (next = peek(parser)) && strchr(operators, next);) {
    uint32_t line = parser->line;
    unsigned slot = EMIT_SLOT_FIRST + parser->depth;
    parser->at++;
    emit_store(parser->code, slot);
    parser->failed |= ++parser->depth > JIT_MAX_DEPTH;
    side(parser);
    parser->depth--;
    note_line(parser, line);
    emit_operation(parser->code, next, slot);
  }
}

static void product(struct parser *parser)
{
  chain(parser, "*", operand);
}

static void sum(struct parser *parser)
{
  chain(parser, "+-", product);
}

int jit_compile(struct jit_code *code, const char *source)
{
  struct parser parser = {.code = code, .at = source, .line = 1};
  code->length = 0;
  code->n_lines = 0;
  note_line(&parser, 1);
  emit_prologue(code);
  size_t loop = code->length;
  sum(&parser);
  note_line(&parser, 1);
  emit_epilogue(code, loop);
  return parser.failed || peek(&parser) != 0 || code->length > sizeof(code->bytes) ? -1 : 0;
}
