/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-tracer.h"

#include <errno.h>
#include <malloc.h>

#include "helpers/preload/preload-blocks.h"
#include "helpers/preload/preload-totals.h"
#include "helpers/preload/preload-update.h"
#include "libcapture/inside/capture-inside-private.h"

/* Buckets of the table of live samples, as a power of two: with intervals of so many bytes the first. */
#define SPARSE_BYTES 65536
#define SPARSE_BITS  13
#define DENSE_BITS   18
/* The walker's own frames lie so far below its caller's at most. */
#define BELOW 1024
/* The smallest there is. */
#define PAGE 4096u

static uint64_t interval;
static uint32_t allocations; /* events */
static uint32_t frees;
static struct preload_blocks blocks;
static _Atomic bool is_full_told;

/* The stack of whoever called, in memory of the library's. */
static uint8_t preload_tracer_walk(struct capture_windows *w, struct preload_thread *self, const void *caller,
                                   uint32_t *ret_count)
{
  uint32_t outcome = CAPTURE_OUTCOME_UNKNOWN;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  preload_stack_find(self);
  struct preload_remembered *remembered = self->remembered;
  struct preload_walk walk = {.area = &preload_area,
                              .memos = remembered ? &remembered->called : NULL,
                              .low = here - BELOW,
                              .high = self->stack_high,
                              .frames = w->frames,
                              .max = CAPTURE_FRAMES_MAX,
                              .trail = remembered ? &remembered->trail : NULL};
  /* A coroutine's stack, or a signal handler's: no more of it is known to be readable than what is in use. */
  if (here < self->stack_low || here >= self->stack_high)
    walk.high = (here | (PAGE - 1)) + 1;
  *ret_count = preload_walk_here(&walk, caller, &outcome);
  if (*ret_count == 0) {
    w->frames[0] = (uint64_t)(uintptr_t)caller;
    *ret_count = 1;
    outcome = CAPTURE_OUTCOME_UNREADABLE;
  }
  if (walk.missed)
    preload_update_wanted();
  return (uint8_t)outcome;
}

static void write_sample(struct preload_thread *self, uint32_t event, uint64_t weight, const void *caller)
{
  bool lost = false;
  capture *c = atomic_load(&preload_capture);
  if (!c)
    return;
  struct capture_thread *thread = capture_inside_thread(c);
  struct capture_windows *w = capture_inside_enter(c, thread, &lost);
  if (!w) {
    if (lost)
      capture_inside_lost(c, event, 1);
    return;
  }
  struct capture_inside_sample sample = {.event = event, .weight = weight};
  sample.outcome = preload_tracer_walk(w, self, caller, &sample.count);
  capture_inside_sample(c, w, thread, &sample);
  uint64_t now = w->now;
  capture_inside_leave(c, w);
  preload_totals_tell_at(c, now);
}

static void tell_full(capture *c)
{
  if (atomic_load_explicit(&blocks.lost, memory_order_relaxed) != 0 && !atomic_exchange(&is_full_told, true))
    capture_inside_message(c, 4,
                           "More sampled blocks are live than can be remembered: what some of them give back "
                           "is missing from `frees`. Record with more bytes between samples.");
}

static __attribute__((noinline)) void sample_allocation(struct preload_thread *self, void *block,
                                                        uint64_t weight, const void *caller)
{
  int error = errno;
  self->inside++;
  capture *c = atomic_load(&preload_capture);
  write_sample(self, allocations, weight, caller);
  preload_blocks_add(&blocks, block, weight);
  tell_full(c);
  self->inside--;
  errno = error;
}

static __attribute__((noinline)) void sample_free(struct preload_thread *self, uint64_t weight,
                                                  const void *caller)
{
  int error = errno;
  self->inside++;
  write_sample(self, frees, weight, caller);
  self->inside--;
  errno = error;
}

void preload_tracer_allocated(void *block, size_t requested, const void *caller)
{
  struct preload_thread *self = &preload_self;
  if (PRELOAD_UNLIKELY(!block || self->inside != 0))
    return;
  preload_totals_allocated(self, requested, malloc_usable_size(block));
  uint64_t weight = preload_chance_weight(&self->chance, requested, interval);
  if (PRELOAD_UNLIKELY(weight != 0))
    sample_allocation(self, block, weight, caller);
}

void preload_tracer_freed(void *block, const void *caller)
{
  struct preload_thread *self = &preload_self;
  if (PRELOAD_UNLIKELY(self->inside != 0))
    return;
  preload_totals_freed(self, malloc_usable_size(block));
  uint64_t weight = preload_blocks_take(&blocks, block);
  if (PRELOAD_UNLIKELY(weight != 0))
    sample_free(self, weight, caller);
}

void preload_tracer_reallocate(struct preload_reallocation *ret, void *block)
{
  *ret = (struct preload_reallocation){.block = block};
  if (preload_self.inside != 0)
    return;
  ret->size = malloc_usable_size(block);
  ret->weight = preload_blocks_take(&blocks, block);
}

void preload_tracer_reallocated(const struct preload_reallocation *before, void *moved, size_t requested,
                                const void *caller)
{
  struct preload_thread *self = &preload_self;
  if (self->inside != 0)
    return;
  if (!moved && requested != 0) {
    if (before->weight != 0)
      preload_blocks_add(&blocks, before->block, before->weight);
    return;
  }
  preload_totals_freed(self, before->size);
  if (before->weight != 0)
    sample_free(self, before->weight, caller);
  preload_tracer_allocated(moved, requested, caller);
}

int preload_tracer_start(capture *c, uint64_t bytes)
{
  interval = bytes != 0 ? bytes : 1;
  /* A sum of intervals must not overflow. */
  if (interval > INT64_MAX / 64)
    interval = INT64_MAX / 64;
  int error = preload_blocks_init(&blocks, interval >= SPARSE_BYTES ? SPARSE_BITS : DENSE_BITS);
  if (error != 0)
    return error;
  allocations = capture_event(c, "allocations", CAPTURE_EVENT_BYTES, interval);
  frees = capture_event(c, "frees", CAPTURE_EVENT_BYTES, interval);
  preload_totals_init(c);
  if (allocations == 0 || frees == 0)
    return -ENOSPC;
  atomic_fetch_or(&preload_attention, PRELOAD_TRACE);
  return 0;
}

/* The table stays: other threads may be looking at it. */
void preload_tracer_stop(void)
{
  capture *c = atomic_load(&preload_capture);
  if ((atomic_fetch_and(&preload_attention, ~(uint32_t)PRELOAD_TRACE) & PRELOAD_TRACE) != 0 && c)
    preload_totals_tell(c);
}

void preload_tracer_forked(bool goes_on)
{
  if (!goes_on)
    atomic_fetch_and(&preload_attention, ~(uint32_t)PRELOAD_TRACE);
  preload_totals_forked();
}
