/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-origins-private.h"

#include <stdlib.h>

#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-file-private.h"

/* Compilers make three; a circle ends there. */
#define STEPS_MAX 16

/* An entry, and the unit that it stands in. */
struct place {
  struct dwarf_unit *unit;
  const uint8_t *entry;
};

static bool place_set(struct place *place, struct dwarf_unit *unit, uint64_t offset)
{
  if (!unit || dwarf_unit_read(unit) < 0 || offset >= (uint64_t)(unit->end - unit->start) ||
      unit->start + offset < unit->entries)
    return false;
  *place = (struct place){unit, unit->start + offset};
  return true;
}

static bool place_find_in(struct place *place, struct dwarf_file *file, uint64_t offset)
{
  struct dwarf_unit *unit = dwarf_file_find_unit(file, offset);

  return unit && place_set(place, unit, offset - unit->offset);
}

static bool place_find_alternate(struct place *place, struct dwarf_file *file, uint64_t offset)
{
  if (!file->alternate) {
    file->lacks_alternate = true;
    return false;
  }
  return place_find_in(place, file->alternate, offset);
}

/* What an attribute refers to, from the unit where it stands. */
static bool place_find(struct place *place, const struct dwarf_value *value)
{
  struct dwarf_unit *unit = place->unit;

  switch (value->kind) {
  case DWARF_VALUE_REFERENCE:
    return place_set(place, unit, value->number);
  case DWARF_VALUE_REFERENCE_SECTION:
    return place_find_in(place, unit->file, value->number);
  case DWARF_VALUE_REFERENCE_ALTERNATE:
    return place_find_alternate(place, unit->file, value->number);
  case DWARF_VALUE_REFERENCE_SIGNATURE:
    unit = dwarf_file_find_type(unit->file, value->number);
    return unit && place_set(place, unit, unit->type_at);
  default:
    return false;
  }
}

static void names_add_declaration(struct dwarf_names *names, struct dwarf_unit *unit,
                                  const struct dwarf_entry *entry)
{
  if (!names->unit && entry->declared_file.kind == DWARF_VALUE_NUMBER) {
    names->unit = unit;
    names->file = entry->declared_file.number;
  }
  if (names->line == 0 && entry->declared_line.kind == DWARF_VALUE_NUMBER)
    names->line = entry->declared_line.number;
}

/* What is nearest counts, and a linkage name more than another. */
static void names_add(struct dwarf_names *names, struct dwarf_unit *unit, const struct dwarf_entry *entry)
{
  struct dwarf_string linkage_name = dwarf_unit_get_string(unit, &entry->linkage_name);

  if (!names->is_linkage_name && linkage_name.length > 0) {
    names->name = linkage_name;
    names->is_linkage_name = true;
  }
  if (names->name.length == 0)
    names->name = dwarf_unit_get_string(unit, &entry->name);
  names_add_declaration(names, unit, entry);
}

static const struct dwarf_value *entry_get_origin(const struct dwarf_entry *entry)
{
  return entry->abstract_origin.kind != DWARF_VALUE_NONE ? &entry->abstract_origin : &entry->specification;
}

static void place_follow(struct place place, struct dwarf_names *names)
{
  struct dwarf_entry entry;

  for (int i = 0; i < STEPS_MAX; i++) {
    if (!dwarf_entry_read(place.unit, place.entry, &entry))
      return;
    names_add(names, place.unit, &entry);
    if (!place_find(&place, entry_get_origin(&entry)))
      return;
  }
}

static void origins_keep(struct dwarf_origins *origins, struct dwarf_budget *budget,
                         const struct place *place, const struct dwarf_names *names)
{
  if (origins->n == origins->capacity) {
    void *grown = dwarf_budget_grow(budget, origins->items, &origins->capacity, sizeof *names);

    if (!grown)
      return;
    origins->items = grown;
  }
  if (dwarf_map_set(&origins->by_entry, budget, (uint64_t)(uintptr_t)place->entry, origins->n) == 0)
    origins->items[origins->n++] = *names;
}

/* One function is inlined in many places. */
static struct dwarf_names origins_get(struct dwarf_origins *origins, const struct place *place)
{
  uint32_t i = dwarf_map_find(&origins->by_entry, (uint64_t)(uintptr_t)place->entry);
  struct dwarf_budget *budget = place->unit->file->budget;
  struct dwarf_names names = {0};

  if (i < origins->n)
    return origins->items[i];
  place_follow(*place, &names);
  if (!budget->out_of_time)
    origins_keep(origins, budget, place, &names);
  return names;
}

static void names_merge(struct dwarf_names *names, const struct dwarf_names *other)
{
  if ((!names->is_linkage_name && other->is_linkage_name) || names->name.length == 0) {
    names->name = other->name;
    names->is_linkage_name = other->is_linkage_name;
  }
  if (!names->unit) {
    names->unit = other->unit;
    names->file = other->file;
  }
  if (names->line == 0)
    names->line = other->line;
}

void dwarf_origins_find(struct dwarf_origins *origins, struct dwarf_unit *unit,
                        const struct dwarf_entry *entry, struct dwarf_names *ret)
{
  struct place place = {.unit = unit};

  *ret = (struct dwarf_names){0};
  names_add(ret, unit, entry);
  if (place_find(&place, entry_get_origin(entry))) {
    struct dwarf_names other = origins_get(origins, &place);

    names_merge(ret, &other);
  }
}

void dwarf_origins_clear(struct dwarf_origins *origins)
{
  dwarf_map_clear(&origins->by_entry);
  free(origins->items);
  *origins = (struct dwarf_origins){0};
}
