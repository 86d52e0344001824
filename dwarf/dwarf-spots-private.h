/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The asked addresses of one unit, and what its entries and lines say of each. */
#ifndef DWARF_SPOTS_PRIVATE_H
#define DWARF_SPOTS_PRIVATE_H

#include "dwarf/dwarf-elf-private.h"

struct dwarf_spot {
  uint64_t address;
  uint64_t start; /* the nearest bounds on both sides */
  uint64_t end;
  uint64_t length;   /* of the shortest range of a function that holds it */
  uint64_t sequence; /* where the rows begin that its line is from */
  uint32_t function; /* of that range; DWARF_SPOT_NONE */
  uint32_t asked;    /* which of all addresses it is */
  uint32_t file;
  uint32_t line;
  uint32_t column;
  bool has_line;
};

#define DWARF_SPOT_NONE UINT32_MAX

struct dwarf_spots {
  struct dwarf_spot *items; /* ascending */
  uint32_t n;
};

/* The first at or behind an address; n: there is none. */
uint32_t dwarf_spots_search(const struct dwarf_spots *spots, uint64_t address);

/* Something begins or ends there. */
void dwarf_spots_bound(struct dwarf_spots *spots, uint64_t address);

/* A function's range: of several that hold an address the shortest counts, and of equal ones the last, since
 * entries follow those that hold them. How many spots lie in it. */
uint32_t dwarf_spots_hold(struct dwarf_spots *spots, const struct dwarf_stretch *stretch, uint32_t function);

/* What bounds one address bounds those beyond it too: makes the stretches of spots equal or apart. */
void dwarf_spots_settle(struct dwarf_spots *spots);

#endif
