/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-map-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 64u

struct dwarf_map_item {
  uint64_t key;
  uint32_t value; /* one more than it; 0: free */
};

/* Keys are addresses and identities of others: all bits shall count. */
static uint64_t map_mix(uint64_t key)
{
  key ^= key >> 32;
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

static struct dwarf_map_item *map_find_item(const struct dwarf_map *map, uint64_t key)
{
  uint32_t mask = map->capacity - 1;

  for (uint32_t at = (uint32_t)map_mix(key) & mask;; at = (at + 1) & mask)
    if (map->items[at].value == 0 || map->items[at].key == key)
      return &map->items[at];
}

uint32_t dwarf_map_find(const struct dwarf_map *map, uint64_t key)
{
  return map->capacity == 0 ? DWARF_MAP_NONE : map_find_item(map, key)->value - 1;
}

static int map_grow(struct dwarf_map *map, struct dwarf_budget *budget)
{
  struct dwarf_map grown = {.capacity = map->capacity ? 2 * map->capacity : CAPACITY_MIN, .n = map->n};

  if (map->capacity > UINT32_MAX / 4)
    return -ENOMEM;
  grown.items = dwarf_budget_allocate(budget, grown.capacity, sizeof *grown.items);
  if (!grown.items)
    return -ENOMEM;
  for (uint32_t i = 0; i < map->capacity; i++)
    if (map->items[i].value != 0)
      *map_find_item(&grown, map->items[i].key) = map->items[i];
  dwarf_budget_free(budget, map->items, map->capacity, sizeof *map->items);
  *map = grown;
  return 0;
}

int dwarf_map_set(struct dwarf_map *map, struct dwarf_budget *budget, uint64_t key, uint32_t value)
{
  struct dwarf_map_item *item;

  if (map->n >= map->capacity / 2) {
    int error = map_grow(map, budget);

    if (error < 0)
      return error;
  }
  item = map_find_item(map, key);
  map->n += item->value == 0;
  *item = (struct dwarf_map_item){key, value + 1};
  return 0;
}

void dwarf_map_empty(struct dwarf_map *map)
{
  if (map->n > 0)
    memset(map->items, 0, map->capacity * sizeof *map->items);
  map->n = 0;
}

void dwarf_map_clear(struct dwarf_map *map)
{
  free(map->items);
  *map = (struct dwarf_map){0};
}
