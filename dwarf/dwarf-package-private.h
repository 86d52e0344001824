/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A package of split units (.dwp): which parts of its sections are whose. */
#ifndef DWARF_PACKAGE_PRIVATE_H
#define DWARF_PACKAGE_PRIVATE_H

#include "dwarf/dwarf-file-private.h"

struct dwarf_package {
  struct dwarf_file *file;
  const uint8_t *slots;   /* of a hash table of signatures */
  const uint8_t *rows;    /* of each slot */
  const uint8_t *columns; /* which sections there are */
  const uint8_t *offsets; /* by row and column */
  const uint8_t *sizes;
  uint32_t version;
  uint32_t n_columns;
  uint32_t n_rows;
  uint32_t n_slots;
};

/* Reads the index of a package. 0 or -EBADMSG. */
int dwarf_package_open(struct dwarf_package *package, struct dwarf_file *file);

/* Which parts are a split unit's. False: it is not in there. */
bool dwarf_package_find(const struct dwarf_package *package, uint64_t signature,
                        struct dwarf_contributions *ret);

#endif
