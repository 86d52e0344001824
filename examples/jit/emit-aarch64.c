/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef __aarch64__
#include "emit.h"

/* The frame record lies at the stack pointer, slots above it. The accumulator is x0. */
enum { FRAME = 16 + EMIT_SLOTS * 8, X0 = 0, X1 = 1, X16 = 16, X29 = 29, X30 = 30, SP = 31 };
_Static_assert(FRAME % 16 == 0 && FRAME <= 504, "sp is always aligned, and stp reaches that far");

static void emit(struct jit_code *code, uint32_t instruction)
{
  emit_bytes(code, &instruction, sizeof(instruction));
}

static void load(struct jit_code *code, unsigned target, unsigned slot)
{
  emit(code, 0xf9400000 | (2 + slot) << 10 | SP << 5 | target); /* ldr target, [sp, 16 + 8 * slot] */
}

static void store(struct jit_code *code, unsigned source, unsigned slot)
{
  emit(code, 0xf9000000 | (2 + slot) << 10 | SP << 5 | source);
}

void emit_prologue(struct jit_code *code)
{
  if (code->frames == JIT_FRAMES_NONE) {
    emit(code, 0xd1000000 | FRAME << 10 | SP << 5 | SP); /* sub sp, sp, FRAME */
    emit(code, 0xf9000000 | 1 << 10 | SP << 5 | X30);    /* str x30, [sp, 8] */
  } else {
    emit(code,
         0xa9800000 | (128 - FRAME / 8) << 15 | X30 << 10 | SP << 5 | X29); /* stp x29, x30, [sp, -FRAME]! */
  }
  if (code->frames == JIT_FRAMES_KEPT)
    emit(code, 0x910003fd); /* mov x29, sp */
  if (code->frames == JIT_FRAMES_REUSED)
    emit(code, 0xaa0003fd); /* mov x29, x0 */
  store(code, X0, EMIT_SLOT_X);
  store(code, SP, EMIT_SLOT_SUM); /* as a source, 31 is xzr */
}

void emit_constant(struct jit_code *code, int32_t value)
{
  uint32_t bits = (uint32_t)value;
  emit(code, 0xd2800000 | (bits & 0xffff) << 5); /* movz x0, low */
  emit(code, 0xf2a00000 | bits >> 16 << 5);      /* movk x0, high, lsl 16 */
  emit(code, 0x93407c00);                        /* sxtw x0, w0 */
}

void emit_load(struct jit_code *code, unsigned slot)
{
  load(code, X0, slot);
}

void emit_store(struct jit_code *code, unsigned slot)
{
  store(code, X0, slot);
}

void emit_operation(struct jit_code *code, char operation, unsigned slot)
{
  load(code, X1, slot);
  emit(code, operation == '+' ? 0x8b000020 : operation == '-' ? 0xcb000020 : 0x9b007c20); /* x0 = x1 op x0 */
}

void emit_call(struct jit_code *code, int64_t (*function)(int64_t))
{
  for (uint32_t i = 0; i < 4; i++) { /* movz, then movk: x16 = function */
    uint32_t part = (uint32_t)((uintptr_t)function >> 16 * i) & 0xffff;
    emit(code, (i == 0 ? 0xd2800000 : 0xf2800000) | i << 21 | part << 5 | X16);
  }
  emit(code, 0xd63f0000 | X16 << 5); /* blr x16 */
}

void emit_epilogue(struct jit_code *code, size_t loop)
{
  load(code, X1, EMIT_SLOT_SUM);
  emit(code, 0x8b000021); /* add x1, x1, x0 */
  store(code, X1, EMIT_SLOT_SUM);
  load(code, X1, EMIT_SLOT_X);
  emit(code, 0xf1000421); /* subs x1, x1, 1 */
  store(code, X1, EMIT_SLOT_X);
  emit(code, 0x54000001 | ((uint32_t)(loop - code->length) / 4 & 0x7ffff) << 5); /* b.ne loop */
  load(code, X0, EMIT_SLOT_SUM);
  if (code->frames == JIT_FRAMES_NONE) {
    emit(code, 0xf9400000 | 1 << 10 | SP << 5 | X30);    /* ldr x30, [sp, 8] */
    emit(code, 0x91000000 | FRAME << 10 | SP << 5 | SP); /* add sp, sp, FRAME */
  } else {
    emit(code, 0xa8c00000 | FRAME / 8 << 15 | X30 << 10 | SP << 5 | X29); /* ldp x29, x30, [sp], FRAME */
  }
  emit(code, 0xd65f03c0); /* ret */
}
#endif
