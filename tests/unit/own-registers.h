/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This thread's registers, by DWARF's numbers, as unwind_registers_set takes them. */
#ifndef OWN_REGISTERS_H
#define OWN_REGISTERS_H

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "unwind/walk/walk-types.h"

#ifdef __aarch64__
#define OWN_MACHINE WALK_AARCH64
#define OWN_SP      31
#define OWN_IP      32
#else
#define OWN_MACHINE WALK_X86_64
#define OWN_SP      7
#define OWN_IP      16
#endif

/* From getcontext(), or as a signal's handler is given them. `general` has room for 33. */
static inline void own_registers(uint64_t *general, const ucontext_t *context)
{
#ifdef __aarch64__
  memcpy(general, context->uc_mcontext.regs, sizeof context->uc_mcontext.regs);
  general[OWN_SP] = context->uc_mcontext.sp;
  general[OWN_IP] = context->uc_mcontext.pc;
#else
  static const int numbers[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    general[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
#endif
}

#endif
