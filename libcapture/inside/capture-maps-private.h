/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sampler has to know of the process's memory to read in it safely: read once, when it starts. */
#ifndef CAPTURE_MAPS_PRIVATE_H
#define CAPTURE_MAPS_PRIVATE_H

#include "libcapture/inside/capture-walk-private.h"

struct capture_maps {
  struct capture_walk_text text;   /* executable and readable */
  struct capture_walk_text stacks; /* writable and private: where a thread's stack may be */
  uintptr_t main_low, main_high;   /* the first thread's, which grows downwards */
};

/* From /proc/self/maps, without allocation. 0 or a negative errno. What finds no room is left out. Not
 * async-signal-safe. */
int capture_maps_read(struct capture_maps *maps);

/*
 * The bounds of the calling thread's stack, which is in use at sp; false when it is not known. In a thread
 * of the C library's nothing above its thread pointer is taken for its stack, because that may be
 * unmapped any time. Async-signal-safe.
 */
bool capture_maps_find_stack(const struct capture_maps *maps, uintptr_t sp, uintptr_t *ret_low,
                             uintptr_t *ret_high);

#endif
