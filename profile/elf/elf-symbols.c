/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/elf-symbols.h"

#include <elf.h>
#include <string.h>

/* What is looked at of a section's name, once for each label in it. */
#define SECTION_NAME_MAX 256
#define VERSION_HIDDEN   0x8000 /* of .gnu.version: nothing new is linked with it */

static const ProfileElfSection *find_table(const ProfileElf *self, guint32 type)
{
  const ProfileElfSection *section;

  for (guint i = 1; (section = profile_elf_get_section(self, i)); i++)
    if (section->type == type)
      return section;
  return NULL;
}

static void get_symbol(gboolean is_64_bit, const guint8 *at, Elf64_Sym *ret)
{
  Elf32_Sym narrow;

  if (is_64_bit) {
    memcpy(ret, at, sizeof *ret);
    return;
  }
  memcpy(&narrow, at, sizeof narrow);
  *ret = (Elf64_Sym){.st_name = narrow.st_name,
                     .st_info = narrow.st_info,
                     .st_other = narrow.st_other,
                     .st_shndx = narrow.st_shndx,
                     .st_value = narrow.st_value,
                     .st_size = narrow.st_size};
}

/* A label in a section of code or data, which assembly leaves without a type. */
static gboolean is_label(const Elf64_Sym *symbol, const ProfileElfSection *section)
{
  guint visibility = ELF64_ST_VISIBILITY(symbol->st_other);

  return ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE && visibility != STV_HIDDEN &&
         visibility != STV_INTERNAL &&
         (g_strstr_len(section->name, SECTION_NAME_MAX, "text") ||
          g_strstr_len(section->name, SECTION_NAME_MAX, "data"));
}

static gboolean is_wanted(const Elf64_Sym *symbol, const ProfileElfSection *section)
{
  switch (ELF64_ST_TYPE(symbol->st_info)) {
  case STT_FUNC:
  case STT_GNU_IFUNC:
  case STT_OBJECT:
    return TRUE;
  default:
    return is_label(symbol, section);
  }
}

/* $a, $d, $t, $x of the ARM ABIs say what bytes are, and name nothing. */
static gboolean is_mapping_symbol(const ProfileElf *elf, const char *name)
{
  guint16 machine = profile_elf_get_machine(elf);

  return (machine == EM_ARM || machine == EM_AARCH64) && name[0] == '$' && name[1] &&
         strchr("adtx", name[1]) && (name[2] == 0 || name[2] == '.');
}

typedef struct {
  const ProfileElf *source, *runtime;
  char *names;
  gsize names_size;
  guint8 *versions; /* of .dynsym; NULL: none */
  gsize versions_size;
  ProfileSymbols *symbols;
} Reading;

static void reading_clear(Reading *reading)
{
  g_free(reading->versions);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reading, reading_clear)

/* A name for programs that were linked long ago, such as cfree: behind one '@', or by .gnu.version. */
static gboolean is_of_old_version(const Reading *reading, gsize i, const char *name)
{
  const char *at = strchr(name, '@');
  guint16 version = 0;

  if (i < reading->versions_size / sizeof version)
    memcpy(&version, reading->versions + i * sizeof version, sizeof version);
  return version & VERSION_HIDDEN || (at && at[1] && at[1] != '@');
}

static void add_symbol(Reading *reading, gsize i, const Elf64_Sym *symbol)
{
  const ProfileElfSection *section;
  guint64 value = symbol->st_value, start;
  guint8 binding = ELF64_ST_BIND(symbol->st_info);
  const char *name;

  if (symbol->st_name == 0 || symbol->st_name >= reading->names_size || symbol->st_shndx == SHN_UNDEF)
    return;
  section = profile_elf_get_section(reading->source, symbol->st_shndx);
  if (section && section->type == SHT_NOBITS && profile_elf_get_section(reading->runtime, symbol->st_shndx))
    section = profile_elf_get_section(reading->runtime, symbol->st_shndx);
  if (!section || !(section->flags & SHF_ALLOC) || !is_wanted(symbol, section))
    return;
  name = reading->names + symbol->st_name;
  if (is_mapping_symbol(reading->source, name))
    return;
  if (profile_elf_get_machine(reading->source) == EM_ARM && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
    value &= ~G_GUINT64_CONSTANT(1);
  if (!profile_elf_address_to_offset(reading->runtime, value, &start))
    start = value - section->address + section->offset;
  if (is_of_old_version(reading, i, name))
    binding = STB_WEAK;
  profile_symbols_add(reading->symbols, start, symbol->st_size, binding, name);
}

gboolean profile_elf_add_symbols(const ProfileElf *source, const ProfileElf *runtime, guint32 type,
                                 ProfileSymbols *symbols)
{
  const ProfileElfSection *table = find_table(source, type);
  const ProfileElfSection *names = table ? profile_elf_get_section(source, table->link) : NULL;
  gsize entry_size = profile_elf_is_64_bit(source) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  const ProfileElfSection *versions = type == SHT_DYNSYM ? find_table(source, SHT_GNU_versym) : NULL;
  g_auto(Reading) reading = {.source = source, .runtime = runtime, .symbols = symbols};
  g_autofree guint8 *content = NULL;
  gsize size;

  if (!names)
    return FALSE;
  content = profile_elf_read_section(source, table, &size);
  if (!content)
    return FALSE;
  reading.names = (char *)profile_elf_read_section(source, names, &reading.names_size);
  if (!reading.names)
    return FALSE;
  profile_symbols_keep(symbols, reading.names);
  if (versions)
    reading.versions = profile_elf_read_section(source, versions, &reading.versions_size);
  for (gsize at = 0; size - at >= entry_size; at += entry_size) {
    Elf64_Sym symbol;

    get_symbol(profile_elf_is_64_bit(source), content + at, &symbol);
    add_symbol(&reading, at / entry_size, &symbol);
  }
  return TRUE;
}
