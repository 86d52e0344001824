/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A compiler of arithmetic: "x * 3 + 7" becomes a machine function that adds the expression up for
 * x = n, n - 1 … 1. Operators are + - * and parentheses, operands are numbers and x; steps(e) calls C.
 */
#ifndef JIT_H
#define JIT_H

#include <stddef.h>
#include <stdint.h>

enum {
  JIT_MAX_CODE = 4096,
  JIT_MAX_LINES = 64,
  JIT_MAX_DEPTH = 13, /* of intermediate results */
};

/* What a generated function does with the frame pointer: docs/frame-pointers.md. */
enum jit_frames {
  JIT_FRAMES_KEPT,   /* a frame record, as the ABI wants it */
  JIT_FRAMES_NONE,   /* none: the register stays the caller's */
  JIT_FRAMES_REUSED, /* none, and the register holds something else */
};

struct jit_line {
  uint32_t offset, line;
};

struct jit_code {
  enum jit_frames frames; /* the caller's wish */
  uint8_t bytes[JIT_MAX_CODE];
  size_t length;
  struct jit_line lines[JIT_MAX_LINES]; /* ascending by offset */
  unsigned n_lines;
};

typedef int64_t (*jit_function)(int64_t n);

/* Compiles source into code, which can be copied to any address. 0, or -1 when the source makes no sense or
 * is too long. */
int jit_compile(struct jit_code *code, const char *source);

/* What generated code calls for steps(e): how long the Collatz sequence from there is. */
int64_t jit_steps(int64_t start);

#endif
