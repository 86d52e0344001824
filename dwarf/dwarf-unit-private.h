/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit: its header, and what its first entry says of all of it. */
#ifndef DWARF_UNIT_PRIVATE_H
#define DWARF_UNIT_PRIVATE_H

#include "dwarf/dwarf-elf-private.h"

struct dwarf_abbreviations;
struct dwarf_file;
struct dwarf_line_table;

struct dwarf_string {
  const char *text; /* not terminated */
  size_t length;
};

enum dwarf_value_kind {
  DWARF_VALUE_NONE,
  DWARF_VALUE_NUMBER, /* or an offset in a section */
  DWARF_VALUE_ADDRESS,
  DWARF_VALUE_ADDRESS_INDEX,
  DWARF_VALUE_LIST_INDEX, /* of ranges */
  DWARF_VALUE_STRING,
  DWARF_VALUE_STRING_INDEX,
  DWARF_VALUE_STRING_OFFSET,      /* in .debug_str */
  DWARF_VALUE_STRING_LINE_OFFSET, /* in .debug_line_str */
  DWARF_VALUE_STRING_ALTERNATE,   /* in .debug_str of the alternate file */
  DWARF_VALUE_REFERENCE,          /* in this unit */
  DWARF_VALUE_REFERENCE_SECTION,
  DWARF_VALUE_REFERENCE_ALTERNATE,
  DWARF_VALUE_REFERENCE_SIGNATURE,
  DWARF_VALUE_BYTES
};

struct dwarf_value {
  enum dwarf_value_kind kind;
  uint64_t number; /* or index, offset, signature */
  struct dwarf_string string;
};

/* Pieces of a package's sections, by enum dwarf_section. */
struct dwarf_contributions {
  struct dwarf_bytes sections[DWARF_N_SECTIONS];
};

enum dwarf_unit_state { DWARF_UNIT_UNREAD, DWARF_UNIT_READ, DWARF_UNIT_DAMAGED };

struct dwarf_unit {
  struct dwarf_file *file;
  const uint8_t *start;   /* its header */
  const uint8_t *entries; /* behind that */
  const uint8_t *end;
  uint64_t offset; /* in .debug_info */
  uint64_t abbreviations_at;
  uint64_t signature; /* of a type unit; or what a split unit and its skeleton have in common */
  uint64_t type_at;   /* from its start */
  const struct dwarf_contributions *contributions; /* NULL: all of the file's sections */
  struct dwarf_unit *skeleton;                     /* of a split unit */
  uint16_t version;
  uint8_t offset_size;
  uint8_t address_size;
  uint8_t type;    /* enum dwarf_unit_type */
  uint8_t state;   /* enum dwarf_unit_state: of what follows */
  uint16_t tag;    /* of its first entry */
  bool has_low_pc; /* low_pc is one; otherwise it is 0 */
  bool has_signature;
  uint64_t low_pc;
  struct dwarf_value high_pc;
  struct dwarf_value ranges;
  struct dwarf_value line_table;
  struct dwarf_value directory;  /* a string */
  struct dwarf_value split_name; /* likewise, of a skeleton: its .dwo file */
  uint64_t string_offsets_base;
  uint64_t address_base;
  uint64_t range_lists_base;
  uint64_t ranges_base;
  struct dwarf_abbreviations *abbreviations; /* once they were needed */
  struct dwarf_line_table *lines;            /* likewise; NULL where there is none */
  bool has_looked_for_lines;
};

/* Reads a header at `at`, of .debug_types when `is_type`. 0; -EBADMSG with ret->end where the next one
 * begins, NULL where that is not known. `section` is where it lies. */
int dwarf_unit_read_header(struct dwarf_unit *ret, struct dwarf_file *file, const struct dwarf_bytes *section,
                           const uint8_t *at, bool is_type);

/* Reads the first entry, once. 0, -EBADMSG or -ETIME. */
int dwarf_unit_read(struct dwarf_unit *unit);

/* The part of a section that is this unit's. */
struct dwarf_bytes dwarf_unit_section(const struct dwarf_unit *unit, enum dwarf_section kind);

/* The address with an index in .debug_addr. */
bool dwarf_unit_find_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret);

/* An address, from whatever form has it. */
bool dwarf_unit_get_address(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret);

/* A string, from whatever form has it; empty where there is none. */
struct dwarf_string dwarf_unit_get_string(const struct dwarf_unit *unit, const struct dwarf_value *value);

/* An offset or address of the unit's size, at an offset in a section. */
bool dwarf_unit_read_at(const struct dwarf_bytes *section, uint64_t offset, uint8_t size, uint64_t *ret);

#endif
