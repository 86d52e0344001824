/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk before, by the same thread: what of a stack has not changed since need not be walked again.
 *
 * A walk is determined by the registers that it comes to a frame with, by the words that it reads from there
 * on, and by the tables. Where a walk has the very registers that the one before had, and all those words are
 * what they were, it would find the same frames; and to compare words costs far less than to find rules and
 * apply them. By one thread, not in signal handlers.
 */
#ifndef PRELOAD_TRAIL_H
#define PRELOAD_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#define PRELOAD_TRAIL_MAX   512
#define PRELOAD_PLACE_READS 4

/* A frame as the walk came to it, and what was read on the way to its caller. */
struct preload_place {
  uint64_t ip;
  uint64_t sp;
  uint64_t fp;
  uint64_t base;
  uint32_t flags; /* enum walk_flags */
  uint32_t by_frame_pointers;
  uint32_t n_reads; /* more than PRELOAD_PLACE_READS: they are not all there */
  int32_t end;      /* enum walk_end when it had no caller; 0 */
  struct {
    uint64_t address;
    uint64_t word;
  } reads[PRELOAD_PLACE_READS];
};

struct preload_trail {
  uint32_t serial; /* of the mappings that it was walked by */
  uint32_t count;
  uint32_t at;                                    /* of a walk: the places that it may still come to */
  uint32_t n_fresh;                               /* of a walk */
  struct preload_place places[PRELOAD_TRAIL_MAX]; /* the outermost first */
  struct preload_place fresh[PRELOAD_TRAIL_MAX];  /* that this walk has come to; the innermost first */
};

#endif
