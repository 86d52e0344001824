/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From 64 bits to an index. One value a key. */
#ifndef DWARF_MAP_PRIVATE_H
#define DWARF_MAP_PRIVATE_H

#include "dwarf/dwarf-budget-private.h"

#define DWARF_MAP_NONE UINT32_MAX

struct dwarf_map_item;

struct dwarf_map {
  struct dwarf_map_item *items;
  uint32_t n;
  uint32_t capacity; /* a power of two, or 0 */
};

/* The value of a key, or DWARF_MAP_NONE. */
uint32_t dwarf_map_find(const struct dwarf_map *map, uint64_t key);

/* Adds or replaces. 0 or -ENOMEM. */
int dwarf_map_set(struct dwarf_map *map, struct dwarf_budget *budget, uint64_t key, uint32_t value);

/* Forgets all keys, and keeps the memory. */
void dwarf_map_empty(struct dwarf_map *map);

void dwarf_map_clear(struct dwarf_map *map);

#endif
