/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-file-private.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/dwarf-abbreviations-private.h"
#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-line-table-private.h"

int dwarf_file_open(struct dwarf_file *file, const struct dwarf_bytes *bytes, bool split,
                    struct dwarf_budget *budget)
{
  *file = (struct dwarf_file){.budget = budget};
  return dwarf_elf_open(&file->elf, bytes, split, budget);
}

void dwarf_file_close(struct dwarf_file *file)
{
  for (uint32_t i = 0; i < file->n_abbreviations; i++)
    dwarf_abbreviations_free(file->abbreviations[i]);
  for (uint32_t i = 0; i < file->n_lines; i++)
    dwarf_line_table_free(file->lines[i]);
  free(file->abbreviations);
  free(file->lines);
  free(file->units);
  dwarf_map_clear(&file->signatures);
  dwarf_map_clear(&file->abbreviations_by_key);
  dwarf_map_clear(&file->lines_by_key);
  dwarf_elf_close(&file->elf);
}

static int file_add_unit(struct dwarf_file *file, const struct dwarf_unit *unit)
{
  if (file->n_units == file->units_capacity) {
    void *grown = dwarf_budget_grow(file->budget, file->units, &file->units_capacity, sizeof *unit);

    if (!grown)
      return -ENOMEM;
    file->units = grown;
  }
  file->units[file->n_units++] = *unit;
  return dwarf_budget_work(file->budget, 8);
}

/* *base counts on over sections of one name. */
static int file_read_section(struct dwarf_file *file, const struct dwarf_bytes *section, bool is_type,
                             uint64_t *base)
{
  const uint8_t *bytes = section->bytes, *at = bytes;
  int error = 0;

  while (error == 0 && at < bytes + section->size) {
    struct dwarf_unit unit;

    if (dwarf_unit_read_header(&unit, file, section, at, is_type) == 0) {
      unit.offset = *base + (uint64_t)(at - bytes);
      error = file_add_unit(file, &unit);
    } else if (unit.end != at + sizeof(uint32_t)) {
      file->budget->damaged = true; /* a length of 0 pads */
    }
    if (!unit.end)
      break;
    at = unit.end;
  }
  *base += section->size;
  return error;
}

static int file_read_sections(struct dwarf_file *file, enum dwarf_section kind)
{
  struct dwarf_bytes section;
  uint64_t base = 0;
  uint32_t i = 0;
  int error = 0;

  while (error == 0 && dwarf_elf_next(&file->elf, kind, &i, &section))
    error = file_read_section(file, &section, kind == DWARF_SECTION_TYPES, &base);
  return error;
}

int dwarf_file_read_units(struct dwarf_file *file)
{
  int error;

  if (file->has_units)
    return 0;
  file->n_units = 0;
  error = file_read_sections(file, DWARF_SECTION_INFO);
  file->n_info_units = file->n_units;
  if (error == 0)
    error = file_read_sections(file, DWARF_SECTION_TYPES);
  file->has_units = error == 0;
  if (error < 0)
    file->n_units = file->n_info_units = 0;
  return error;
}

struct dwarf_unit *dwarf_file_find_unit(struct dwarf_file *file, uint64_t offset)
{
  uint32_t first = 0, n = dwarf_file_read_units(file) == 0 ? file->n_info_units : 0;
  struct dwarf_unit *unit;

  while (n > 0) {
    uint32_t half = n / 2;

    if (file->units[first + half].offset <= offset) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  if (first == 0)
    return NULL;
  unit = &file->units[first - 1];
  return offset - unit->offset < (uint64_t)(unit->end - unit->start) ? unit : NULL;
}

static int file_read_signatures(struct dwarf_file *file)
{
  int error = dwarf_file_read_units(file);

  if (error < 0 || file->has_signatures)
    return error;
  for (uint32_t i = 0; i < file->n_units && error == 0; i++)
    if (file->units[i].type == UT_TYPE || file->units[i].type == UT_SPLIT_TYPE)
      error = dwarf_map_set(&file->signatures, file->budget, file->units[i].signature, i);
  file->has_signatures = true;
  return error;
}

struct dwarf_unit *dwarf_file_find_type(struct dwarf_file *file, uint64_t signature)
{
  uint32_t i =
      file_read_signatures(file) == 0 ? dwarf_map_find(&file->signatures, signature) : DWARF_MAP_NONE;

  return i < file->n_units ? &file->units[i] : NULL;
}

struct dwarf_abbreviations *dwarf_file_find_abbreviations(const struct dwarf_file *file, uint64_t key)
{
  uint32_t i = dwarf_map_find(&file->abbreviations_by_key, key);

  return i < file->n_abbreviations ? file->abbreviations[i] : NULL;
}

struct dwarf_line_table *dwarf_file_find_lines(const struct dwarf_file *file, uint64_t key)
{
  uint32_t i = dwarf_map_find(&file->lines_by_key, key);

  return i < file->n_lines ? file->lines[i] : NULL;
}

int dwarf_file_add_abbreviations(struct dwarf_file *file, uint64_t key, struct dwarf_abbreviations *table)
{
  if (file->n_abbreviations == file->abbreviations_capacity) {
    void *grown = dwarf_budget_grow(file->budget, file->abbreviations, &file->abbreviations_capacity,
                                    sizeof *file->abbreviations);

    if (!grown)
      return -ENOMEM;
    file->abbreviations = grown;
  }
  if (dwarf_map_set(&file->abbreviations_by_key, file->budget, key, file->n_abbreviations) < 0)
    return -ENOMEM;
  file->abbreviations[file->n_abbreviations++] = table;
  return 0;
}

int dwarf_file_add_lines(struct dwarf_file *file, uint64_t key, struct dwarf_line_table *table)
{
  if (file->n_lines == file->lines_capacity) {
    void *grown = dwarf_budget_grow(file->budget, file->lines, &file->lines_capacity, sizeof *file->lines);

    if (!grown)
      return -ENOMEM;
    file->lines = grown;
  }
  if (dwarf_map_set(&file->lines_by_key, file->budget, key, file->n_lines) < 0)
    return -ENOMEM;
  file->lines[file->n_lines++] = table;
  return 0;
}
