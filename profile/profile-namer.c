/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-namer.h"

#include <elf.h>

#include "profile/profile-binary-file.h"
#include "profile/profile-demangle.h"
#include "profile/profile-elf-symbols.h"
#include "profile/profile-lines.h"

/* What one binary is named from. */
typedef struct {
  ProfileDebugFile file;
  ProfileDebugFile debug; /* elf NULL: none */
  ProfileSymbols *symbols;
  ProfileLines *lines; /* NULL: none */
  enum capture_naming status;
} Source;

static void source_clear(Source *self)
{
  g_clear_pointer(&self->lines, profile_lines_free);
  g_clear_pointer(&self->symbols, profile_symbols_free);
  profile_debug_file_clear(&self->debug);
  profile_debug_file_clear(&self->file);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Source, source_clear)

/* Symbols of the debug file first, as they are the fullest; a binary's exported ones add what its own table
 * lacks. */
static void read_symbols(Source *self)
{
  const ProfileElf *elf = self->file.elf;
  gboolean full = FALSE;

  self->symbols = profile_symbols_new();
  if (self->debug.elf)
    full = profile_elf_add_symbols(self->debug.elf, elf, SHT_SYMTAB, self->symbols);
  if (!full) {
    g_autoptr(ProfileElf) mini = NULL;

    full = profile_elf_add_symbols(elf, elf, SHT_SYMTAB, self->symbols);
    mini = full ? NULL : profile_elf_open_mini_debug_info(elf);
    if (mini)
      full = profile_elf_add_symbols(mini, elf, SHT_SYMTAB, self->symbols);
    profile_symbols_settle(self->symbols);
    profile_elf_add_symbols(elf, elf, SHT_DYNSYM, self->symbols);
  }
  profile_symbols_settle(self->symbols);
  if (full)
    self->status = CAPTURE_NAMING_SYMBOLS;
  else
    self->status = profile_symbols_get_n(self->symbols) > 0 ? CAPTURE_NAMING_DYNAMIC : CAPTURE_NAMING_NONE;
  profile_elf_add_plt_symbols(elf, self->symbols);
  profile_symbols_sort(self->symbols);
}

static void open_lines(Source *self)
{
  if (self->debug.elf)
    self->lines = profile_lines_new(self->debug.fd);
  if (!self->lines && self->file.fd >= 0)
    self->lines = profile_lines_new(self->file.fd);
}

static void add_function(ProfileFunctionTable *table, const ProfileSymbol *symbol, guint64 start, guint64 end,
                         const Source *source)
{
  g_autofree char *demangled = profile_demangle(symbol->name);
  ProfileFunctionRange range = {.start = start, .end = end, .linkage_name = symbol->name};
  guint64 address;

  range.name = demangled ? demangled : symbol->name;
  if (source->lines && profile_elf_offset_to_address(source->file.elf, symbol->start, &address))
    profile_lines_find(source->lines, address, &range.file, &range.line);
  profile_function_table_add(table, &range);
}

/* Stores each stretch once, though many offsets lie in it. */
static void add_hits(ProfileFunctionTable *table, const Source *source, const guint64 *offsets, gsize n)
{
  guint64 start, end = 0;

  for (gsize i = 0; i < n; i++) {
    const ProfileSymbol *symbol;

    if (offsets[i] < end)
      continue;
    symbol = profile_symbols_lookup(source->symbols, offsets[i], &start, &end);
    if (symbol)
      add_function(table, symbol, start, end, source);
    else
      end = 0;
  }
}

static ProfileFunctionTable *new_empty(enum capture_naming status)
{
  ProfileFunctionTable *table = profile_function_table_new(status);

  profile_function_table_seal(table);
  return table;
}

ProfileFunctionTable *profile_namer_name_binary(const ProfileNamer *self, const ProfileBinary *binary,
                                                const guint64 *offsets, gsize n)
{
  g_auto(Source) source = {.file.fd = -1, .debug.fd = -1};
  ProfileFunctionTable *table;

  if ((binary->flags & (CAPTURE_BINARY_SPECIAL | CAPTURE_BINARY_VDSO)) == CAPTURE_BINARY_SPECIAL)
    return new_empty(CAPTURE_NAMING_NONE);
  switch (profile_binary_file_open(self, binary, &source.file)) {
  case PROFILE_BINARY_FILE_NOT_ELF:
    return new_empty(CAPTURE_NAMING_NONE);
  case PROFILE_BINARY_FILE_UNREADABLE:
    return new_empty(CAPTURE_NAMING_UNREADABLE);
  case PROFILE_BINARY_FILE_OPEN:
    break;
  }
  profile_debug_file_find(source.file.elf, binary->path, &source.debug);
  read_symbols(&source);
  if (self->lines)
    open_lines(&source);
  table = profile_function_table_new(source.status);
  add_hits(table, &source, offsets, n);
  profile_function_table_seal(table);
  return table;
}
