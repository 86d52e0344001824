/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "helpers/common/memory.h"

/* How much is read before the kernel gets the room back. */
#define RELEASE_BYTES 65536

/* A binary heap: the ring with the earliest record first. */
struct heap {
  struct recorder_ring **rings;
  uint32_t count;
};

static void merge_sink(struct heap *heap, uint32_t at)
{
  struct recorder_ring *ring = heap->rings[at];
  for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && heap->rings[child + 1]->time < heap->rings[child]->time)
      child++;
    if (ring->time <= heap->rings[child]->time)
      break;
    heap->rings[at] = heap->rings[child];
  }
  heap->rings[at] = ring;
}

/* The time up to which the first ring may go on alone. */
static uint64_t next_time(const struct heap *heap, uint64_t limit)
{
  for (uint32_t i = 1; i <= 2 && i < heap->count; i++)
    if (heap->rings[i]->time < limit)
      limit = heap->rings[i]->time;
  return limit;
}

/* Hands over the ring's records up to limit. */
static int merge_run(struct recorder_ring *ring, uint64_t limit, recorder_merge_fn fn, void *data)
{
  uint64_t released = ring->tail;
  int result = 0;
  while (result == 0 && ring->record != NULL && ring->time <= limit) {
    fn(ring, ring->record, data);
    recorder_ring_skip(ring);
    if (ring->tail - released >= RELEASE_BYTES) {
      recorder_ring_release(ring);
      released = ring->tail;
    }
    result = recorder_ring_peek(ring);
  }
  return result;
}

int recorder_merge(struct recorder_ring *const *rings, uint32_t n_rings, uint64_t limit, recorder_merge_fn fn,
                   void *data, struct recorder_ring **ret_bad)
{
  struct heap heap = {recorder_allocate(n_rings, sizeof *heap.rings), 0};
  int result = 0;
  for (uint32_t i = 0; result == 0 && i < n_rings; i++) {
    recorder_ring_look(rings[i]);
    result = recorder_ring_peek(rings[i]);
    if (result < 0)
      *ret_bad = rings[i];
    else if (rings[i]->record != NULL && rings[i]->time <= limit)
      heap.rings[heap.count++] = rings[i];
  }
  for (uint32_t i = heap.count / 2; i-- > 0;)
    merge_sink(&heap, i);
  while (result == 0 && heap.count != 0) {
    struct recorder_ring *first = heap.rings[0];
    result = merge_run(first, next_time(&heap, limit), fn, data);
    if (result < 0)
      *ret_bad = first;
    if (first->record == NULL || first->time > limit)
      heap.rings[0] = heap.rings[--heap.count];
    if (heap.count != 0)
      merge_sink(&heap, 0);
  }
  for (uint32_t i = 0; i < n_rings; i++)
    recorder_ring_release(rings[i]);
  free(heap.rings);
  return result;
}
