/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules for code that nothing describes, hand-written assembly above all, by what its instructions do; x86-64
 * only. */
#ifndef UNWIND_ASSEMBLY_PRIVATE_H
#define UNWIND_ASSEMBLY_PRIVATE_H

#include "unwind/assembly/assembly-read.h"
#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-locate-private.h"
#include "unwind/unwind-rows-private.h"

/* What is shorter lies between functions. */
#define UNWIND_ASSEMBLY_MIN 16

/* As operand of a rule whose CFA is counted from sp, fp or base, which has none: UNWIND_RULE_BY_CODE once it
 * is written. */
#define UNWIND_OPERAND_BY_CODE 0xff

/* Sections of code that are looked at. */
#define UNWIND_ASSEMBLY_SECTIONS 16

struct unwind_assembly {
  const struct unwind_elf *elf;
  struct unwind_range sections[UNWIND_ASSEMBLY_SECTIONS]; /* ascending, apart from each other */
  uint32_t n_sections;
  struct assembly_room room;
};

void unwind_assembly_open(struct unwind_assembly *ret, const struct unwind_elf *elf);

/* How many rows may come of all its code: they take address space until they are written. */
uint64_t unwind_assembly_rows(const struct unwind_assembly *assembly);

/* Adds rows for [start, end), from the rows' base, which no description covers. */
void unwind_assembly_add(struct unwind_assembly *assembly, struct unwind_rows *rows, uint64_t start,
                         uint64_t end);

void unwind_assembly_clear(struct unwind_assembly *assembly);

/* The rule of a state; UNWIND_CFA_NONE where it says too little. */
struct unwind_rule unwind_assembly_rule(const struct assembly_state *state);

#endif
