/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/misses.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"

/* A thousand whole stacks: threads may stay away for long. */
#define SIZE_MAX_ALL ((size_t)32 << 20)

struct recorder_miss {
  struct recorder_miss *previous;
  struct recorder_miss *next;
  uint64_t key;
  uint64_t since;
  size_t size;
  int32_t tid;
  uint32_t raw[]; /* struct recorder_raw and what follows it, aligned as in a ring */
};

_Static_assert((offsetof(struct recorder_miss, raw) + sizeof(struct recorder_raw)) % 8 == 0,
               "registers and stacks are aligned");

/* A thread leaves the CPU once at a time; it may wake many. */
static uint64_t key_of(enum recorder_raw_kind kind, int32_t tid, uint64_t since)
{
  return kind == RECORDER_RAW_OFF_CPU_MISS
             ? (uint32_t)tid
             : (since * UINT64_C(0x9e3779b97f4a7c15) + (uint32_t)tid) | UINT64_C(1) << 63;
}

void recorder_misses_init(struct recorder_misses *misses)
{
  *misses = (struct recorder_misses){0};
  recorder_table_init(&misses->table);
}

static void take_out(struct recorder_misses *misses, struct recorder_miss *miss)
{
  *(miss->previous != NULL ? &miss->previous->next : &misses->first) = miss->next;
  *(miss->next != NULL ? &miss->next->previous : &misses->last) = miss->previous;
  misses->size -= miss->size;
  recorder_table_remove(&misses->table, miss->key);
}

void recorder_misses_clear(struct recorder_misses *misses)
{
  for (struct recorder_miss *miss; (miss = misses->first) != NULL; free(miss))
    take_out(misses, miss);
  recorder_table_clear(&misses->table);
}

static void misses_drop(struct recorder_misses *misses, struct recorder_miss *miss)
{
  take_out(misses, miss);
  free(miss);
}

void recorder_misses_add(struct recorder_misses *misses, int32_t tid, const struct recorder_raw *raw,
                         size_t size)
{
  uint64_t since = (uint64_t)raw->ip[1] << 32 | raw->ip[0], key = key_of(raw->kind, tid, since);
  struct recorder_miss *before = recorder_table_find(&misses->table, key);
  if (before != NULL)
    misses_drop(misses, before);
  struct recorder_miss *miss = recorder_allocate(1, sizeof *miss + size);
  *miss = (struct recorder_miss){
      .previous = misses->last, .key = key, .since = since, .size = sizeof *miss + size, .tid = tid};
  memcpy(miss->raw, raw, size);
  *(misses->last != NULL ? &misses->last->next : &misses->first) = miss;
  misses->last = miss;
  misses->size += miss->size;
  recorder_table_set(&misses->table, key, miss);
  while (misses->size > SIZE_MAX_ALL && misses->first != miss)
    misses_drop(misses, misses->first);
}

struct recorder_miss *recorder_misses_take(struct recorder_misses *misses, enum recorder_raw_kind kind,
                                           int32_t tid, uint64_t since)
{
  struct recorder_miss *miss = recorder_table_find(&misses->table, key_of(kind, tid, since));
  if (miss == NULL || miss->tid != tid || miss->since != since)
    return NULL;
  take_out(misses, miss);
  return miss;
}

const struct recorder_raw *recorder_miss_raw(const struct recorder_miss *miss)
{
  return (const struct recorder_raw *)(const void *)miss->raw;
}

void recorder_miss_free(struct recorder_miss *miss)
{
  free(miss);
}
