/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tasks/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"

#define CAPACITY_MIN 16u
/* With more than these no sane process lives; one that makes the most of them must not make each cost all. */
#define COMPARED_MAX 4096u

struct recorder_mappings *recorder_mappings_share(struct recorder_mappings *mappings)
{
  if (mappings != NULL)
    mappings->references++;
  return mappings;
}

void recorder_mappings_release(struct recorder_mappings *mappings, struct recorder_binaries *binaries)
{
  if (mappings == NULL || --mappings->references != 0)
    return;
  for (uint32_t i = 0; i < mappings->count; i++)
    recorder_binaries_release(binaries, mappings->items[i].binary);
  free(mappings);
}

/* The first mapping that ends behind address. */
static uint32_t mappings_position(const struct recorder_mappings *mappings, uint64_t address)
{
  uint32_t low = 0, high = mappings->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (mappings->items[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct recorder_mapping *recorder_mappings_find(const struct recorder_mappings *mappings,
                                                      uint64_t address)
{
  if (mappings == NULL)
    return NULL;
  uint32_t at = mappings_position(mappings, address);
  return at < mappings->count && mappings->items[at].start <= address ? &mappings->items[at] : NULL;
}

/* Makes *place nobody else's, with room for two more: a range cut in the middle leaves two. */
static struct recorder_mappings *make_own(struct recorder_mappings **place)
{
  struct recorder_mappings *old = *place;
  uint32_t needed = (old != NULL ? old->count : 0) + 2;
  if (old != NULL && old->references == 1 && needed <= old->capacity)
    return old;
  uint32_t capacity = needed < CAPACITY_MIN ? CAPACITY_MIN : needed + needed / 2;
  size_t size = sizeof *old + capacity * sizeof old->items[0];
  struct recorder_mappings *own;
  if (old != NULL && old->references == 1) {
    own = recorder_reallocate(old, 1, size);
  } else {
    own = recorder_allocate(1, size);
    own->references = 1;
    own->count = old != NULL ? old->count : 0;
    for (uint32_t i = 0; i < own->count; i++) {
      own->items[i] = old->items[i];
      own->items[i].binary->references++;
    }
    if (old != NULL)
      old->references--;
  }
  own->capacity = capacity;
  *place = own;
  return own;
}

static void mappings_insert(struct recorder_mappings *mappings, uint32_t at,
                            const struct recorder_mapping *mapping)
{
  memmove(&mappings->items[at + 1], &mappings->items[at], (mappings->count - at) * sizeof mappings->items[0]);
  mappings->items[at] = *mapping;
  mappings->count++;
}

/* Takes [start, end) out of what is mapped; returns where a mapping of that range belongs. */
static uint32_t mappings_cut(struct recorder_mappings *mappings, struct recorder_binaries *binaries,
                             uint64_t start, uint64_t end)
{
  uint32_t at = mappings_position(mappings, start);
  if (at < mappings->count && mappings->items[at].start < start) {
    struct recorder_mapping rest = mappings->items[at];
    mappings->items[at].end = start;
    at++;
    if (rest.end > end) {
      rest.offset += end - rest.start;
      rest.start = end;
      rest.binary->references++;
      mappings_insert(mappings, at, &rest);
      return at;
    }
  }
  uint32_t covered = at;
  while (covered < mappings->count && mappings->items[covered].end <= end)
    recorder_binaries_release(binaries, mappings->items[covered++].binary);
  memmove(&mappings->items[at], &mappings->items[covered],
          (mappings->count - covered) * sizeof mappings->items[0]);
  mappings->count -= covered - at;
  if (at < mappings->count && mappings->items[at].start < end) {
    mappings->items[at].offset += end - mappings->items[at].start;
    mappings->items[at].start = end;
  }
  return at;
}

/* A file offset that stands at two addresses would not lead back to the one that was sampled. What has no
 * file is known by its address alone. */
static void mark_ambiguous(struct recorder_mappings *mappings, struct recorder_mapping *added)
{
  uint64_t length = added->end - added->start;
  if ((added->binary->key.flags & CAPTURE_BINARY_SPECIAL) != 0)
    return;
  if (mappings->count > COMPARED_MAX) {
    added->ambiguous = true;
    return;
  }
  for (uint32_t i = 0; i < mappings->count; i++) {
    struct recorder_mapping *other = &mappings->items[i];
    if (other == added || other->binary != added->binary)
      continue;
    if (added->offset - other->offset < other->end - other->start || other->offset - added->offset < length)
      other->ambiguous = added->ambiguous = true;
  }
}

struct recorder_mapping *recorder_mappings_add(struct recorder_mappings **place,
                                               struct recorder_binaries *binaries,
                                               const struct recorder_mapping *mapping)
{
  struct recorder_mappings *mappings = make_own(place);
  uint32_t at = mappings_cut(mappings, binaries, mapping->start, mapping->end);
  mappings_insert(mappings, at, mapping);
  mark_ambiguous(mappings, &mappings->items[at]);
  return &mappings->items[at];
}
