/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine instructions, one file an architecture. There is one accumulator, and the frame has slots of eight
 * bytes: x, the sum, and intermediate results. Code that does not fit any more is left out, and `length` says
 * so.
 */
#ifndef EMIT_H
#define EMIT_H

#include "jit.h"

#include <string.h>

enum {
  EMIT_SLOT_X = 0,
  EMIT_SLOT_SUM = 1,
  EMIT_SLOT_FIRST = 2,
  EMIT_SLOTS = EMIT_SLOT_FIRST + JIT_MAX_DEPTH + 1
};

void emit_prologue(struct jit_code *code);
void emit_constant(struct jit_code *code, int32_t value);
void emit_load(struct jit_code *code, unsigned slot);
void emit_store(struct jit_code *code, unsigned slot);
/* accumulator = slot OPERATION accumulator, one of + - * */
void emit_operation(struct jit_code *code, char operation, unsigned slot);
/* accumulator = function(accumulator) */
void emit_call(struct jit_code *code, int64_t (*function)(int64_t));
/* Adds the accumulator to the sum, and goes back to offset `loop` until x is 0; then returns the sum. */
void emit_epilogue(struct jit_code *code, size_t loop);

static inline void emit_bytes(struct jit_code *code, const void *bytes, size_t length)
{
  if (code->length + length <= sizeof(code->bytes))
    memcpy(code->bytes + code->length, bytes, length);
  code->length += length;
}

#endif
