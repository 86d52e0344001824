/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One x86-64 instruction: how long it is, and what it does to the stack and to general registers. */
#ifndef ASSEMBLY_X86_H
#define ASSEMBLY_X86_H

#include <stddef.h>
#include <stdint.h>

/* Registers by the numbers that instructions have for them. */
enum assembly_register {
  ASSEMBLY_RAX = 0,
  ASSEMBLY_RCX = 1,
  ASSEMBLY_RDX = 2,
  ASSEMBLY_RBX = 3,
  ASSEMBLY_RSP = 4,
  ASSEMBLY_RBP = 5,
  ASSEMBLY_RSI = 6,
  ASSEMBLY_RDI = 7,
  ASSEMBLY_R11 = 11,
  ASSEMBLY_NO_REGISTER = 16
};

enum assembly_kind {
  ASSEMBLY_OTHER,   /* nothing but `writes` */
  ASSEMBLY_PAD,     /* does nothing: what stands between functions */
  ASSEMBLY_PUSH,    /* reg, or something else (ASSEMBLY_NO_REGISTER) */
  ASSEMBLY_POP,     /* likewise */
  ASSEMBLY_MOVE,    /* reg = base + value */
  ASSEMBLY_ADDRESS, /* reg = an address of the program; value: from this instruction on */
  ASSEMBLY_ALIGN,   /* rsp is rounded down */
  ASSEMBLY_STORE,   /* *(base + value) = reg */
  ASSEMBLY_LOAD,    /* reg = *(base + value) */
  ASSEMBLY_ZERO,    /* reg = 0 */
  ASSEMBLY_LEAVE,
  ASSEMBLY_CALL,   /* value: from this instruction on; 0: somewhere */
  ASSEMBLY_BRANCH, /* likewise, or it goes on */
  ASSEMBLY_JUMP,   /* likewise, and it does not go on */
  ASSEMBLY_JUMP_BY_REGISTER,
  ASSEMBLY_JUMP_BY_MEMORY, /* to what a fixed address holds: another function */
  ASSEMBLY_RETURN,
  ASSEMBLY_STOP /* nobody gets behind it */
};

struct assembly_instruction {
  uint8_t length;
  uint8_t kind; /* enum assembly_kind */
  uint8_t reg;
  uint8_t base;
  uint16_t
      writes; /* one bit a register that does not keep its value; not said of rsp where the kind says it */
  int64_t value;
};

/* Of `size` bytes the first instruction. False: not known, or not all there. */
_Bool assembly_decode(const uint8_t *bytes, size_t size, struct assembly_instruction *ret);

#endif
