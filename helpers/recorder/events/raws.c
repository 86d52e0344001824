/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/raws.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"

static bool is_whole(const struct recorder_raw *raw, size_t size)
{
  if (size < sizeof *raw)
    return false;
  size -= sizeof *raw;
  if (raw->kind == RECORDER_RAW_NONE)
    return true;
  if (raw->kind == RECORDER_RAW_STACK)
    return raw->count <= size / sizeof(uint64_t);
  return (raw->kind == RECORDER_RAW_MISS || raw->kind == RECORDER_RAW_MORE) &&
         size >= sizeof(struct recorder_raw_registers) &&
         raw->count <= size - sizeof(struct recorder_raw_registers);
}

static void raws_store(struct recorder_waiting *waiting, const void *part, uint32_t size)
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

static struct recorder_raw *raw_of(const struct recorder_waiting *waiting)
{
  return (struct recorder_raw *)(void *)(waiting->bytes + sizeof(uint32_t));
}

/* More of the miss that came last, which must be that thread's as it stood then. Without it nothing is to be
 * done: it was lost. */
static void add_more(struct recorder_raws *raws, int32_t tid, uint64_t ip, const struct recorder_raw *more)
{
  const struct recorder_raw_registers *registers = recorder_raw_registers(more);
  struct recorder_waiting *waiting = raws->count != 0 ? &raws->items[raws->count - 1] : NULL;
  const size_t head = sizeof(uint32_t) + sizeof *more + sizeof *registers;
  if (waiting == NULL || waiting->tid != tid || waiting->ip != ip ||
      raw_of(waiting)->kind != RECORDER_RAW_MISS ||
      memcmp(recorder_raw_registers(raw_of(waiting)), registers, sizeof *registers) != 0 ||
      more->count > UINT16_MAX - raw_of(waiting)->count)
    return;
  size_t size = head + raw_of(waiting)->count, whole = size + more->count;
  if (waiting->capacity < whole) {
    waiting->bytes = recorder_reallocate(waiting->bytes, 1, whole);
    waiting->capacity = whole;
  }
  memcpy(waiting->bytes + size, registers + 1, more->count);
  raw_of(waiting)->count = (uint16_t)(raw_of(waiting)->count + more->count);
  waiting->size = (uint32_t)(whole - sizeof(uint32_t));
}

bool recorder_raws_push(struct recorder_raws *raws, int32_t tid, uint64_t ip, const void *part, uint32_t size)
{
  const struct recorder_raw *raw = (const struct recorder_raw *)((const uint8_t *)part + sizeof(uint32_t));
  if (!is_whole(raw, size))
    return false;
  if (raw->kind == RECORDER_RAW_MORE) {
    add_more(raws, tid, ip, raw);
    return true;
  }
  if (raws->count == RECORDER_RAWS_MAX)
    drop_oldest(raws);
  struct recorder_waiting *waiting = &raws->items[raws->count++];
  raws_store(waiting, part, size);
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
    return raw_of(waiting);
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
