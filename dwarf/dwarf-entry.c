/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-entry-private.h"

#include <stddef.h>

#include "dwarf/dwarf-constants-private.h"
#include "unwind/unwind-bytes-private.h"

static struct dwarf_value *extent_find(struct dwarf_extent *extent, uint16_t name)
{
  switch (name) {
  case AT_LOW_PC:
    return &extent->low_pc;
  case AT_HIGH_PC:
    return &extent->high_pc;
  case AT_RANGES:
    return &extent->ranges;
  case AT_SIBLING:
    return &extent->sibling;
  default:
    return NULL;
  }
}

static struct dwarf_value *entry_find(struct dwarf_entry *entry, uint16_t name)
{
  switch (name) {
  case AT_NAME:
    return &entry->name;
  case AT_LINKAGE_NAME:
  case AT_MIPS_LINKAGE_NAME:
    return &entry->linkage_name;
  case AT_DECL_FILE:
    return &entry->declared_file;
  case AT_DECL_LINE:
    return &entry->declared_line;
  case AT_CALL_FILE:
    return &entry->call_file;
  case AT_CALL_LINE:
    return &entry->call_line;
  case AT_CALL_COLUMN:
    return &entry->call_column;
  case AT_ABSTRACT_ORIGIN:
    return &entry->abstract_origin;
  case AT_SPECIFICATION:
    return &entry->specification;
  default:
    return NULL;
  }
}

static const struct dwarf_attribute *attribute_at(const struct dwarf_unit *unit,
                                                  const struct dwarf_abbreviation *abbreviation, uint32_t i)
{
  return &unit->abbreviations->attributes[abbreviation->first_attribute + i];
}

bool dwarf_entry_read_extent(const struct dwarf_unit *unit, const struct dwarf_abbreviation *abbreviation,
                             const uint8_t **at, struct dwarf_extent *ret)
{
  *ret = (struct dwarf_extent){0};
  for (uint32_t i = 0; i < abbreviation->n_attributes; i++) {
    const struct dwarf_attribute *attribute = attribute_at(unit, abbreviation, i);
    struct dwarf_value *value = extent_find(ret, attribute->name);

    if (!(value ? dwarf_attribute_read(unit, attribute, at, value)
                : dwarf_attribute_skip(unit, attribute, at)))
      return false;
  }
  return true;
}

static bool entry_read_attributes(const struct dwarf_unit *unit,
                                  const struct dwarf_abbreviation *abbreviation, const uint8_t *at,
                                  struct dwarf_entry *ret)
{
  *ret = (struct dwarf_entry){0};
  for (uint32_t i = 0; i < abbreviation->n_attributes; i++) {
    const struct dwarf_attribute *attribute = attribute_at(unit, abbreviation, i);
    struct dwarf_value *value = entry_find(ret, attribute->name);

    if (!(value ? dwarf_attribute_read(unit, attribute, &at, value)
                : dwarf_attribute_skip(unit, attribute, &at)))
      return false;
  }
  return true;
}

bool dwarf_entry_read(struct dwarf_unit *unit, const uint8_t *at, struct dwarf_entry *ret)
{
  const struct dwarf_abbreviation *abbreviation;
  uint64_t code;

  if (dwarf_abbreviations_read(unit) < 0 || !unwind_read_uleb(&at, unit->end, &code))
    return false;
  abbreviation = dwarf_abbreviations_find(unit->abbreviations, code);
  return abbreviation && entry_read_attributes(unit, abbreviation, at, ret);
}
