/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways in which values of attributes stand in entries. */
#ifndef DWARF_FORMS_PRIVATE_H
#define DWARF_FORMS_PRIVATE_H

#include "dwarf/dwarf-unit-private.h"

struct dwarf_attribute {
  uint16_t name; /* 0: none that is known */
  uint16_t form;
  int32_t constant; /* of FORM_IMPLICIT_CONST; 0 for larger ones, of which there are none here */
};

/* How many bytes a form takes in a unit of these sizes; -1: that differs, or the form is not known. */
int dwarf_form_size(uint16_t form, uint16_t version, uint8_t offset_size, uint8_t address_size);

/* Moves *at behind a value. False: it is damaged, or of a form that is not known. */
bool dwarf_form_skip(const struct dwarf_unit *unit, uint16_t form, const uint8_t **at);

/* Reads a value and moves *at behind it. */
bool dwarf_form_read(const struct dwarf_unit *unit, const struct dwarf_attribute *attribute,
                     const uint8_t **at, struct dwarf_value *ret);

#endif
