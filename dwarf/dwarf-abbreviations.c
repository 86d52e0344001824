/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-abbreviations-private.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-file-private.h"
#include "unwind/unwind-bytes-private.h"

#define FIXED_MAX ((uint32_t)1 << 30)

/* Some take no bytes in an entry, which would then take more time than its size tells; compilers use thirty.
 */
#define ATTRIBUTES_MAX 512

int dwarf_definitions_next(struct dwarf_definitions *definitions, struct dwarf_definition *ret)
{
  uint64_t tag;
  uint8_t children;

  definitions->n_attributes = 0;
  /* Some tables have no end but the section's. */
  if (definitions->at == definitions->end)
    return 0;
  if (!unwind_read_uleb(&definitions->at, definitions->end, &ret->code))
    return -EBADMSG;
  if (ret->code == 0)
    return 0;
  if (!unwind_read_uleb(&definitions->at, definitions->end, &tag) ||
      !unwind_read_uint8(&definitions->at, definitions->end, &children))
    return -EBADMSG;
  ret->tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
  ret->has_children = children != 0;
  return 1;
}

int dwarf_definitions_next_attribute(struct dwarf_definitions *definitions, struct dwarf_attribute *ret)
{
  uint64_t name, form;
  int64_t constant = 0;

  if (!unwind_read_uleb(&definitions->at, definitions->end, &name) ||
      !unwind_read_uleb(&definitions->at, definitions->end, &form) || form > UINT16_MAX ||
      ++definitions->n_attributes > ATTRIBUTES_MAX)
    return -EBADMSG;
  if (form == FORM_IMPLICIT_CONST && !unwind_read_sleb(&definitions->at, definitions->end, &constant))
    return -EBADMSG;
  *ret = (struct dwarf_attribute){.name = name <= UINT16_MAX ? (uint16_t)name : 0,
                                  .form = (uint16_t)form,
                                  .constant = constant == (int32_t)constant ? (int32_t)constant : 0};
  return name != 0 || form != 0;
}

static int abbreviations_add_attribute(struct dwarf_abbreviations *table, struct dwarf_budget *budget,
                                       const struct dwarf_attribute *attribute)
{
  if (table->n_attributes == table->attributes_capacity) {
    void *grown =
        dwarf_budget_grow(budget, table->attributes, &table->attributes_capacity, sizeof *attribute);

    if (!grown)
      return -ENOMEM;
    table->attributes = grown;
  }
  table->attributes[table->n_attributes++] = *attribute;
  return 0;
}

static int abbreviations_add_step(struct dwarf_abbreviations *table, struct dwarf_budget *budget,
                                  uint32_t fixed, uint16_t form)
{
  if (table->n_steps == table->steps_capacity) {
    void *grown = dwarf_budget_grow(budget, table->steps, &table->steps_capacity, sizeof *table->steps);

    if (!grown)
      return -ENOMEM;
    table->steps = grown;
  }
  table->steps[table->n_steps++] = (struct dwarf_step){fixed, form};
  return 0;
}

static int abbreviations_add(struct dwarf_abbreviations *table, struct dwarf_budget *budget,
                             const struct dwarf_abbreviation *abbreviation)
{
  if (table->n == table->capacity) {
    void *grown = dwarf_budget_grow(budget, table->items, &table->capacity, sizeof *abbreviation);

    if (!grown)
      return -ENOMEM;
    table->items = grown;
  }
  table->items[table->n++] = *abbreviation;
  return 0;
}

static bool tag_holds_no_code(uint16_t tag)
{
  switch (tag) {
  case TAG_ARRAY_TYPE:
  case TAG_ENUMERATION_TYPE:
  case TAG_FORMAL_PARAMETER:
  case TAG_SUBROUTINE_TYPE:
  case TAG_VARIABLE:
  case TAG_CALL_SITE:
  case TAG_GNU_CALL_SITE:
    return true;
  default:
    return false;
  }
}

static uint16_t definition_get_flags(const struct dwarf_definition *definition)
{
  return (uint16_t)((definition->has_children ? DWARF_HAS_CHILDREN : 0) |
                    (definition->tag == TAG_INLINED_SUBROUTINE ? DWARF_IS_INLINED : 0) |
                    (definition->tag == TAG_SUBPROGRAM ? DWARF_IS_FUNCTION : 0) |
                    (tag_holds_no_code(definition->tag) ? DWARF_HOLDS_NO_CODE : 0));
}

/* The next attribute is the sibling. */
static void abbreviation_note_sibling(struct dwarf_abbreviation *abbreviation,
                                      const struct dwarf_abbreviations *table)
{
  abbreviation->flags |= DWARF_HAS_SIBLING;
  abbreviation->sibling = table->n_attributes;
  abbreviation->sibling_step = table->n_steps - abbreviation->first_step;
  abbreviation->sibling_fixed = abbreviation->tail;
}

static void abbreviation_note(struct dwarf_abbreviation *abbreviation, uint16_t name)
{
  if (name == AT_DECLARATION && abbreviation->flags & DWARF_IS_FUNCTION)
    abbreviation->flags |= DWARF_HOLDS_NO_CODE;
  if ((name == AT_LOW_PC || name == AT_RANGES) &&
      abbreviation->flags & (DWARF_IS_INLINED | DWARF_IS_FUNCTION))
    abbreviation->flags |= DWARF_HAS_CODE;
}

static int abbreviations_read_attributes(struct dwarf_abbreviations *table, const struct dwarf_unit *unit,
                                         struct dwarf_definitions *definitions,
                                         struct dwarf_abbreviation *abbreviation)
{
  struct dwarf_budget *budget = unit->file->budget;
  struct dwarf_attribute attribute;
  int more, error;

  while ((more = dwarf_definitions_next_attribute(definitions, &attribute)) > 0) {
    int size = dwarf_form_size(attribute.form, unit->version, unit->offset_size, unit->address_size);

    dwarf_form_note_size(&attribute, size);
    if (attribute.name == AT_SIBLING)
      abbreviation_note_sibling(abbreviation, table);
    error = abbreviations_add_attribute(table, budget, &attribute);
    if (error == 0 && size < 0) {
      error = abbreviations_add_step(table, budget, abbreviation->tail, attribute.form);
      abbreviation->tail = 0;
    }
    if (error < 0)
      return error;
    if (size > 0 && abbreviation->tail < FIXED_MAX)
      abbreviation->tail += (uint32_t)size;
    abbreviation_note(abbreviation, attribute.name);
  }
  abbreviation->n_attributes = table->n_attributes - abbreviation->first_attribute;
  abbreviation->n_steps = table->n_steps - abbreviation->first_step;
  return more;
}

static int abbreviation_compare(const void *a, const void *b)
{
  const struct dwarf_abbreviation *x = a, *y = b;

  return x->code < y->code ? -1 : x->code > y->code;
}

/* Sorts what is not sorted yet. */
static void abbreviations_settle(struct dwarf_abbreviations *table)
{
  for (uint32_t i = 1; i < table->n; i++)
    if (table->items[i].code <= table->items[i - 1].code) {
      qsort(table->items, table->n, sizeof *table->items, abbreviation_compare);
      return;
    }
}

/* There is a table a unit, and all are kept. */
static void abbreviations_trim(struct dwarf_abbreviations *table, struct dwarf_budget *budget)
{
  table->items = dwarf_budget_trim(budget, table->items, &table->capacity, table->n, sizeof *table->items);
  table->attributes = dwarf_budget_trim(budget, table->attributes, &table->attributes_capacity,
                                        table->n_attributes, sizeof *table->attributes);
  table->steps =
      dwarf_budget_trim(budget, table->steps, &table->steps_capacity, table->n_steps, sizeof *table->steps);
}

static int abbreviations_fill(struct dwarf_abbreviations *table, const struct dwarf_unit *unit,
                              struct dwarf_definitions *definitions)
{
  struct dwarf_definition definition;
  int more;

  while ((more = dwarf_definitions_next(definitions, &definition)) > 0) {
    struct dwarf_abbreviation abbreviation = {.code = definition.code,
                                              .tag = definition.tag,
                                              .flags = definition_get_flags(&definition),
                                              .first_attribute = table->n_attributes,
                                              .first_step = table->n_steps};
    int error = abbreviations_read_attributes(table, unit, definitions, &abbreviation);

    if (error == 0)
      error = abbreviations_add(table, unit->file->budget, &abbreviation);
    if (error == 0)
      error = dwarf_budget_work(unit->file->budget, 1);
    if (error < 0)
      return error;
  }
  abbreviations_settle(table);
  abbreviations_trim(table, unit->file->budget);
  return more;
}

/* Sizes of forms depend on the unit, so units share a table only with their like. */
static uint64_t unit_get_key(const struct dwarf_unit *unit, const uint8_t *at)
{
  return (uint64_t)(uintptr_t)at << 8 | (uint64_t)(unit->version <= 2) << 2 |
         (uint64_t)(unit->offset_size == 8) << 1 | (uint64_t)(unit->address_size == 8);
}

int dwarf_abbreviations_read(struct dwarf_unit *unit)
{
  struct dwarf_file *file = unit->file;
  struct dwarf_bytes section = dwarf_unit_section(unit, DWARF_SECTION_ABBREV);
  const uint8_t *bytes = section.bytes;
  struct dwarf_definitions definitions;
  struct dwarf_abbreviations *table;
  uint64_t key;
  int error;

  if (unit->abbreviations)
    return 0;
  if (unit->abbreviations_at >= section.size)
    return -EBADMSG;
  key = unit_get_key(unit, bytes + unit->abbreviations_at);
  unit->abbreviations = dwarf_file_find_abbreviations(file, key);
  if (unit->abbreviations)
    return 0;
  definitions = (struct dwarf_definitions){.at = bytes + unit->abbreviations_at, .end = bytes + section.size};
  table = dwarf_budget_allocate(file->budget, 1, sizeof *table);
  error = table ? abbreviations_fill(table, unit, &definitions) : -ENOMEM;
  if (error == 0)
    error = dwarf_file_add_abbreviations(file, key, table);
  if (error < 0) {
    dwarf_abbreviations_free(table);
    return error;
  }
  unit->abbreviations = table;
  return 0;
}

void dwarf_abbreviations_free(struct dwarf_abbreviations *table)
{
  if (!table)
    return;
  free(table->items);
  free(table->attributes);
  free(table->steps);
  free(table);
}

const struct dwarf_abbreviation *dwarf_abbreviations_search(const struct dwarf_abbreviations *table,
                                                            uint64_t code)
{
  uint32_t first = 0, n = table->n;

  while (n > 0) {
    uint32_t half = n / 2;

    if (table->items[first + half].code < code) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first < table->n && table->items[first].code == code ? &table->items[first] : NULL;
}
