/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts functions' rows one behind the other: what lies between functions gets the rule "nothing is known", of
 * functions that overlap the one that begins last holds, and a damaged description leaves no rows.
 */
#ifndef UNWIND_BUILDER_PRIVATE_H
#define UNWIND_BUILDER_PRIVATE_H

#include "unwind/unwind-assembly-private.h"
#include "unwind/unwind-interpreter-private.h"
#include "unwind/unwind-known-private.h"

/* Functions around the one at hand. */
#define UNWIND_OUTER_MAX 8

struct unwind_builder {
  struct unwind_section *section;
  struct unwind_rows *rows;
  const struct unwind_range *ranges; /* executable addresses */
  uint32_t n_ranges;
  struct unwind_range range; /* the one that the function before lies in, as far as rows reach */
  uint64_t budget;           /* bytes of instructions that may still be executed a second time */
  uint64_t covered;          /* bytes of the section's records that were read */
  uint32_t n_bad;
  uint32_t n_moved; /* descriptions that are of another address than the order says */
  const struct unwind_elf *elf;
  const struct unwind_known *known; /* in ascending order; those that begin below the cursor are done with */
  uint32_t n_known;
  struct unwind_assembly *assembly;     /* what is neither described nor known */
  uint64_t cursor;                      /* from the rows' base: up to here all is said */
  uint64_t plain_until;                 /* likewise: before, of what no description covers nothing is known */
  struct unwind_section *spare_section; /* asked where the section says nothing; NULL without */
  const struct unwind_order *spare_order;
  uint32_t n_spare; /* of its functions, those that are done with */
  uint32_t n_outer;
  uint64_t outer[UNWIND_OUTER_MAX]; /* offsets of their descriptions */
  struct unwind_interpreter interpreter;
};

/* False if the order is none, or too much would have to be done again. */
bool unwind_builder_add_all(struct unwind_builder *builder, const struct unwind_order *order);

#endif
