/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_LINES_PRIVATE_H
#define DWARF_LINES_PRIVATE_H

#include "dwarf/dwarf-line-table-private.h"
#include "dwarf/dwarf-spots-private.h"

/* Runs a line program, and says to each spot which row holds it. `code` is the file whose addresses they are.
 * 0, -EBADMSG where the program ends before its end (what came before counts), or -ETIME. */
int dwarf_lines_find(const struct dwarf_line_table *table, const struct dwarf_elf *code,
                     struct dwarf_spots *spots);

#endif
