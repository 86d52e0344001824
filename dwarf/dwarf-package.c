/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-package-private.h"

#include <errno.h>
#include <string.h>

#include "unwind/unwind-bytes-private.h"

#define VERSION_GNU 2
#define VERSION_5   5
#define COLUMNS_MAX 16

static uint32_t word_at(const uint8_t *items, uint64_t i)
{
  uint32_t word;

  memcpy(&word, items + i * sizeof word, sizeof word);
  return word;
}

static bool package_read_head(struct dwarf_package *package, const uint8_t **at, const uint8_t *end)
{
  return unwind_read_uint32(at, end, &package->version) && unwind_read_uint32(at, end, &package->n_columns) &&
         unwind_read_uint32(at, end, &package->n_rows) && unwind_read_uint32(at, end, &package->n_slots) &&
         (package->version == VERSION_GNU || package->version == VERSION_5) &&
         package->n_columns <= COLUMNS_MAX && package->n_slots > 0 &&
         (package->n_slots & (package->n_slots - 1)) == 0;
}

/* Nothing is found in a package without slots. */
static int package_forget(struct dwarf_package *package)
{
  package->n_slots = 0;
  return -EBADMSG;
}

int dwarf_package_open(struct dwarf_package *package, struct dwarf_file *file)
{
  struct dwarf_bytes section = dwarf_elf_section(&file->elf, DWARF_SECTION_CU_INDEX);
  const uint8_t *at = section.bytes, *end = at ? at + section.size : NULL;
  uint64_t row_size, needed;

  *package = (struct dwarf_package){.file = file};
  if (!at || !package_read_head(package, &at, end))
    return package_forget(package);
  row_size = package->n_columns * sizeof(uint32_t);
  needed = package->n_slots * (uint64_t)12 + row_size + 2 * package->n_rows * row_size;
  if (needed > (size_t)(end - at))
    return package_forget(package);
  package->slots = at;
  package->rows = package->slots + package->n_slots * (uint64_t)8;
  package->columns = package->rows + package->n_slots * (uint64_t)4;
  package->offsets = package->columns + row_size;
  package->sizes = package->offsets + package->n_rows * row_size;
  return 0;
}

/* Rows count from 1; 0: an empty slot, or it is not there. */
static uint32_t package_find_row(const struct dwarf_package *package, uint64_t signature)
{
  uint32_t mask = package->n_slots - 1, at = (uint32_t)signature & mask,
           step = ((uint32_t)(signature >> 32) & mask) | 1;

  for (uint32_t i = 0; i < package->n_slots; i++, at = (at + step) & mask) {
    uint64_t slot;
    uint32_t row = word_at(package->rows, at);

    memcpy(&slot, package->slots + at * (uint64_t)8, sizeof slot);
    if (row == 0 || row > package->n_rows)
      return 0;
    if (slot == signature)
      return row;
  }
  return 0;
}

/* Both versions count sections alike, but for those that are of no use here. */
static int column_get_section(uint32_t column, uint32_t version)
{
  switch (column) {
  case 1:
    return DWARF_SECTION_INFO;
  case 3:
    return DWARF_SECTION_ABBREV;
  case 4:
    return DWARF_SECTION_LINE;
  case 6:
    return DWARF_SECTION_STR_OFFSETS;
  case 8:
    return version == VERSION_5 ? DWARF_SECTION_RNGLISTS : -1;
  default:
    return -1;
  }
}

static bool bytes_cut(struct dwarf_bytes *bytes, uint32_t offset, uint32_t size)
{
  if (offset > bytes->size || size > bytes->size - offset)
    return false;
  *bytes = (struct dwarf_bytes){(const uint8_t *)bytes->bytes + offset, size};
  return true;
}

bool dwarf_package_find(const struct dwarf_package *package, uint64_t signature,
                        struct dwarf_contributions *ret)
{
  uint32_t row = package->n_slots > 0 ? package_find_row(package, signature) : 0;

  if (row == 0)
    return false;
  for (int kind = 0; kind < DWARF_N_SECTIONS; kind++)
    ret->sections[kind] = dwarf_elf_section(&package->file->elf, kind);
  for (uint32_t i = 0; i < package->n_columns; i++) {
    uint64_t cell = (uint64_t)(row - 1) * package->n_columns + i;
    int kind = column_get_section(word_at(package->columns, i), package->version);

    if (kind >= 0 &&
        !bytes_cut(&ret->sections[kind], word_at(package->offsets, cell), word_at(package->sizes, cell)))
      return false;
  }
  return true;
}
