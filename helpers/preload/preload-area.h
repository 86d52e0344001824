/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The area that walk.h searches (unwind/walk/walk-types.h), in this process: a stretch of reserved addresses
 * in which the tables' memfds are mapped where there is room, and which begins with the arrays of mappings.
 *
 * Tables stay for good: a library that is unloaded and loaded again finds its own, and nobody has to know
 * whether a handler still reads it. What was never filled reads as zeros, so nothing that a handler computes
 * can make it fault there. Children of fork have all of it.
 *
 * Arrays of mappings come in versions, of which one is current. A reader says that it reads; a version is
 * written only when it is not current and nobody reads it. So a handler that interrupts the writer, or runs
 * beside it, sees a whole one, old or new.
 */
#ifndef PRELOAD_AREA_H
#define PRELOAD_AREA_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind-table.h"
#include "unwind/walk/walk-types.h"

#define PRELOAD_VERSIONS 4

struct preload_version {
  _Atomic uint32_t readers;
  struct walk_process process;
};

struct preload_area {
  uint8_t *bytes;           /* NULL: none */
  uint64_t size;            /* a power of two */
  uint64_t used;            /* bytes, a multiple of the page size */
  uint32_t serial;          /* of the version written last */
  _Atomic uint32_t current; /* version; PRELOAD_VERSIONS: none yet */
  struct preload_version versions[PRELOAD_VERSIONS];
};

/* Reserves the addresses, fewer where they are limited. 0 or a negative errno. */
int preload_area_init(struct preload_area *area);
void preload_area_clear(struct preload_area *area);

/* Maps `length` bytes of a sealed memfd that hold a table and checks all of it: *ret is its offset in the
 * area. 0, -EBADMSG for what is no table, -ENOSPC when the area is full, or another negative errno. The
 * descriptor stays the caller's. By one thread at a time. */
int preload_area_add_table(struct preload_area *area, int fd, uint64_t length, uint32_t *ret);
const struct unwind_table *preload_area_table(const struct preload_area *area, uint32_t offset);

/* Makes these mappings the current ones; at most WALK_MAPPINGS_MAX, ascending. -EAGAIN when every other
 * version is being read. By one thread at a time. */
int preload_area_publish(struct preload_area *area, const struct walk_mapping *mappings, uint32_t n);

/* The current mappings, to be left again; NULL: none. Async-signal-safe. */
const struct walk_process *preload_area_enter(struct preload_area *area, struct preload_version **ret);
void preload_area_leave(struct preload_version *version);
/* In a child of fork: threads that read are not there any more. */
void preload_area_forget_readers(struct preload_area *area);

#endif
