/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file with DWARF: its units, and what they share. */
#ifndef DWARF_FILE_PRIVATE_H
#define DWARF_FILE_PRIVATE_H

#include "dwarf/dwarf-map-private.h"
#include "dwarf/dwarf-unit-private.h"

struct dwarf_file {
  struct dwarf_elf elf;
  struct dwarf_budget *budget;
  struct dwarf_file *alternate; /* NULL: not given */
  bool lacks_alternate;         /* something was looked for in it */

  struct dwarf_unit *units; /* in the order of the file; those of .debug_types behind the others */
  uint32_t n_units;
  uint32_t n_info_units;
  uint32_t units_capacity;
  bool has_units;

  struct dwarf_map signatures; /* of type units */
  bool has_signatures;

  struct dwarf_map abbreviations_by_key;
  struct dwarf_abbreviations **abbreviations;
  uint32_t n_abbreviations;
  uint32_t abbreviations_capacity;

  struct dwarf_map lines_by_key;
  struct dwarf_line_table **lines;
  uint32_t n_lines;
  uint32_t lines_capacity;
};

/* As dwarf_elf_open(). The file must stay where it is. */
int dwarf_file_open(struct dwarf_file *file, const struct dwarf_bytes *bytes, bool split,
                    struct dwarf_budget *budget);

void dwarf_file_close(struct dwarf_file *file);

/* Reads the headers of all units, once. 0, -ENOMEM or -ETIME; damaged ones are left out. */
int dwarf_file_read_units(struct dwarf_file *file);

/* The unit that holds an offset in .debug_info, or NULL. */
struct dwarf_unit *dwarf_file_find_unit(struct dwarf_file *file, uint64_t offset);

/* The type unit with a signature, or NULL. */
struct dwarf_unit *dwarf_file_find_type(struct dwarf_file *file, uint64_t signature);

/* What was added with a key, or NULL. */
struct dwarf_abbreviations *dwarf_file_find_abbreviations(const struct dwarf_file *file, uint64_t key);
struct dwarf_line_table *dwarf_file_find_lines(const struct dwarf_file *file, uint64_t key);

/* Takes what is added. 0 or -ENOMEM. */
int dwarf_file_add_abbreviations(struct dwarf_file *file, uint64_t key, struct dwarf_abbreviations *table);
int dwarf_file_add_lines(struct dwarf_file *file, uint64_t key, struct dwarf_line_table *table);

#endif
