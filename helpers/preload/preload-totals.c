/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-totals.h"

#define PAUSE_NANOSECONDS 10000000u

enum counter { ALLOCATIONS, REQUESTED, ALLOCATED, FREES, FREED, LIVE, N_COUNTERS };

struct preload_totals preload_totals[PRELOAD_TOTALS_MAX];

static uint32_t counters[N_COUNTERS];
static _Atomic uint64_t not_before;
static _Atomic uint64_t inherited; /* live bytes of the parent's */

void preload_totals_take(struct preload_thread *self)
{
  for (uint32_t i = 1; i < PRELOAD_TOTALS_MAX && self->totals == 0; i++) {
    uint32_t is_taken = 0;
    if (atomic_compare_exchange_strong(&preload_totals[i].is_taken, &is_taken, 1))
      self->totals = i;
  }
}

void preload_totals_leave(struct preload_thread *self)
{
  uint32_t mine = self->totals;
  self->totals = 0;
  if (mine != 0)
    atomic_store(&preload_totals[mine].is_taken, 0);
}

void preload_totals_sum(struct preload_sums *ret)
{
  struct preload_sums sums = {0};
  for (uint32_t i = 0; i < PRELOAD_TOTALS_MAX; i++) {
    const struct preload_totals *totals = &preload_totals[i];
    sums.frees += atomic_load_explicit(&totals->frees, memory_order_relaxed);
    sums.freed += atomic_load_explicit(&totals->freed, memory_order_relaxed);
    sums.allocations += atomic_load_explicit(&totals->allocations, memory_order_relaxed);
    sums.requested += atomic_load_explicit(&totals->requested, memory_order_relaxed);
    sums.allocated += atomic_load_explicit(&totals->allocated, memory_order_relaxed);
  }
  *ret = sums;
}

static uint32_t preload_totals_create(capture *c, const char *name, const char *description, const char *unit,
                                      enum capture_counter_kind kind)
{
  struct capture_counter_options options = {.size = sizeof options,
                                            .category = "Memory",
                                            .name = name,
                                            .description = description,
                                            .unit = unit,
                                            .kind = kind};
  return capture_counter(c, &options);
}

void preload_totals_init(capture *c)
{
  counters[ALLOCATIONS] =
      preload_totals_create(c, "Allocations", "Blocks allocated", NULL, CAPTURE_COUNTER_TOTAL);
  counters[REQUESTED] =
      preload_totals_create(c, "Requested bytes", "Bytes that were asked for", "B", CAPTURE_COUNTER_TOTAL);
  counters[ALLOCATED] = preload_totals_create(
      c, "Allocated bytes", "Bytes of those blocks, as the heap rounds them up", "B", CAPTURE_COUNTER_TOTAL);
  counters[FREES] = preload_totals_create(c, "Frees", "Blocks given back", NULL, CAPTURE_COUNTER_TOTAL);
  counters[FREED] =
      preload_totals_create(c, "Freed bytes", "Bytes of those blocks", "B", CAPTURE_COUNTER_TOTAL);
  counters[LIVE] =
      preload_totals_create(c, "Live bytes", "Allocated and not given back", "B", CAPTURE_COUNTER_GAUGE);
}

static void totals_tell(capture *c)
{
  struct preload_sums sums;
  preload_totals_sum(&sums);
  capture_count(c, counters[ALLOCATIONS], (double)sums.allocations);
  capture_count(c, counters[REQUESTED], (double)sums.requested);
  capture_count(c, counters[ALLOCATED], (double)sums.allocated);
  capture_count(c, counters[FREES], (double)sums.frees);
  capture_count(c, counters[FREED], (double)sums.freed);
  /* Blocks that were there before the tracer may be freed, too. */
  int64_t live = (int64_t)(atomic_load(&inherited) + sums.allocated - sums.freed);
  capture_count(c, counters[LIVE], live > 0 ? (double)live : 0);
}

void preload_totals_tell(capture *c)
{
  if (counters[ALLOCATIONS] != 0)
    totals_tell(c);
}

void preload_totals_tell_at(capture *c, uint64_t time)
{
  uint64_t due = atomic_load_explicit(&not_before, memory_order_relaxed);
  if (time >= due && counters[ALLOCATIONS] != 0 &&
      atomic_compare_exchange_strong(&not_before, &due, time + PAUSE_NANOSECONDS))
    totals_tell(c);
}

void preload_totals_forked(void)
{
  struct preload_sums sums;
  preload_totals_sum(&sums);
  atomic_fetch_add(&inherited, sums.allocated - sums.freed);
  for (uint32_t i = 0; i < PRELOAD_TOTALS_MAX; i++) {
    struct preload_totals *totals = &preload_totals[i];
    atomic_store(&totals->allocations, 0);
    atomic_store(&totals->requested, 0);
    atomic_store(&totals->allocated, 0);
    atomic_store(&totals->frees, 0);
    atomic_store(&totals->freed, 0);
    atomic_store(&totals->is_taken, i == preload_self.totals);
  }
  atomic_store(&not_before, 0);
}
