/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef __x86_64__
#include "emit.h"

/* Slots lie at rsp + 8 * slot. The accumulator is rax. */
enum { FRAME = EMIT_SLOTS * 8 };
_Static_assert(FRAME % 16 == 0 && FRAME <= 128,
               "rsp is aligned at calls, and slots have 8-bit displacements");

#define EMIT(...)  emit_bytes(code, (uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))
#define SLOT(slot) (uint8_t)((slot)*8)
#define IMM32(value)                                                                                         \
  (uint8_t)(value), (uint8_t)((value) >> 8), (uint8_t)((value) >> 16), (uint8_t)((value) >> 24)

void emit_prologue(struct jit_code *code)
{
  if (code->frames != JIT_FRAMES_NONE)
    EMIT(0x55); /* push rbp */
  if (code->frames == JIT_FRAMES_KEPT)
    EMIT(0x48, 0x89, 0xe5); /* mov rbp, rsp */
  if (code->frames == JIT_FRAMES_REUSED)
    EMIT(0x48, 0x89, 0xfd); /* mov rbp, rdi */
  /* Without the push the return address alone is on the stack: eight bytes more align it. */
  EMIT(0x48, 0x81, 0xec, IMM32(FRAME + 8 * (code->frames == JIT_FRAMES_NONE))); /* sub rsp, FRAME */
  EMIT(0x48, 0x89, 0x7c, 0x24, SLOT(EMIT_SLOT_X));                              /* mov [x], rdi */
  EMIT(0x48, 0xc7, 0x44, 0x24, SLOT(EMIT_SLOT_SUM), IMM32(0));                  /* mov [sum], 0 */
}

void emit_constant(struct jit_code *code, int32_t value)
{
  EMIT(0x48, 0xc7, 0xc0, IMM32(value)); /* mov rax, value */
}

void emit_load(struct jit_code *code, unsigned slot)
{
  EMIT(0x48, 0x8b, 0x44, 0x24, SLOT(slot)); /* mov rax, [slot] */
}

void emit_store(struct jit_code *code, unsigned slot)
{
  EMIT(0x48, 0x89, 0x44, 0x24, SLOT(slot)); /* mov [slot], rax */
}

void emit_operation(struct jit_code *code, char operation, unsigned slot)
{
  if (operation == '+')
    EMIT(0x48, 0x03, 0x44, 0x24, SLOT(slot)); /* add rax, [slot] */
  else if (operation == '*')
    EMIT(0x48, 0x0f, 0xaf, 0x44, 0x24, SLOT(slot)); /* imul rax, [slot] */
  else
    EMIT(0x48, 0x89, 0xc1, 0x48, 0x8b, 0x44, 0x24, SLOT(slot), 0x48, 0x29,
         0xc8); /* rcx = rax, [slot] - rcx */
}

void emit_call(struct jit_code *code, int64_t (*function)(int64_t))
{
  EMIT(0x48, 0x89, 0xc7, 0x48, 0xb8); /* mov rdi, rax; mov rax, function */
  emit_bytes(code, &function, sizeof(function));
  EMIT(0xff, 0xd0); /* call rax */
}

void emit_epilogue(struct jit_code *code, size_t loop)
{
  EMIT(0x48, 0x01, 0x44, 0x24, SLOT(EMIT_SLOT_SUM)); /* add [sum], rax */
  EMIT(0x48, 0xff, 0x4c, 0x24, SLOT(EMIT_SLOT_X));   /* dec [x] */
  int32_t back = (int32_t)(loop - (code->length + 6));
  EMIT(0x0f, 0x85, IMM32(back)); /* jnz loop */
  emit_load(code, EMIT_SLOT_SUM);
  EMIT(0x48, 0x81, 0xc4, IMM32(FRAME + 8 * (code->frames == JIT_FRAMES_NONE))); /* add rsp, FRAME */
  if (code->frames != JIT_FRAMES_NONE)
    EMIT(0x5d); /* pop rbp */
  EMIT(0xc3);   /* ret */
}
#endif
