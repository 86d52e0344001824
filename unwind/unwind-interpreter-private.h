/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the instructions of a function's description, which make its rows. */
#ifndef UNWIND_INTERPRETER_PRIVATE_H
#define UNWIND_INTERPRETER_PRIVATE_H

#include "unwind/unwind-instructions-private.h"
#include "unwind/unwind-rows-private.h"

/* Compilers nest two states. */
#define UNWIND_DEPTH_MAX 64

/* A state that is remembered: all of it, the CFA too. */
struct unwind_remembered {
  const struct unwind_group *group;
  uint32_t offset;           /* as the interpreter counts it */
  uint32_t cfa_offset;       /* where `offset` has no place for it */
  int32_t cfa_offset_beside; /* struct unwind_run's, where the CFA does not count from a register */
};

/* What is the same for all of a function, or for many, or seldom used. */
struct unwind_interpreter {
  struct unwind_run run; /* its section is that of the function before, NULL at first */
  struct unwind_rows *rows;
  const struct unwind_group *groups; /* of the rows' rules */
  const uint8_t *tracked_index;      /* of the section's machine */
  uint64_t floor;
  uint64_t limit;
  const uint8_t *last_word; /* from here on less is left */
  uint32_t depth;
  uint32_t n_odd;      /* of the states that are remembered, those whose CFA does not count from a register */
  uint32_t cfa_offset; /* in bytes, while groups have no place for it */
  bool is_quick;       /* instructions may be executed quickly, states permitting */
  bool is_damaged;
  /* Of the CIE of the function before: mostly that of the next one too. */
  bool initial_is_odd;
  uint32_t code_align;
  uint32_t initial_offset;
  uint32_t initial_cfa_offset;
  const struct unwind_group *initial;
  uint64_t cie_offset;
  struct unwind_remembered stack[UNWIND_DEPTH_MAX];
};

static inline void unwind_interpreter_init(struct unwind_interpreter *interpreter, struct unwind_rows *rows)
{
  interpreter->rows = rows;
  interpreter->groups = rows->rules.groups;
  interpreter->run.section = NULL;
  interpreter->run.base = rows->base;
}

/* From CIE's instructions: the state that all of its functions begin with. */
bool unwind_interpret_cie(const struct unwind_section *section, struct unwind_cie *cie, const uint8_t *at,
                          const uint8_t *end);

/* Adds the rows of a function that lie in [floor, limit), addresses from the rows' base, which are not the
 * same. False, and nothing added, if the description is damaged or not understood. */
bool unwind_interpret_fde(struct unwind_interpreter *interpreter, const struct unwind_section *section,
                          const struct unwind_fde *fde, uint64_t floor, uint64_t limit);

#endif
