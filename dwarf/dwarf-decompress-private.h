/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DECOMPRESS_PRIVATE_H
#define DWARF_DECOMPRESS_PRIVATE_H

#include "dwarf/dwarf-budget-private.h"

enum dwarf_compression {
  DWARF_COMPRESSION_64, /* SHF_COMPRESSED of files of 64 bits */
  DWARF_COMPRESSION_32,
  DWARF_COMPRESSION_GNU /* .zdebug_* */
};

/* The content of a compressed section, to be freed with free(). 0, -EBADMSG, -ENOMEM, or
 * -ETIME. */
int dwarf_decompress(struct dwarf_budget *budget, const struct dwarf_bytes *section,
                     enum dwarf_compression kind, struct dwarf_bytes *ret);

#endif
