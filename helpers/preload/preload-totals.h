/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exact totals of what a process allocated, whatever is sampled. Each thread counts in memory of its own,
 * which it leaves to another one when it ends; threads beyond those share the last.
 *
 * Bytes are what the heap gave (malloc_usable_size), so that what is freed can be told of any block; what was
 * asked for is counted beside it.
 */
#ifndef PRELOAD_TOTALS_H
#define PRELOAD_TOTALS_H

#include <stdatomic.h>
#include <stdint.h>

#include "helpers/preload/preload-private.h"

#define PRELOAD_TOTALS_MAX 256

struct preload_totals {
  _Alignas(64) _Atomic uint64_t allocations;
  _Atomic uint64_t requested; /* bytes, like the next two */
  _Atomic uint64_t allocated;
  _Atomic uint64_t frees;
  _Atomic uint64_t freed;
  _Atomic uint32_t is_taken;
};

/* [0] is of threads that have none of their own. */
extern struct preload_totals preload_totals[PRELOAD_TOTALS_MAX];

/* Finds memory for the thread, once. */
void preload_totals_take(struct preload_thread *self);
void preload_totals_leave(struct preload_thread *self);

static inline void preload_totals_add_shared(_Atomic uint64_t *total, uint64_t n)
{
  atomic_fetch_add_explicit(total, n, memory_order_relaxed);
}

/* Nobody else writes it. */
static inline void preload_totals_add_own(_Atomic uint64_t *total, uint64_t n)
{
  uint64_t old = atomic_load_explicit(total, memory_order_relaxed);
  atomic_store_explicit(total, old + n, memory_order_relaxed);
}

static inline void preload_totals_allocated(struct preload_thread *self, uint64_t requested,
                                            uint64_t allocated)
{
  struct preload_totals *totals = &preload_totals[self->totals];
  if (PRELOAD_UNLIKELY(self->totals == 0)) {
    preload_totals_add_shared(&totals->allocations, 1);
    preload_totals_add_shared(&totals->requested, requested);
    preload_totals_add_shared(&totals->allocated, allocated);
    return;
  }
  preload_totals_add_own(&totals->allocations, 1);
  preload_totals_add_own(&totals->requested, requested);
  preload_totals_add_own(&totals->allocated, allocated);
}

static inline void preload_totals_freed(struct preload_thread *self, uint64_t freed)
{
  struct preload_totals *totals = &preload_totals[self->totals];
  if (PRELOAD_UNLIKELY(self->totals == 0)) {
    preload_totals_add_shared(&totals->frees, 1);
    preload_totals_add_shared(&totals->freed, freed);
    return;
  }
  preload_totals_add_own(&totals->frees, 1);
  preload_totals_add_own(&totals->freed, freed);
}

struct preload_sums {
  uint64_t allocations;
  uint64_t requested;
  uint64_t allocated;
  uint64_t frees;
  uint64_t freed;
};

void preload_totals_sum(struct preload_sums *ret);
/* Creates the counters of the recording. */
void preload_totals_init(capture *c);
/* Tells the recording. */
void preload_totals_tell(capture *c);
/* The same, unless it was told a moment before that time (of capture_time). */
void preload_totals_tell_at(capture *c, uint64_t time);
/* In a child of fork: nothing of this process's yet, but for the parent's live bytes. */
void preload_totals_forked(void);

#endif
