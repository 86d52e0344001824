/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations: all are counted (preload-totals.h), some sampled (preload-chance.h) with their stacks, and
 * those are looked for when blocks are freed (preload-blocks.h). */
#ifndef PRELOAD_TRACER_H
#define PRELOAD_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/preload/preload-private.h"

/* Events, counters and the table of live blocks. 0 or a negative errno. */
int preload_tracer_start(capture *c, uint64_t interval);
void preload_tracer_stop(void);
/* Ends the tracing of a process that no recording follows; else goes on in the child. */
void preload_tracer_forked(bool goes_on);

/* A block was allocated for the function to which `caller` returns: counted, perhaps sampled. */
void preload_tracer_allocated(void *block, size_t requested, const void *caller);
/* A block is about to be given back. */
void preload_tracer_freed(void *block, const void *caller);

/* A block that is about to be reallocated: forgotten, since another thread may have its address before the
 * call returns. */
struct preload_reallocation {
  void *block;
  size_t size;     /* that the heap gave */
  uint64_t weight; /* of its sample; 0: none */
};
void preload_tracer_reallocate(struct preload_reallocation *ret, void *block);
/* It moved, or has grown or shrunk in its place: given back and allocated. `moved` NULL: it stays as it was,
 * unless 0 bytes were requested. */
void preload_tracer_reallocated(const struct preload_reallocation *before, void *moved, size_t requested,
                                const void *caller);

#endif
