/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the unwind information of a file. */
#ifndef UNWIND_LOCATE_PRIVATE_H
#define UNWIND_LOCATE_PRIVATE_H

#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-order-private.h"

struct unwind_source {
  struct unwind_section section;
  bool until_zero;           /* where it ends is not known; a length of zero does it */
  struct unwind_order order; /* the linker's; n is 0 without */
  void *owned;               /* the bytes, where they had to be decompressed */
  size_t owned_size;
};

/* An executable range of addresses. */
struct unwind_range {
  uint64_t start;
  uint64_t end;
};

/* .eh_frame: by the program headers, by the section headers, and where neither tells by looking for it; what
 * it describes lies in `code`. */
bool unwind_locate_eh_frame(const struct unwind_elf *elf, struct unwind_range code,
                            struct unwind_source *ret);

/* .debug_frame. 0, -ENODATA, -EBADMSG or -ENOMEM. */
int unwind_locate_debug_frame(const struct unwind_elf *elf, struct unwind_source *ret);

void unwind_source_clear(struct unwind_source *source);

#endif
