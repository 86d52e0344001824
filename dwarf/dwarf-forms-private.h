/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways in which values of attributes stand in entries. */
#ifndef DWARF_FORMS_PRIVATE_H
#define DWARF_FORMS_PRIVATE_H

#include <stddef.h>
#include <string.h>

#include "dwarf/dwarf-unit-private.h"

struct dwarf_attribute {
  uint16_t name; /* 0: none that is known */
  uint16_t form;
  int32_t constant; /* of FORM_IMPLICIT_CONST; 0 for larger ones, of which there are none here */
  uint8_t size;     /* in a table of abbreviations, where a value is a number of 1, 2, 4 or 8 bytes; else 0 */
  uint8_t kind;     /* with that, enum dwarf_value_kind */
};

/* How many bytes a form takes in a unit of these sizes; -1: that differs, or the form is not known. */
int dwarf_form_size(uint16_t form, uint16_t version, uint8_t offset_size, uint8_t address_size);

/* Notes that an attribute's value has always so many bytes, if it makes reading faster. */
void dwarf_form_note_size(struct dwarf_attribute *attribute, int size);

/* Moves *at behind a value. False: it is damaged, or of a form that is not known. */
bool dwarf_form_skip(const struct dwarf_unit *unit, uint16_t form, const uint8_t **at);

/* Reads a value and moves *at behind it. */
bool dwarf_form_read(const struct dwarf_unit *unit, const struct dwarf_attribute *attribute,
                     const uint8_t **at, struct dwarf_value *ret);

/* The same, at once for what has a size. */
static inline bool dwarf_attribute_read(const struct dwarf_unit *unit,
                                        const struct dwarf_attribute *attribute, const uint8_t **at,
                                        struct dwarf_value *ret)
{
  uint64_t number;
  if (attribute->size == 0 || unit->end - *at < (ptrdiff_t)sizeof number)
    return dwarf_form_read(unit, attribute, at, ret);
  memcpy(&number, *at, sizeof number);
  *at += attribute->size;
  *ret = (struct dwarf_value){.kind = attribute->kind,
                              .number = number & UINT64_MAX >> (64 - 8 * attribute->size)};
  return true;
}

static inline bool dwarf_attribute_skip(const struct dwarf_unit *unit,
                                        const struct dwarf_attribute *attribute, const uint8_t **at)
{
  if (attribute->size == 0 || unit->end - *at < attribute->size)
    return dwarf_form_skip(unit, attribute->form, at);
  *at += attribute->size;
  return true;
}

#endif
