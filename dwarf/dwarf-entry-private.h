/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Those attributes of one function's entry that matter here, as they stand there: where its code is, and what
 * else is told of it. */
#ifndef DWARF_ENTRY_PRIVATE_H
#define DWARF_ENTRY_PRIVATE_H

#include "dwarf/dwarf-abbreviations-private.h"

struct dwarf_extent {
  struct dwarf_value low_pc;
  struct dwarf_value high_pc;
  struct dwarf_value ranges;
  struct dwarf_value sibling;
};

struct dwarf_entry {
  struct dwarf_value name;
  struct dwarf_value linkage_name;
  struct dwarf_value declared_file;
  struct dwarf_value declared_line;
  struct dwarf_value call_file;
  struct dwarf_value call_line;
  struct dwarf_value call_column;
  struct dwarf_value abstract_origin;
  struct dwarf_value specification;
};

/* *at stands behind an entry's code, and then behind the entry. */
bool dwarf_entry_read_extent(const struct dwarf_unit *unit, const struct dwarf_abbreviation *abbreviation,
                             const uint8_t **at, struct dwarf_extent *ret);

/* Of a whole entry of a unit. */
bool dwarf_entry_read(struct dwarf_unit *unit, const uint8_t *at, struct dwarf_entry *ret);

#endif
