/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From addresses to units, by what units say themselves: .debug_aranges is not complete in many files. */
#ifndef DWARF_INDEX_PRIVATE_H
#define DWARF_INDEX_PRIVATE_H

#include "dwarf/dwarf-unit-private.h"

struct dwarf_index_item {
  struct dwarf_stretch stretch;
  uint64_t reach; /* the largest end up to here */
  struct dwarf_unit *unit;
};

struct dwarf_index {
  struct dwarf_budget *budget;
  struct dwarf_index_item *items;
  uint32_t n;
  uint32_t capacity;
};

int dwarf_index_add(struct dwarf_index *index, const struct dwarf_stretch *stretch, struct dwarf_unit *unit);

/* Before anything is looked up. */
void dwarf_index_settle(struct dwarf_index *index);

/* The unit whose shortest range holds an address, of equal ones the first; NULL: none does. */
const struct dwarf_index_item *dwarf_index_find(const struct dwarf_index *index, uint64_t address);

#endif
