/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-line-table-private.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-file-private.h"
#include "dwarf/dwarf-forms-private.h"
#include "unwind/unwind-bytes-private.h"

#define LENGTH_64 0xffffffffu

struct entry_format {
  uint64_t content;
  struct dwarf_attribute attribute;
};

static int table_add_directory(struct dwarf_line_table *table, const struct dwarf_string *directory)
{
  if (table->n_directories == table->directories_capacity) {
    void *grown =
        dwarf_budget_grow(table->budget, table->directories, &table->directories_capacity, sizeof *directory);

    if (!grown)
      return -ENOMEM;
    table->directories = grown;
  }
  table->directories[table->n_directories++] = *directory;
  return 0;
}

static int table_add_file(struct dwarf_line_table *table, const struct dwarf_line_file *file)
{
  if (table->n_files == table->files_capacity) {
    void *grown = dwarf_budget_grow(table->budget, table->files, &table->files_capacity, sizeof *file);

    if (!grown)
      return -ENOMEM;
    table->files = grown;
  }
  table->files[table->n_files++] = *file;
  return 0;
}

static bool table_read_terminated(const struct dwarf_line_table *table, const uint8_t **at,
                                  struct dwarf_string *ret)
{
  const uint8_t *zero = memchr(*at, 0, (size_t)(table->program - *at));

  if (!zero)
    return false;
  *ret = (struct dwarf_string){(const char *)*at, (size_t)(zero - *at)};
  *at = zero + 1;
  return true;
}

static int table_read_directories_2(struct dwarf_line_table *table, const uint8_t **at)
{
  struct dwarf_string directory;
  int error = 0;

  while (error == 0) {
    if (!table_read_terminated(table, at, &directory))
      return -EBADMSG;
    if (directory.length == 0)
      return 0;
    error = table_add_directory(table, &directory);
  }
  return error;
}

static int table_read_files_2(struct dwarf_line_table *table, const uint8_t **at)
{
  int error = 0;

  while (error == 0) {
    struct dwarf_line_file file = {0};
    uint64_t time, size;

    if (!table_read_terminated(table, at, &file.name))
      return -EBADMSG;
    if (file.name.length == 0)
      return 0;
    if (!unwind_read_uleb(at, table->program, &file.directory) ||
        !unwind_read_uleb(at, table->program, &time) || !unwind_read_uleb(at, table->program, &size))
      return -EBADMSG;
    error = table_add_file(table, &file);
  }
  return error;
}

static bool formats_read(const struct dwarf_line_table *table, const uint8_t **at,
                         struct entry_format *formats, uint8_t *n)
{
  if (!unwind_read_uint8(at, table->program, n))
    return false;
  for (uint8_t i = 0; i < *n; i++) {
    uint64_t form;

    if (!unwind_read_uleb(at, table->program, &formats[i].content) ||
        !unwind_read_uleb(at, table->program, &form) || form > UINT16_MAX)
      return false;
    formats[i].attribute = (struct dwarf_attribute){.form = (uint16_t)form};
  }
  return true;
}

static bool formats_read_entry(const struct dwarf_unit *shape, const struct entry_format *formats, uint8_t n,
                               const uint8_t **at, struct dwarf_line_file *ret)
{
  *ret = (struct dwarf_line_file){0};
  for (uint8_t i = 0; i < n; i++) {
    struct dwarf_value value;

    if (!dwarf_form_read(shape, &formats[i].attribute, at, &value))
      return false;
    if (formats[i].content == LNCT_PATH)
      ret->name = dwarf_unit_get_string(shape, &value);
    if (formats[i].content == LNCT_DIRECTORY_INDEX)
      ret->directory = value.number;
  }
  return true;
}

/* A list of directories or of files. Without a format entries would take no bytes, and have no end. */
static int table_read_list_5(struct dwarf_line_table *table, const struct dwarf_unit *shape,
                             const uint8_t **at, bool is_files)
{
  struct entry_format formats[UINT8_MAX + 1];
  struct dwarf_line_file file;
  uint64_t n_entries;
  uint8_t n;
  int error = 0;

  if (!formats_read(table, at, formats, &n) || !unwind_read_uleb(at, table->program, &n_entries) ||
      (n == 0 && n_entries > 0))
    return -EBADMSG;
  for (uint64_t i = 0; i < n_entries && error == 0; i++) {
    const uint8_t *before = *at;

    if (!formats_read_entry(shape, formats, n, at, &file) || *at == before)
      return -EBADMSG;
    error = is_files ? table_add_file(table, &file) : table_add_directory(table, &file.name);
    if (error == 0)
      error = dwarf_budget_work(table->budget, n);
  }
  return error;
}

/* Values there are of the forms that entries have, in sizes of the table's own. */
static int table_read_names(struct dwarf_line_table *table, const struct dwarf_unit *unit, const uint8_t *at)
{
  struct dwarf_unit shape = *unit;
  int error;

  shape.offset_size = table->offset_size;
  shape.address_size = table->address_size;
  shape.end = table->program;
  if (table->version >= 5) {
    error = table_read_list_5(table, &shape, &at, false);
    return error < 0 ? error : table_read_list_5(table, &shape, &at, true);
  }
  error = table_read_directories_2(table, &at);
  return error < 0 ? error : table_read_files_2(table, &at);
}

static bool table_read_length(struct dwarf_line_table *table, const uint8_t **at)
{
  uint32_t word;
  uint64_t length;

  if (!unwind_read_uint32(at, table->end, &word))
    return false;
  length = word;
  table->offset_size = word == LENGTH_64 ? 8 : 4;
  if (table->offset_size == 8 && !unwind_read_uint64(at, table->end, &length))
    return false;
  if (length > (size_t)(table->end - *at))
    return false;
  table->end = *at + length;
  return true;
}

static bool table_read_program(struct dwarf_line_table *table, const uint8_t **at)
{
  uint64_t length;
  uint32_t word;

  if (table->offset_size == 8) {
    if (!unwind_read_uint64(at, table->end, &length))
      return false;
  } else {
    if (!unwind_read_uint32(at, table->end, &word))
      return false;
    length = word;
  }
  if (length > (size_t)(table->end - *at))
    return false;
  table->program = *at + length;
  return true;
}

static bool table_read_opcodes(struct dwarf_line_table *table, const uint8_t **at)
{
  const uint8_t *end = table->program;
  uint8_t is_statement, line_base;

  table->n_operations = 1;
  if (!unwind_read_uint8(at, end, &table->instruction_length) ||
      (table->version >= 4 && !unwind_read_uint8(at, end, &table->n_operations)) ||
      !unwind_read_uint8(at, end, &is_statement) || !unwind_read_uint8(at, end, &line_base) ||
      !unwind_read_uint8(at, end, &table->line_range) || !unwind_read_uint8(at, end, &table->opcode_base))
    return false;
  table->line_base = (int8_t)line_base;
  table->lengths = *at;
  if (table->opcode_base == 0 || end - *at < table->opcode_base - 1)
    return false;
  *at += table->opcode_base - 1;
  if (table->n_operations == 0)
    table->n_operations = 1;
  return true;
}

static int table_read_head(struct dwarf_line_table *table, const struct dwarf_unit *unit, const uint8_t *at)
{
  uint8_t selector_size;

  if (!table_read_length(table, &at) || !unwind_read_uint16(&at, table->end, &table->version) ||
      table->version < 2 || table->version > 5)
    return -EBADMSG;
  table->address_size = unit->address_size;
  if (table->version >= 5 && (!unwind_read_uint8(&at, table->end, &table->address_size) ||
                              !unwind_read_uint8(&at, table->end, &selector_size)))
    return -EBADMSG;
  if (!table_read_program(table, &at) || !table_read_opcodes(table, &at))
    return -EBADMSG;
  return table_read_names(table, unit, at);
}

static struct dwarf_line_table *unit_read_table(struct dwarf_unit *unit)
{
  struct dwarf_bytes section = dwarf_unit_section(unit, DWARF_SECTION_LINE);
  const uint8_t *bytes = section.bytes;
  struct dwarf_line_table *table;
  uint64_t at = unit->line_table.number, key;
  int error;

  if (unit->line_table.kind != DWARF_VALUE_NUMBER || at >= section.size)
    return NULL;
  key = (uint64_t)(uintptr_t)(bytes + at);
  table = dwarf_file_find_lines(unit->file, key);
  if (table)
    return table;
  table = dwarf_budget_allocate(unit->file->budget, 1, sizeof *table);
  if (!table)
    return NULL;
  table->budget = unit->file->budget;
  table->end = bytes + section.size;
  error = table_read_head(table, unit, bytes + at);
  if (error == 0)
    error = dwarf_file_add_lines(unit->file, key, table);
  if (error == 0)
    return table;
  unit->file->budget->damaged |= error == -EBADMSG;
  dwarf_line_table_free(table);
  return NULL;
}

/* Of the units that share a table some, which hold what others import, know no directory. */
struct dwarf_line_table *dwarf_line_table_read(struct dwarf_unit *unit)
{
  if (unit->skeleton)
    unit = unit->skeleton;
  if (!unit->has_looked_for_lines && dwarf_unit_read(unit) == 0)
    unit->lines = unit_read_table(unit);
  unit->has_looked_for_lines = !unit->file->budget->out_of_time;
  if (unit->lines && unit->lines->unit_directory.length == 0)
    unit->lines->unit_directory = dwarf_unit_get_string(unit, &unit->directory);
  return unit->lines;
}

void dwarf_line_table_free(struct dwarf_line_table *table)
{
  free(table->directories);
  free(table->files);
  free(table);
}

struct dwarf_line_file *dwarf_line_table_find(struct dwarf_line_table *table, uint64_t number)
{
  if (table->version < 5)
    number--;
  return number < table->n_files ? &table->files[number] : NULL;
}

static bool string_is_absolute(const struct dwarf_string *string)
{
  return string->length > 0 && string->text[0] == '/';
}

static size_t path_add(char *path, size_t length, const struct dwarf_string *part)
{
  size_t most;

  if (length > 0 && length < DWARF_TEXT_MAX)
    path[length++] = '/';
  most = part->length < DWARF_TEXT_MAX - length ? part->length : DWARF_TEXT_MAX - length;
  if (most > 0)
    memcpy(path + length, part->text, most);
  return length + most;
}

static struct dwarf_string table_find_directory(const struct dwarf_line_table *table, uint64_t number)
{
  if (table->version < 5)
    number--;
  return number < table->n_directories ? table->directories[number] : (struct dwarf_string){0};
}

/* From DWARF 5 on directory 0 is the unit's own. Either may be relative, as options of compilers shorten
 * them. */
static bool is_of_unit(const struct dwarf_line_table *table, uint64_t number)
{
  return table->version >= 5 && number == 0 && table->n_directories > 0;
}

size_t dwarf_line_table_write_path(const struct dwarf_line_table *table, const struct dwarf_line_file *file,
                                   char ret[DWARF_TEXT_MAX])
{
  struct dwarf_string directory = table_find_directory(table, file->directory);
  size_t length = 0;

  if (!string_is_absolute(&file->name)) {
    if (!string_is_absolute(&directory) && !is_of_unit(table, file->directory) &&
        table->unit_directory.length > 0)
      length = path_add(ret, length, &table->unit_directory);
    if (directory.length > 0)
      length = path_add(ret, length, &directory);
  }
  return path_add(ret, length, &file->name);
}
