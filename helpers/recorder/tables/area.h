/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room inside of the area that walk.h searches: blocks at offsets that are multiples of 64, never 0. Where
 * they stand is remembered outside of it, so that nothing in the area is believed.
 *
 * What was given back is not used again while a BPF program might still be looking at it.
 */
#ifndef RECORDER_AREA_H
#define RECORDER_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder_extent {
  uint32_t at;
  uint32_t size;
};

struct recorder_extents {
  struct recorder_extent *items;
  uint32_t count;
  uint32_t capacity;
};

struct recorder_area {
  uint8_t *bytes;
  uint32_t size;                /* a power of two */
  bool own;                     /* the memory is the area's */
  struct recorder_extents free; /* in ascending order; none touches the next */
  struct recorder_extents left; /* given back, but maybe still looked at */
};

/* bytes is the BPF programs' memory and stays the caller's; NULL: memory of the area's own, which no program
 * looks at. 0 or -errno. */
int recorder_area_init(struct recorder_area *area, void *bytes, uint32_t size);
void recorder_area_clear(struct recorder_area *area);

/* Where `size` bytes may be written; 0 when there is no room. May wait some milliseconds for programs to
 * finish. */
uint32_t recorder_area_take(struct recorder_area *area, uint32_t size);
/* Gives a block back, of the size that was taken; no process or mapping that programs can find may lead to it
 * any more. */
void recorder_area_give(struct recorder_area *area, uint32_t at, uint32_t size);
/* Bytes that are not in use, in whatever pieces. */
uint32_t recorder_area_room(const struct recorder_area *area);

#endif
