/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walker (unwind/walk/walk.h) over the calling thread's own stack. Everything here is async-signal-safe,
 * makes no system call, and reads nothing but the area and the stacks whose bounds it is told.
 */
#ifndef PRELOAD_WALK_H
#define PRELOAD_WALK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/preload/preload-area.h"
#include "helpers/preload/preload-trail.h"

#if defined __x86_64__ || defined __aarch64__
#define PRELOAD_WALKS 1
#else
#define PRELOAD_WALKS 0
#endif

#define PRELOAD_MEMOS 256

/* Rules that a thread has found before, of its handler's walks or of its ordinary ones: not of both, for one
 * interrupts the other. */
struct preload_memos {
  struct walk_memo memos[PRELOAD_MEMOS];
};

struct preload_walk {
  struct preload_area *area;
  struct preload_memos *memos; /* may be NULL */
  uintptr_t low;               /* of the thread's stack */
  uintptr_t high;
  uintptr_t other_low; /* of the stack that its signal handlers have; 0 0: none */
  uintptr_t other_high;
  uint64_t *frames;            /* the innermost first */
  uint64_t *sps;               /* of each, its frame's address; may be NULL */
  uint32_t max;                /* of both, at least 1 */
  bool missed;                 /* set when an address may be in a mapping that is not known yet */
  struct preload_trail *trail; /* preload_walk_here: of the thread's walks before; may be NULL */
  struct preload_place *place; /* of the walk itself: that is being left */
};

/* From where a signal interrupted the thread. Returns how many frames; *ret_outcome is an enum
 * capture_outcome, perhaps with CAPTURE_OUTCOME_BY_FRAME_POINTERS. */
uint32_t preload_walk_interrupted(struct preload_walk *walk, const void *ucontext, uint32_t *ret_outcome);
/* From the caller on whose return address `first` is: frames below it are left out. None when it does not
 * occur. */
uint32_t preload_walk_here(struct preload_walk *walk, const void *first, uint32_t *ret_outcome);

#endif
