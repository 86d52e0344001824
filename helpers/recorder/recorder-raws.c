/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-raws.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/recorder/recorder-memory.h"

static bool is_whole(const struct recorder_raw *raw, size_t size)
{
  if (size < sizeof *raw)
    return false;
  size -= sizeof *raw;
  if (raw->kind == RECORDER_RAW_NONE)
    return true;
  if (raw->kind == RECORDER_RAW_STACK)
    return raw->count <= size / sizeof(uint64_t);
  return raw->kind == RECORDER_RAW_MISS && size >= sizeof(struct recorder_raw_registers) &&
         raw->count <= size - sizeof(struct recorder_raw_registers);
}

static void store(struct recorder_waiting *waiting, const void *part, uint32_t size)
{
  size_t whole = sizeof(uint32_t) + size;
  if (waiting->capacity < whole) {
    waiting->bytes = recorder_reallocate(waiting->bytes, 1, 2 * whole);
    waiting->capacity = 2 * whole;
  }
  memcpy(waiting->bytes, part, whole);
  waiting->size = size;
}

/* The oldest is given up; its memory is used again. */
static void drop_oldest(struct recorder_raws *raws)
{
  struct recorder_waiting oldest = raws->items[0];
  memmove(&raws->items[0], &raws->items[1], (RECORDER_RAWS_MAX - 1) * sizeof oldest);
  raws->items[RECORDER_RAWS_MAX - 1] = oldest;
  raws->count--;
}

bool recorder_raws_push(struct recorder_raws *raws, int32_t tid, uint64_t ip, const void *part, uint32_t size)
{
  if (!is_whole((const struct recorder_raw *)((const uint8_t *)part + sizeof(uint32_t)), size))
    return false;
  if (raws->count == RECORDER_RAWS_MAX)
    drop_oldest(raws);
  struct recorder_waiting *waiting = &raws->items[raws->count++];
  store(waiting, part, size);
  waiting->tid = tid;
  waiting->ip = ip;
  return true;
}

/* A thread that is being reaped by its parent may lose its numbers in between. */
static bool is_thread(const struct recorder_waiting *waiting, int32_t tid)
{
  return waiting->tid == tid || waiting->tid <= 0 || tid <= 0;
}

const struct recorder_raw *recorder_raws_take(struct recorder_raws *raws, int32_t tid, uint64_t ip)
{
  for (uint32_t i = raws->count; i-- > 0;) {
    const struct recorder_waiting *waiting = &raws->items[i];
    if (!is_thread(waiting, tid) || waiting->ip != ip)
      continue;
    raws->count = i;
    return (const struct recorder_raw *)(waiting->bytes + sizeof(uint32_t));
  }
  return NULL;
}

void recorder_raws_drop(struct recorder_raws *raws)
{
  raws->count = 0;
}

void recorder_raws_clear(struct recorder_raws *raws)
{
  for (uint32_t i = 0; i < RECORDER_RAWS_MAX; i++)
    free(raws->items[i].bytes);
  *raws = (struct recorder_raws){0};
}
