/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was needed for an address and not given. */
#ifndef DWARF_MISSING_PRIVATE_H
#define DWARF_MISSING_PRIVATE_H

#include "dwarf/dwarf-builder-private.h"
#include "dwarf/dwarf-file-private.h"

/* The other half of a skeleton. 0 or -ENOMEM. */
int dwarf_missing_add_split(struct dwarf_builder *builder, const struct dwarf_unit *skeleton);

/* The alternate file of a file that names one. Likewise. */
int dwarf_missing_add_alternate(struct dwarf_builder *builder, struct dwarf_file *file);

#endif
