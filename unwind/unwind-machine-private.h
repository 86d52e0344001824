/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs from one machine to another: which registers have which number in DWARF, and where they are by
 * default. */
#ifndef UNWIND_MACHINE_PRIVATE_H
#define UNWIND_MACHINE_PRIVATE_H

#include <elf.h>

#include "unwind/unwind-state-private.h"

struct unwind_machine {
  uint16_t elf; /* EM_X86_64 or EM_AARCH64 */
  uint8_t sp;
  uint8_t fp;
  uint8_t base;      /* 0xff: none */
  uint8_t ra;        /* the column that all return addresses are in */
  uint8_t registers; /* general ones, those a CFA may count from */
  struct unwind_register tracked[UNWIND_REGISTERS];
  uint8_t tracked_index[UNWIND_REGISTERS]; /* 0: it is not */
  struct unwind_register untracked;
};

/* NULL for a machine that is not understood. */
const struct unwind_machine *unwind_machine_find(uint16_t elf);

/* The bits of a register in a state, none for one that is not tracked. */
static inline const struct unwind_register *unwind_machine_register(const struct unwind_machine *machine,
                                                                    uint64_t number)
{
  return number < UNWIND_REGISTERS ? &machine->tracked[number] : &machine->untracked;
}

/* The CFA is that register + cfa_offset. */
static inline struct unwind_state unwind_state_set_cfa_register(const struct unwind_machine *machine,
                                                                struct unwind_state state, uint64_t number)
{
  if (number == machine->sp)
    return unwind_state_set_cfa_kind(state, UNWIND_CFA_SP, 0);
  if (number == machine->fp)
    return unwind_state_set_cfa_kind(state, UNWIND_CFA_FP, 0);
  if (number == machine->base)
    return unwind_state_set_cfa_kind(state, UNWIND_CFA_BASE, 0);
  if (number < machine->registers)
    return unwind_state_set_cfa_kind(state, UNWIND_CFA_REGISTER, (uint8_t)number);
  return unwind_state_set_cfa_kind(state, UNWIND_CFA_UNSUPPORTED, 0);
}

#endif
