/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

typedef struct {
  guint64 start, end;
  Dwarf_Off unit; /* of its DIE */
} UnitRange;

struct _ProfileLines {
  Elf *elf;
  Dwarf *dwarf;
  GArray *ranges; /* UnitRange, ascending by start */
};

static int lines_compare(gconstpointer a, gconstpointer b)
{
  const UnitRange *x = a, *y = b;

  return x->start < y->start ? -1 : x->start > y->start;
}

static void add_unit(ProfileLines *self, Dwarf_Die *unit)
{
  Dwarf_Addr base, start, end;
  ptrdiff_t position = 0;

  while ((position = dwarf_ranges(unit, position, &base, &start, &end)) > 0) {
    UnitRange range = {start, end, dwarf_dieoffset(unit)};

    if (start < end)
      g_array_append_val(self->ranges, range);
  }
}

static void read_units(ProfileLines *self)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;

  while (dwarf_get_units(self->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
    if (dwarf_tag(&die) == DW_TAG_compile_unit || dwarf_tag(&die) == DW_TAG_skeleton_unit)
      add_unit(self, &die);
  g_array_sort(self->ranges, lines_compare);
}

/* libdw follows offsets into these sections up to the next NUL, wherever that is. */
static gboolean has_terminated_strings(Elf *elf)
{
  Elf_Scn *section = NULL;
  size_t names;

  if (elf_getshdrstrndx(elf, &names) < 0)
    return FALSE;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    Elf_Data *data;

    if (!name || !strstr(name, "debug_") || !g_str_has_suffix(name, "_str"))
      continue;
    data = elf_getdata(section, NULL);
    if (data && data->d_buf && data->d_size > 0 && ((const char *)data->d_buf)[data->d_size - 1] != 0)
      return FALSE;
  }
  return TRUE;
}

ProfileLines *profile_lines_new(int fd)
{
  g_autoptr(ProfileLines) self = NULL;

  elf_version(EV_CURRENT);
  self = g_new0(ProfileLines, 1);
  self->ranges = g_array_new(FALSE, FALSE, sizeof(UnitRange));
  /* Not mapped: the file may be written again while we read. */
  self->elf = elf_begin(fd, ELF_C_READ, NULL);
  self->dwarf = self->elf ? dwarf_begin_elf(self->elf, DWARF_C_READ, NULL) : NULL;
  if (!self->dwarf || !has_terminated_strings(self->elf))
    return NULL;
  read_units(self);
  return self->ranges->len > 0 ? g_steal_pointer(&self) : NULL;
}

void profile_lines_free(ProfileLines *self)
{
  if (self->dwarf)
    dwarf_end(self->dwarf);
  if (self->elf)
    elf_end(self->elf);
  g_array_unref(self->ranges);
  g_free(self);
}

static const UnitRange *find_range(const ProfileLines *self, guint64 address)
{
  const UnitRange *ranges = (const UnitRange *)(gconstpointer)self->ranges->data;
  guint low = 0, high = self->ranges->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (ranges[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && address < ranges[low - 1].end ? &ranges[low - 1] : NULL;
}

gboolean profile_lines_find(ProfileLines *self, guint64 address, const char **ret_file, guint32 *ret_line)
{
  const UnitRange *range = find_range(self, address);
  Dwarf_Die unit;
  Dwarf_Line *line;
  const char *file;
  int number;

  if (!range || !dwarf_offdie(self->dwarf, range->unit, &unit))
    return FALSE;
  line = dwarf_getsrc_die(&unit, address);
  file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
  if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
    return FALSE;
  *ret_file = file;
  *ret_line = (guint32)number;
  return TRUE;
}
