/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a Go program is found by its runtime.firstmoduledata alone, which has no symbol in stripped ones.
 */
#ifndef UNWIND_GO_MODULE_PRIVATE_H
#define UNWIND_GO_MODULE_PRIVATE_H

#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-go.h"

struct unwind_go_module {
  uint64_t text; /* 0: not known */
  struct unwind_bytes inlined;
};

/* Of the table at an address, whose names stand at another one. */
void unwind_go_module_find(const struct unwind_elf *elf, uint64_t table, uint64_t names, bool is_1_18,
                           struct unwind_go_module *ret);

/* An entry of a tree of inlined calls. */
struct unwind_go_call {
  uint32_t name;
  uint32_t caller; /* from the function's start */
  uint32_t line;   /* where the function that was inlined begins; 0: not known */
};

bool unwind_go_call_read(const struct unwind_go_bytes *inlined, uint64_t tree, uint32_t index, bool is_1_18,
                         struct unwind_go_call *ret);

/* The name at an offset of the table's names. */
struct unwind_go_text unwind_go_name(const struct unwind_go *go, uint32_t offset);

#endif
