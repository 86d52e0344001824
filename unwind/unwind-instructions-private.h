/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of unwind information (DW_CFA_*), all but those that remember a state and return to it. */
#ifndef UNWIND_INSTRUCTIONS_PRIVATE_H
#define UNWIND_INSTRUCTIONS_PRIVATE_H

#include "unwind/unwind-cfi-private.h"

struct unwind_run {
  const struct unwind_section *section;
  const struct unwind_cie *cie;
  const uint8_t *at;
  const uint8_t *end;
  struct unwind_state state;
  uint64_t base;
  uint64_t place;     /* from the base: where the state is in force */
  int32_t cfa_offset; /* while an expression says where the CFA is: what counts again when a register does */
};

static inline bool unwind_state_counts_from_register(struct unwind_state state)
{
  uint64_t cfa = state.high >> 32 & 0xff;

  return cfa >= UNWIND_CFA_SP && cfa <= UNWIND_CFA_REGISTER;
}

/* Executes the instruction at run->at, which is below run->end; *ret_delta is how far on the place is moved.
 * False if it is damaged or not understood. */
bool unwind_execute(struct unwind_run *run, uint64_t *ret_delta);

#endif
