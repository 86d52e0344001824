/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of a line program: its names of files, and how the program is to be read. */
#ifndef DWARF_LINE_TABLE_PRIVATE_H
#define DWARF_LINE_TABLE_PRIVATE_H

#include "dwarf/dwarf-unit-private.h"

struct dwarf_line_file {
  struct dwarf_string name;
  uint64_t directory;
  struct dwarf_text text; /* what became of it in the places numbered text_of */
  uint32_t text_of;
};

struct dwarf_line_table {
  struct dwarf_budget *budget;
  const uint8_t *program;
  const uint8_t *end;
  const uint8_t *lengths; /* of operands of standard opcodes, from the first on */
  uint16_t version;
  uint8_t offset_size;
  uint8_t address_size;
  uint8_t instruction_length;
  uint8_t n_operations; /* of one instruction */
  uint8_t line_range;
  uint8_t opcode_base;
  int8_t line_base;
  struct dwarf_string unit_directory;
  struct dwarf_string *directories;
  uint32_t n_directories;
  uint32_t directories_capacity;
  struct dwarf_line_file *files;
  uint32_t n_files;
  uint32_t files_capacity;
};

/* The table of a unit, or of its skeleton: read once for all units that share it. NULL: it has none that can
 * be read. */
struct dwarf_line_table *dwarf_line_table_read(struct dwarf_unit *unit);

void dwarf_line_table_free(struct dwarf_line_table *table);

/* The file with a number, as programs and entries count them; NULL where there is none. */
struct dwarf_line_file *dwarf_line_table_find(struct dwarf_line_table *table, uint64_t number);

/* Writes a file's path, made absolute where its directory is known, and not terminated. Its length; what is
 * longer than DWARF_TEXT_MAX is cut. */
size_t dwarf_line_table_write_path(const struct dwarf_line_table *table, const struct dwarf_line_file *file,
                                   char ret[DWARF_TEXT_MAX]);

#endif
