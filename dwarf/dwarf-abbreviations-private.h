/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of abbreviations: what attributes entries have, and what of an entry can be skipped at once. */
#ifndef DWARF_ABBREVIATIONS_PRIVATE_H
#define DWARF_ABBREVIATIONS_PRIVATE_H

#include "dwarf/dwarf-forms-private.h"

enum dwarf_abbreviation_flags {
  DWARF_HAS_CHILDREN = 1 << 0,
  DWARF_HAS_CODE = 1 << 1,      /* a function, here, with addresses */
  DWARF_IS_INLINED = 1 << 2,    /* an inlined subroutine, whether it has addresses or not */
  DWARF_IS_FUNCTION = 1 << 3,   /* a subprogram, likewise */
  DWARF_HOLDS_NO_CODE = 1 << 4, /* nothing below it is a function */
  DWARF_HAS_SIBLING = 1 << 5
};

struct dwarf_abbreviation {
  uint64_t code;
  uint32_t first_attribute;
  uint32_t n_attributes;
  uint32_t first_step;
  uint32_t n_steps;
  uint32_t tail;          /* bytes behind the last step */
  uint32_t sibling_step;  /* with DWARF_HAS_SIBLING: so many steps stand before the reference, */
  uint32_t sibling_fixed; /* and then so many bytes */
  uint32_t sibling;       /* the attribute */
  uint16_t tag;
  uint16_t flags; /* enum dwarf_abbreviation_flags */
};

/* Bytes of attributes of fixed size, then one of another form. */
struct dwarf_step {
  uint32_t fixed;
  uint16_t form;
};

struct dwarf_abbreviations {
  struct dwarf_abbreviation *items; /* by code */
  struct dwarf_attribute *attributes;
  struct dwarf_step *steps;
  uint32_t n;
  uint32_t n_attributes;
  uint32_t n_steps;
  uint32_t capacity;
  uint32_t attributes_capacity;
  uint32_t steps_capacity;
};

/* Where a table's definitions are read one by one. */
struct dwarf_definitions {
  const uint8_t *at;
  const uint8_t *end;
  uint32_t n_attributes; /* read of the definition */
};

struct dwarf_definition {
  uint64_t code;
  uint16_t tag;
  bool has_children;
};

/* Begins with the next definition: 1, 0 at the table's end, or -EBADMSG. */
int dwarf_definitions_next(struct dwarf_definitions *definitions, struct dwarf_definition *ret);

/* Its next attribute: 1, 0 after the last, or -EBADMSG. */
int dwarf_definitions_next_attribute(struct dwarf_definitions *definitions, struct dwarf_attribute *ret);

/* The table of a unit, read once for all units that share it. 0, -EBADMSG, -ENOMEM. */
int dwarf_abbreviations_read(struct dwarf_unit *unit);

void dwarf_abbreviations_free(struct dwarf_abbreviations *table);

const struct dwarf_abbreviation *dwarf_abbreviations_search(const struct dwarf_abbreviations *table,
                                                            uint64_t code);

/* NULL for a code that the table does not have. */
static inline const struct dwarf_abbreviation *
dwarf_abbreviations_find(const struct dwarf_abbreviations *table, uint64_t code)
{
  if (code - 1 < table->n && table->items[code - 1].code == code)
    return &table->items[code - 1];
  return dwarf_abbreviations_search(table, code);
}

/* Moves *at over n of an entry's steps, and over so many bytes behind them. */
static inline bool dwarf_steps_skip(const struct dwarf_unit *unit,
                                    const struct dwarf_abbreviation *abbreviation,
                                    const struct dwarf_abbreviations *table, uint32_t n, uint32_t fixed,
                                    const uint8_t **at)
{
  for (uint32_t i = 0; i < n; i++) {
    const struct dwarf_step *step = &table->steps[abbreviation->first_step + i];
    if ((size_t)(unit->end - *at) < step->fixed)
      return false;
    *at += step->fixed;
    if (!dwarf_form_skip(unit, step->form, at))
      return false;
  }
  if ((size_t)(unit->end - *at) < fixed)
    return false;
  *at += fixed;
  return true;
}

/* Moves *at, which stands behind an entry's code, behind the entry. */
static inline bool dwarf_abbreviation_skip(const struct dwarf_unit *unit,
                                           const struct dwarf_abbreviation *abbreviation,
                                           const struct dwarf_abbreviations *table, const uint8_t **at)
{
  return dwarf_steps_skip(unit, abbreviation, table, abbreviation->n_steps, abbreviation->tail, at);
}

/* Reads where the entry beside one stands, with DWARF_HAS_SIBLING; *at stands behind the entry's code. */
static inline bool dwarf_abbreviation_read_sibling(const struct dwarf_unit *unit,
                                                   const struct dwarf_abbreviation *abbreviation,
                                                   const struct dwarf_abbreviations *table,
                                                   const uint8_t **at, struct dwarf_value *ret)
{
  return dwarf_steps_skip(unit, abbreviation, table, abbreviation->sibling_step, abbreviation->sibling_fixed,
                          at) &&
         dwarf_attribute_read(unit, &table->attributes[abbreviation->sibling], at, ret);
}

#endif
