/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tasks/frames.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"

/* Most processes live for a few samples only; those that go on get more. */
#define ENTRIES_MIN 256u
#define ENTRIES_MAX 16384u

static void frames_resize(struct recorder_frames *frames, uint32_t count)
{
  free(frames->entries);
  frames->entries = recorder_allocate(count, sizeof *frames->entries);
  frames->mask = count - 1;
  frames->misses = 0;
}

void recorder_frames_store(struct recorder_frames *frames, uint64_t address, uint32_t frame, uint32_t epoch)
{
  if (frames->entries == NULL)
    frames_resize(frames, ENTRIES_MIN);
  else if (frames->misses > 2 * frames->mask && frames->mask + 1 < ENTRIES_MAX)
    frames_resize(frames, 4 * (frames->mask + 1));
  else if (frames->epoch != epoch)
    recorder_frames_forget(frames);
  frames->epoch = epoch;
  frames->misses++;
  struct recorder_frames_entry *entry = &frames->entries[recorder_frames_slot(address, frames->mask)];
  entry->address = address;
  entry->frame = frame;
}

void recorder_frames_forget(struct recorder_frames *frames)
{
  if (frames->entries != NULL)
    memset(frames->entries, 0, (frames->mask + 1) * sizeof *frames->entries);
}

void recorder_frames_clear(struct recorder_frames *frames)
{
  free(frames->entries);
  *frames = (struct recorder_frames){0};
}
