/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of Go programs without DWARF: what the runtime knows of their functions (unwind/unwind-go.h). */
#ifndef DWARF_GO_PRIVATE_H
#define DWARF_GO_PRIVATE_H

#include "dwarf/dwarf-builder-private.h"
#include "unwind/unwind-go.h"

/* Adds the places of n addresses in ascending order. 0, -ENOMEM or -ETIME. */
int dwarf_go_find(const struct unwind_go *go, struct dwarf_builder *builder, const uint64_t *addresses,
                  size_t n);

#endif
