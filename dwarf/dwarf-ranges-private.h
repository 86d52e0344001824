/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stretches of addresses of an entry, one by one. */
#ifndef DWARF_RANGES_PRIVATE_H
#define DWARF_RANGES_PRIVATE_H

#include "dwarf/dwarf-unit-private.h"

enum dwarf_ranges_kind {
  DWARF_RANGES_NONE,
  DWARF_RANGES_SINGLE,
  DWARF_RANGES_PAIRS, /* .debug_ranges */
  DWARF_RANGES_LIST   /* .debug_rnglists */
};

struct dwarf_ranges {
  const struct dwarf_unit *unit;
  const uint8_t *at;
  const uint8_t *end;
  uint64_t base;
  struct dwarf_stretch single;
  enum dwarf_ranges_kind kind;
};

/* Of an entry with these three attributes; those that it does not have are of no kind. False: it has no
 * range, or one that is damaged. */
bool dwarf_ranges_open(struct dwarf_ranges *ret, const struct dwarf_unit *unit, const struct dwarf_value *low,
                       const struct dwarf_value *high, const struct dwarf_value *list);

/* The ranges of all of a unit. */
bool dwarf_ranges_open_unit(struct dwarf_ranges *ret, const struct dwarf_unit *unit);

/* The next range that is not empty and not of removed code. False: there are no more. */
bool dwarf_ranges_next(struct dwarf_ranges *ranges, struct dwarf_stretch *ret);

#endif
