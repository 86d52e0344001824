/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what was found about a unit's spots to places and frames. */
#ifndef DWARF_FRAMES_PRIVATE_H
#define DWARF_FRAMES_PRIVATE_H

#include "dwarf/dwarf-builder-private.h"
#include "dwarf/dwarf-inlines-private.h"
#include "dwarf/dwarf-origins-private.h"

struct dwarf_frames {
  struct dwarf_builder *builder;
  struct dwarf_origins *origins;
  struct dwarf_inlines *inlines;
  struct dwarf_unit *unit; /* whose entries were walked */
};

/* Adds the places of settled spots. 0, -ENOMEM or -ETIME. */
int dwarf_frames_add(const struct dwarf_frames *frames, const struct dwarf_spots *spots);

#endif
