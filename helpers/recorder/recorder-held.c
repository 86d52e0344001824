/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-held.h"

#include <string.h>

#include "helpers/recorder/recorder-memory.h"

void recorder_held_init(struct recorder_held_queue *queue)
{
  *queue = (struct recorder_held_queue){.end = &queue->first};
}

void recorder_held_push(struct recorder_held_queue *queue, const struct recorder_sample *sample,
                        const struct recorder_thread *thread, struct recorder_layout *layout)
{
  size_t kernel = sample->n_kernel * sizeof *sample->kernel;
  size_t size = sizeof(struct recorder_held) + kernel + sample->start.size;
  struct recorder_held *held = recorder_allocate(1, size);
  held->size = size;
  held->sample = *sample;
  held->thread = *thread;
  held->thread.memo = NULL;
  held->layout = layout;
  if (kernel != 0)
    memcpy(held->words, sample->kernel, kernel);
  held->sample.kernel = held->words;
  held->sample.start.bytes = (const uint8_t *)(held->words + sample->n_kernel);
  if (sample->start.size != 0)
    memcpy(held->words + sample->n_kernel, sample->start.bytes, sample->start.size);
  *queue->end = held;
  queue->end = &held->next;
  queue->size += size;
  queue->count++;
}

struct recorder_held *recorder_held_take(struct recorder_held_queue *queue, struct recorder_held **place)
{
  struct recorder_held *held = *place;
  *place = held->next;
  if (queue->end == &held->next)
    queue->end = place;
  queue->size -= held->size;
  queue->count--;
  return held;
}
