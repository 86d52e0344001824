/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other halves of units whose entries stand in .dwo files or in a package. */
#ifndef DWARF_SPLIT_PRIVATE_H
#define DWARF_SPLIT_PRIVATE_H

#include "dwarf/dwarf-package-private.h"

struct dwarf_split_unit {
  struct dwarf_unit unit;
  struct dwarf_contributions contributions;
};

struct dwarf_split {
  struct dwarf_budget *budget;
  const struct dwarf_files *given;
  struct dwarf_file *files; /* as many as .dwo were given; those that could not be opened are empty */
  size_t n_read;
  struct dwarf_file package_file;
  struct dwarf_package package;
  bool has_package;
  bool has_looked_for_package;
  struct dwarf_map by_signature;
  struct dwarf_unit **units;
  uint32_t n_units;
  uint32_t units_capacity;
  struct dwarf_split_unit **packaged;
  uint32_t n_packaged;
  uint32_t packaged_capacity;
};

void dwarf_split_open(struct dwarf_split *split, const struct dwarf_files *given,
                      struct dwarf_budget *budget);

/* Whether a unit is a skeleton, whose entries stand elsewhere. */
bool dwarf_split_is_skeleton(const struct dwarf_unit *unit);

/* The other half of a skeleton, or NULL where it was not given or cannot be read. */
struct dwarf_unit *dwarf_split_find(struct dwarf_split *split, struct dwarf_unit *skeleton);

void dwarf_split_close(struct dwarf_split *split);

#endif
