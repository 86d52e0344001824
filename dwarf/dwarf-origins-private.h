/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions, through the entries that a function's own refers to: its abstract instance, its
 * declaration in a class; in the same unit, in another, in a type unit, or in the alternate file. */
#ifndef DWARF_ORIGINS_PRIVATE_H
#define DWARF_ORIGINS_PRIVATE_H

#include "dwarf/dwarf-entry-private.h"
#include "dwarf/dwarf-map-private.h"

struct dwarf_names {
  struct dwarf_string name;
  bool is_linkage_name;
  struct dwarf_unit *unit; /* that counts the file where it is declared; NULL: none does */
  uint64_t file;
  uint64_t line; /* 0: not known */
};

struct dwarf_origins {
  struct dwarf_map by_entry;
  struct dwarf_names *items;
  uint32_t n;
  uint32_t capacity;
};

/* What an entry that was read says, and where it says nothing, what those say that it refers to. */
void dwarf_origins_find(struct dwarf_origins *origins, struct dwarf_unit *unit,
                        const struct dwarf_entry *entry, struct dwarf_names *ret);

void dwarf_origins_clear(struct dwarf_origins *origins);

#endif
