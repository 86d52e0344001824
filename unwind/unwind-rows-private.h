/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows in the making. They come in ascending order of address and are written once, where they stay. How many
 * each bucket holds is known only when all are there, so it is kept for buckets that are small enough
 * (`ends`) and summed up at the end.
 */
#ifndef UNWIND_ROWS_PRIVATE_H
#define UNWIND_ROWS_PRIVATE_H

#include <stdint.h>

#include "unwind/unwind-rules-private.h"

struct unwind_rows {
  struct unwind_row *rows;
  uint32_t n;
  uint32_t capacity;
  uint32_t *ends; /* for each 1 << shift bytes from base on: the number of the row after its last one; 0 if it
                     has none */
  uint32_t n_ends;
  uint32_t shift;
  uint64_t base;
  uint16_t rule; /* of the last row */
  struct unwind_rules rules;
};

/* The caller sees to the capacity, and that `at` (from the base) is inside and above the last row's. */
static inline void unwind_rows_add_rule(struct unwind_rows *rows, uint64_t at, uint16_t rule)
{
  if (rule == rows->rule)
    return;
  rows->rule = rule;
  rows->rows[rows->n++] = (struct unwind_row){(uint16_t)at, rule};
  rows->ends[at >> rows->shift] = rows->n;
}

/* Forgets rows that were written and not counted yet, all of them in [from, until). `end` is what was in
 * `ends` for `from` before. */
void unwind_rows_forget(struct unwind_rows *rows, uint64_t from, uint64_t until, uint32_t end);

#endif
