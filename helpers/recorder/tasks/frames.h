/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers the frame of an address, so that a hot address costs one look. One for each address space, one
 * for the kernel. */
#ifndef RECORDER_FRAMES_H
#define RECORDER_FRAMES_H

#include <stdint.h>

struct recorder_frames_entry {
  uint64_t address; /* 0: free */
  uint32_t frame;
  uint32_t reserved;
};

struct recorder_frames {
  struct recorder_frames_entry *entries; /* NULL while nothing was stored */
  uint32_t mask;
  uint32_t epoch;  /* of all frames */
  uint32_t misses; /* since it grew */
};

static inline uint32_t recorder_frames_slot(uint64_t address, uint32_t mask)
{
  return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & mask;
}

/* The frame, or 0. */
static inline uint32_t recorder_frames_find(const struct recorder_frames *frames, uint64_t address,
                                            uint32_t epoch)
{
  if (frames->entries == 0 || frames->epoch != epoch)
    return 0;
  const struct recorder_frames_entry *entry = &frames->entries[recorder_frames_slot(address, frames->mask)];
  return entry->address == address ? entry->frame : 0;
}

/* Stores; what stood in its place is forgotten. */
void recorder_frames_store(struct recorder_frames *frames, uint64_t address, uint32_t frame, uint32_t epoch);
/* Forgets all, as when the mappings changed. */
void recorder_frames_forget(struct recorder_frames *frames);
/* Frees its memory; it may be used again. */
void recorder_frames_clear(struct recorder_frames *frames);

#endif
