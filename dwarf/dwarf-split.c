/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-split-private.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/dwarf-constants-private.h"

void dwarf_split_open(struct dwarf_split *split, const struct dwarf_files *given, struct dwarf_budget *budget)
{
  *split = (struct dwarf_split){.budget = budget, .given = given};
}

bool dwarf_split_is_skeleton(const struct dwarf_unit *unit)
{
  return unit->has_signature &&
         (unit->type == UT_SKELETON || (unit->version < 5 && unit->split_name.kind != DWARF_VALUE_NONE));
}

static int split_add(struct dwarf_split *split, struct dwarf_unit *unit)
{
  if (split->n_units == split->units_capacity) {
    void *grown =
        dwarf_budget_grow(split->budget, split->units, &split->units_capacity, sizeof *split->units);

    if (!grown)
      return -ENOMEM;
    split->units = grown;
  }
  split->units[split->n_units++] = unit;
  return dwarf_map_set(&split->by_signature, split->budget, unit->signature, split->n_units - 1);
}

/* The identity stands in the header since DWARF 5, and in the first entry before. */
static int split_add_units(struct dwarf_split *split, struct dwarf_file *file)
{
  int error = dwarf_file_read_units(file);

  for (uint32_t i = 0; i < file->n_units && error == 0; i++) {
    struct dwarf_unit *unit = &file->units[i];

    if (unit->type != UT_SPLIT_COMPILE && unit->type != UT_COMPILE)
      continue;
    error = dwarf_unit_read(unit);
    if (error == 0 && unit->has_signature)
      error = split_add(split, unit);
    if (error == -EBADMSG) {
      split->budget->damaged = true;
      error = 0;
    }
  }
  return error;
}

/* What cannot be opened stays closed: nothing is found in it. */
static bool split_open_file(struct dwarf_split *split, struct dwarf_file *file,
                            const struct dwarf_bytes *bytes)
{
  if (file->budget)
    return true;
  if (bytes->bytes && dwarf_file_open(file, bytes, true, split->budget) == 0)
    return true;
  split->budget->damaged = true;
  *file = (struct dwarf_file){0};
  return false;
}

/* Goes on with the file at which time ended. */
static int split_read_files(struct dwarf_split *split)
{
  int error = 0;

  if (!split->files)
    split->files = dwarf_budget_allocate(split->budget, split->given->n_dwo, sizeof *split->files);
  if (!split->files)
    return -ENOMEM;
  for (; split->n_read < split->given->n_dwo; split->n_read++) {
    struct dwarf_file *file = &split->files[split->n_read];

    if (split_open_file(split, file, &split->given->dwo[split->n_read]))
      error = split_add_units(split, file);
    if (error < 0)
      return error;
  }
  return 0;
}

static void split_read_package(struct dwarf_split *split)
{
  const struct dwarf_bytes *package = &split->given->package;

  split->has_package = dwarf_file_open(&split->package_file, package, true, split->budget) == 0;
  if (!split->has_package || dwarf_package_open(&split->package, &split->package_file) < 0)
    split->budget->damaged = true;
}

static int split_read(struct dwarf_split *split)
{
  if (split->given->package.bytes && !split->has_looked_for_package)
    split_read_package(split);
  split->has_looked_for_package = true;
  return split->given->n_dwo > 0 ? split_read_files(split) : 0;
}

static int split_keep_packaged(struct dwarf_split *split, struct dwarf_split_unit *unit)
{
  if (split->n_packaged == split->packaged_capacity) {
    void *grown =
        dwarf_budget_grow(split->budget, split->packaged, &split->packaged_capacity, sizeof *split->packaged);

    if (!grown)
      return -ENOMEM;
    split->packaged = grown;
  }
  split->packaged[split->n_packaged++] = unit;
  return 0;
}

static int split_unit_open(struct dwarf_split *split, struct dwarf_split_unit *ret, uint64_t signature)
{
  const struct dwarf_bytes *section = &ret->contributions.sections[DWARF_SECTION_INFO];
  struct dwarf_unit *unit = &ret->unit;
  int error = section->size > 0
                  ? dwarf_unit_read_header(unit, &split->package_file, section, section->bytes, false)
                  : -EBADMSG;

  if (error < 0)
    return error;
  unit->contributions = &ret->contributions;
  error = dwarf_unit_read(unit);
  if (error < 0 || !unit->has_signature || unit->signature != signature)
    return -EBADMSG;
  error = split_keep_packaged(split, ret);
  return error < 0 ? error : split_add(split, unit);
}

static struct dwarf_unit *split_find_packaged(struct dwarf_split *split, uint64_t signature)
{
  struct dwarf_split_unit *found;
  struct dwarf_contributions contributions;

  if (!split->has_package || !dwarf_package_find(&split->package, signature, &contributions))
    return NULL;
  found = dwarf_budget_allocate(split->budget, 1, sizeof *found);
  if (!found)
    return NULL;
  found->contributions = contributions;
  if (split_unit_open(split, found, signature) == 0)
    return &found->unit;
  split->budget->damaged = true;
  if (split->n_packaged == 0 || split->packaged[split->n_packaged - 1] != found)
    dwarf_budget_free(split->budget, found, 1, sizeof *found);
  return NULL;
}

struct dwarf_unit *dwarf_split_find(struct dwarf_split *split, struct dwarf_unit *skeleton)
{
  struct dwarf_unit *unit;
  uint32_t i;

  if (split_read(split) == -ETIME)
    return NULL;
  i = dwarf_map_find(&split->by_signature, skeleton->signature);
  unit = i < split->n_units ? split->units[i] : split_find_packaged(split, skeleton->signature);
  if (unit)
    unit->skeleton = skeleton;
  return unit;
}

void dwarf_split_close(struct dwarf_split *split)
{
  for (uint32_t i = 0; i < split->n_packaged; i++)
    free(split->packaged[i]);
  for (size_t i = 0; split->files && i < split->given->n_dwo; i++)
    dwarf_file_close(&split->files[i]);
  if (split->has_package)
    dwarf_file_close(&split->package_file);
  free(split->files);
  free(split->units);
  free(split->packaged);
  dwarf_map_clear(&split->by_signature);
}
