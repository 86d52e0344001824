/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SLOTS 4096u

/* Tables are entered at random, so what is behind the first of these is asked for in huge pages; a small
 * table stays small. */
#define HUGE_PAGE ((size_t)2 << 20)

static void *map_zeroes(size_t size)
{
  char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (map == MAP_FAILED)
    return NULL;
  if (size > HUGE_PAGE)
    (void)madvise(map + HUGE_PAGE, size - HUGE_PAGE, MADV_HUGEPAGE);
  return map;
}

/* A power of two that leaves at least half of the slots empty. */
static size_t max_slots(uint32_t max)
{
  size_t slots = FIRST_SLOTS;

  while (slots / 2 < max)
    slots *= 2;
  return slots;
}

static size_t pairs_size(const struct capture_table *table)
{
  return ((size_t)table->max + 1) * sizeof table->pairs[0];
}

static size_t slots_size(const struct capture_table *table)
{
  return max_slots(table->max) * sizeof table->slots[0];
}

int capture_table_create(struct capture_table *table, uint32_t max, uint64_t seed)
{
  *table = (struct capture_table){.seed = seed, .mask = FIRST_SLOTS - 1, .max = max};
  table->pairs = map_zeroes(pairs_size(table));
  table->slots = map_zeroes(slots_size(table));
  if (table->pairs && table->slots)
    return 0;
  capture_table_destroy(table);
  return -ENOMEM;
}

void capture_table_destroy(struct capture_table *table)
{
  if (table->pairs)
    munmap(table->pairs, pairs_size(table));
  if (table->slots)
    munmap(table->slots, slots_size(table));
  table->pairs = NULL;
  table->slots = NULL;
}

void capture_table_clear(struct capture_table *table)
{
  table->count = 0;
  table->mask = FIRST_SLOTS - 1;
  memset(table->slots, 0, FIRST_SLOTS * sizeof table->slots[0]);
}

static uint64_t hash_pair(const struct capture_table *table, struct capture_pair pair)
{
  uint64_t key = ((uint64_t)pair.high << 32 | pair.low) ^ table->seed;
  unsigned __int128 product = (unsigned __int128)key * 0x9e3779b97f4a7c15u;

  key = (uint64_t)product ^ (uint64_t)(product >> 64) ^ table->seed;
  product = (unsigned __int128)key * 0xd6e8feb86659fd93u;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint32_t capture_table_find(const struct capture_table *table, struct capture_pair pair)
{
  for (uint32_t at = (uint32_t)hash_pair(table, pair) & table->mask;; at = (at + 1) & table->mask) {
    const struct capture_table_pair_slot *slot = &table->slots[at];

    if (slot->id == 0 || (slot->pair.high == pair.high && slot->pair.low == pair.low))
      return slot->id;
  }
}

static void table_put(struct capture_table *table, uint32_t id)
{
  uint32_t at = (uint32_t)hash_pair(table, table->pairs[id]) & table->mask;

  while (table->slots[at].id != 0)
    at = (at + 1) & table->mask;
  table->slots[at] = (struct capture_table_pair_slot){.pair = table->pairs[id], .id = id};
}

static void double_slots(struct capture_table *table)
{
  table->mask = table->mask * 2 + 1;
  memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof table->slots[0]);
  for (uint32_t id = 1; id <= table->count; id++)
    table_put(table, id);
}

uint32_t capture_table_add(struct capture_table *table, struct capture_pair pair)
{
  uint32_t id = ++table->count;

  table->pairs[id] = pair;
  if (id > table->mask / 2 + 1)
    double_slots(table);
  else
    table_put(table, id);
  return id;
}
