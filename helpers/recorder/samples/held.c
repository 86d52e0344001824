/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/held.h"

#include <string.h>

void recorder_held_init(struct recorder_held_queue *queue)
{
  *queue = (struct recorder_held_queue){.end = &queue->first};
}

/* Moves what *part leads to behind what was kept already. */
static void held_keep(struct recorder_held *held, uint32_t *at, const uint64_t **part, uint32_t count)
{
  if (count != 0)
    memcpy(held->words + *at, *part, count * sizeof **part);
  *part = held->words + *at;
  *at += count;
}

void recorder_held_push(struct recorder_held_queue *queue, const struct recorder_sample *sample,
                        const struct recorder_thread *thread, struct recorder_layout *layout,
                        const struct recorder_binary *awaited)
{
  size_t words = sample->n_kernel + sample->waker.n_kernel + sample->waker.n_user;
  size_t size = sizeof(struct recorder_held) + words * sizeof(uint64_t) + sample->start.size;
  struct recorder_held *held = recorder_held_memory_take(&queue->memory, size);
  *held = (struct recorder_held){.sample = *sample, .thread = *thread, .awaited = awaited, .layout = layout};
  held->thread.memo = NULL;
  uint32_t at = 0;
  held_keep(held, &at, &held->sample.kernel, sample->n_kernel);
  held_keep(held, &at, &held->sample.waker.kernel, sample->waker.n_kernel);
  held_keep(held, &at, &held->sample.waker.user, sample->waker.n_user);
  held->sample.start.bytes = (const uint8_t *)(held->words + at);
  if (sample->start.size != 0)
    memcpy(held->words + at, sample->start.bytes, sample->start.size);
  *queue->end = held;
  queue->end = &held->next;
  queue->count++;
}

struct recorder_held *recorder_held_take(struct recorder_held_queue *queue, struct recorder_held **place)
{
  struct recorder_held *held = *place;
  *place = held->next;
  if (queue->end == &held->next)
    queue->end = place;
  queue->count--;
  return held;
}

void recorder_held_free(struct recorder_held_queue *queue, struct recorder_held *held)
{
  recorder_held_memory_give(&queue->memory, held);
  if (queue->count == 0)
    recorder_held_memory_trim(&queue->memory, 1);
}

void recorder_held_clear(struct recorder_held_queue *queue)
{
  recorder_held_memory_trim(&queue->memory, 0);
}
