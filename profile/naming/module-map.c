/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/module-map.h"

#include <elf.h>
#include <string.h>

#include "dwarf/dwarf-object.h"

typedef struct {
  guint64 address; /* where it begins in the kernel */
  guint64 length;
  guint64 moved; /* from where the file has it */
  guint32 number;
  gboolean is_wrong;
} Section;

struct _ProfileModuleMap {
  GArray *sections; /* Section; of which something is known */
};

/* A sampled function. */
typedef struct {
  guint64 address; /* in the kernel */
  guint32 section; /* in the file */
  guint32 offset;  /* in the section */
  guint n;         /* how many symbols have its name, or sampled functions */
} Function;

/* What static functions of several files are called says nothing. */
static GHashTable *list_functions(const ProfileFunctionRange *const *ranges, gsize n)
{
  GHashTable *functions = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);

  for (gsize i = 0; i < n; i++) {
    Function *known = g_hash_table_lookup(functions, ranges[i]->linkage_name);

    if (!known) {
      known = g_new0(Function, 1);
      known->address = ranges[i]->start;
      g_hash_table_insert(functions, (gpointer)ranges[i]->linkage_name, known);
    } else if (known->address != ranges[i]->start) {
      known->n = 2;
    }
  }
  return functions;
}

static gboolean is_in_code(const ProfileElf *file, const Elf64_Sym *symbol)
{
  const ProfileElfSection *section =
      symbol->st_shndx < SHN_LORESERVE ? profile_elf_get_section(file, symbol->st_shndx) : NULL;

  return section && (section->flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR) &&
         symbol->st_value < MIN(section->size, G_MAXUINT32);
}

static void find_functions(const ProfileElf *file, const char *names, gsize names_size, const guint8 *symbols,
                           gsize size, GHashTable *functions)
{
  Elf64_Sym symbol;

  for (gsize at = 0; size - at >= sizeof symbol; at += sizeof symbol) {
    Function *function;

    memcpy(&symbol, symbols + at, sizeof symbol);
    if (symbol.st_name == 0 || symbol.st_name >= names_size || !is_in_code(file, &symbol))
      continue;
    function = g_hash_table_lookup(functions, names + symbol.st_name);
    if (!function)
      continue;
    function->n++;
    function->section = symbol.st_shndx;
    function->offset = (guint32)symbol.st_value;
  }
}

/* In the file's table of symbols. */
static void read_functions(const ProfileElf *file, GHashTable *functions)
{
  const ProfileElfSection *table = profile_elf_find_section(file, ".symtab");
  const ProfileElfSection *section = table ? profile_elf_get_section(file, table->link) : NULL;
  g_autofree guint8 *symbols = NULL;
  g_autofree guint8 *names = NULL;
  gsize size, names_size;

  if (!section || !profile_elf_is_64_bit(file))
    return;
  symbols = profile_elf_read_section(file, table, &size);
  names = profile_elf_read_section(file, section, &names_size);
  if (symbols && names)
    find_functions(file, (const char *)names, names_size, symbols, size, functions);
}

static Section *find_section(const ProfileModuleMap *self, guint32 number)
{
  for (guint i = 0; i < self->sections->len; i++) {
    Section *section = &g_array_index(self->sections, Section, i);

    if (section->number == number)
      return section;
  }
  return NULL;
}

static void module_map_add(ProfileModuleMap *self, const ProfileElf *file, const Function *function)
{
  Section section = {.number = function->section, .address = function->address - function->offset};
  Section *known = find_section(self, section.number);

  if (known) {
    known->is_wrong |= known->address != section.address;
    return;
  }
  section.length = MIN(profile_elf_get_section(file, section.number)->size, G_MAXUINT32);
  section.moved = section.address - dwarf_object_address(section.number, 0);
  g_array_append_val(self->sections, section);
}

ProfileModuleMap *profile_module_map_new(const ProfileElf *file, const ProfileFunctionRange *const *functions,
                                         gsize n)
{
  g_autoptr(GHashTable) known = list_functions(functions, n);
  ProfileModuleMap *self = g_new0(ProfileModuleMap, 1);
  GHashTableIter iterator;
  gpointer function;

  self->sections = g_array_new(FALSE, FALSE, sizeof(Section));
  read_functions(file, known);
  g_hash_table_iter_init(&iterator, known);
  while (g_hash_table_iter_next(&iterator, NULL, &function))
    if (((const Function *)function)->n == 1)
      module_map_add(self, file, function);
  return self;
}

void profile_module_map_free(ProfileModuleMap *self)
{
  g_array_unref(self->sections);
  g_free(self);
}

gboolean profile_module_map_find(const ProfileModuleMap *self, guint64 address, guint64 *ret_moved)
{
  for (guint i = 0; i < self->sections->len; i++) {
    const Section *section = &g_array_index(self->sections, Section, i);

    if (section->is_wrong || address - section->address >= section->length)
      continue;
    *ret_moved = section->moved;
    return TRUE;
  }
  return FALSE;
}
