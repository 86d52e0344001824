/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the entries of a unit, once for all addresses that were asked for. */
#ifndef DWARF_INLINES_PRIVATE_H
#define DWARF_INLINES_PRIVATE_H

#include "dwarf/dwarf-index-private.h"
#include "dwarf/dwarf-spots-private.h"

struct dwarf_function {
  const uint8_t *entry;
  uint32_t parent; /* the function that it is inlined in; DWARF_SPOT_NONE */
  bool is_inlined;
  bool is_named; /* what follows is there */
  struct dwarf_text call_file;
  uint32_t call_line;
  uint32_t call_column;
  struct dwarf_frame frame; /* without its line */
};

/* Functions that hold spots, and memory for the next unit's. */
struct dwarf_inlines {
  struct dwarf_budget *budget;
  struct dwarf_function *functions;
  uint32_t n_functions;
  uint32_t functions_capacity;
  uint32_t *levels; /* the function whose entries are read at each depth; DWARF_SPOT_NONE */
  uint32_t n_levels;
  uint32_t levels_capacity;
};

/* Says to each spot which function holds it. 0, -EBADMSG, -ENOMEM, -ETIME. */
int dwarf_inlines_find(struct dwarf_inlines *inlines, struct dwarf_unit *unit, struct dwarf_spots *spots);

/* Adds the ranges of a unit's functions to an index, for a unit that does not say which are its own.
 * Likewise. */
int dwarf_inlines_index(struct dwarf_inlines *inlines, struct dwarf_unit *unit, struct dwarf_index *index);

void dwarf_inlines_clear(struct dwarf_inlines *inlines);

#endif
