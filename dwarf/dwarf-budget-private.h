/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reading may still take: memory, and this thread's time on a processor. What was refused is remembered,
 * so that whoever reports needs to know no cause. */
#ifndef DWARF_BUDGET_PRIVATE_H
#define DWARF_BUDGET_PRIVATE_H

#include "dwarf/dwarf-find.h"

/* Work after which the clock is looked at. */
#define DWARF_WORK_OF_A_LOOK 16384

struct dwarf_budget {
  uint64_t memory;        /* bytes left */
  uint64_t processor_end; /* of this thread's clock; 0: none */
  uint64_t deadline;      /* of CLOCK_MONOTONIC; 0: none */
  uint32_t work;          /* since the clock was looked at */
  bool out_of_memory;
  bool out_of_time;
  bool damaged;
};

/* Sets the memory; time is not limited before dwarf_budget_start(). */
void dwarf_budget_open(struct dwarf_budget *budget, const struct dwarf_limits *limits);

/* Begins to count time anew. Memory that was refused and damage stay known: what was lost is not tried again.
 */
void dwarf_budget_start(struct dwarf_budget *budget, const struct dwarf_limits *limits);

/* n zeroed items, or NULL. */
void *dwarf_budget_allocate(struct dwarf_budget *budget, uint64_t n, size_t size);

/* Frees what came from dwarf_budget_allocate() with the same size. */
void dwarf_budget_free(struct dwarf_budget *budget, void *memory, uint64_t n, size_t size);

/* Makes room for at least one more than *capacity items, or returns NULL with `items` as they were. */
void *dwarf_budget_grow(struct dwarf_budget *budget, void *items, uint32_t *capacity, size_t size);

/* Gives back what is beyond n items. The items, wherever they are then. */
void *dwarf_budget_trim(struct dwarf_budget *budget, void *items, uint32_t *capacity, uint32_t n,
                        size_t size);

/* Counts work, in entries, rows or the like. 0, or -ETIME when time is over. */
int dwarf_budget_work(struct dwarf_budget *budget, uint32_t amount);

/* What ended early, the gravest first. */
enum dwarf_outcome dwarf_budget_get_outcome(const struct dwarf_budget *budget);

#endif
