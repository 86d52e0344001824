/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The linker's stubs have no symbols. On x86-64 a stub is known by the slot of the global offset table
 * through which it jumps: relocations say what that slot holds. Elsewhere stubs are taken to stand in the
 * order of their relocations.
 */
#include <elf.h>
#include <string.h>

#include "profile/elf/elf-symbols.h"

typedef struct {
  guint64 slot;
  guint64 addend;
  guint32 symbol;
  guint32 type;
} Relocation;

typedef struct {
  const ProfileElf *elf;
  ProfileSymbols *symbols;
  GArray *relocations; /* of .rela.plt, in order; then of .rela.dyn */
  guint n_plt;
  GHashTable *by_slot;   /* address of the slot → number + 1 */
  GHashTable *resolvers; /* address of a function that chooses → its number in .dynsym */
  guint8 *table;         /* .dynsym */
  gsize table_size;
  char *names;
  gsize names_size;
} Stubs;

static Relocation get_relocation(const ProfileElf *elf, gboolean has_addend, const guint8 *at)
{
  if (profile_elf_is_64_bit(elf)) {
    Elf64_Rela wide = {0};
    memcpy(&wide, at, has_addend ? sizeof wide : sizeof(Elf64_Rel));
    return (Relocation){wide.r_offset, (guint64)wide.r_addend, (guint32)ELF64_R_SYM(wide.r_info),
                        (guint32)ELF64_R_TYPE(wide.r_info)};
  } else {
    Elf32_Rela narrow = {0};
    memcpy(&narrow, at, has_addend ? sizeof narrow : sizeof(Elf32_Rel));
    return (Relocation){narrow.r_offset, (guint32)narrow.r_addend, ELF32_R_SYM(narrow.r_info),
                        ELF32_R_TYPE(narrow.r_info)};
  }
}

static gsize get_relocation_size(const ProfileElf *elf, gboolean has_addend)
{
  if (profile_elf_is_64_bit(elf))
    return has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  return has_addend ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
}

static gboolean fills_a_slot(const Stubs *stubs, const Relocation *relocation)
{
  if (profile_elf_get_machine(stubs->elf) != EM_X86_64)
    return FALSE;
  return relocation->type == R_X86_64_JUMP_SLOT || relocation->type == R_X86_64_GLOB_DAT ||
         relocation->type == R_X86_64_IRELATIVE;
}

static void read_relocations(Stubs *stubs, const char *name, gboolean only_slots)
{
  const ProfileElfSection *section = profile_elf_find_section(stubs->elf, name);
  gboolean has_addend;
  g_autofree guint8 *content = NULL;
  gsize size, entry_size;

  if (!section || (section->type != SHT_RELA && section->type != SHT_REL))
    return;
  has_addend = section->type == SHT_RELA;
  content = profile_elf_read_section(stubs->elf, section, &size);
  entry_size = get_relocation_size(stubs->elf, has_addend);
  for (gsize at = 0; content && size - at >= entry_size; at += entry_size) {
    Relocation relocation = get_relocation(stubs->elf, has_addend, content + at);

    if (only_slots && !fills_a_slot(stubs, &relocation))
      continue;
    g_array_append_val(stubs->relocations, relocation);
    g_hash_table_insert(stubs->by_slot, g_memdup2(&relocation.slot, sizeof relocation.slot),
                        GUINT_TO_POINTER(stubs->relocations->len));
  }
}

static void read_dynamic_symbols(Stubs *stubs)
{
  const ProfileElfSection *table = profile_elf_find_section(stubs->elf, ".dynsym");
  const ProfileElfSection *names = table ? profile_elf_get_section(stubs->elf, table->link) : NULL;

  if (!names)
    return;
  stubs->table = profile_elf_read_section(stubs->elf, table, &stubs->table_size);
  stubs->names = (char *)profile_elf_read_section(stubs->elf, names, &stubs->names_size);
}

static const char *get_symbol_name(const Stubs *stubs, guint32 number)
{
  gsize entry_size = profile_elf_is_64_bit(stubs->elf) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  guint32 name;

  if (!stubs->table || !stubs->names || number == 0 || number >= stubs->table_size / entry_size)
    return NULL;
  memcpy(&name, stubs->table + number * entry_size, sizeof name); /* st_name comes first in both classes */
  if (name == 0 || name >= stubs->names_size ||
      !memchr(stubs->names + name, 0, MIN(stubs->names_size - name, PROFILE_SYMBOLS_NAME_MAX)))
    return NULL;
  return stubs->names + name;
}

/* Slots that are filled by calling a function here are called after it: it has the name of what it chooses.
 */
static void read_resolvers(Stubs *stubs)
{
  gsize n = stubs->table && profile_elf_is_64_bit(stubs->elf) ? stubs->table_size / sizeof(Elf64_Sym) : 0;

  for (gsize i = n; i-- > 1;) {
    Elf64_Sym symbol;

    memcpy(&symbol, stubs->table + i * sizeof symbol, sizeof symbol);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
      g_hash_table_insert(stubs->resolvers, g_memdup2(&symbol.st_value, sizeof symbol.st_value),
                          GSIZE_TO_POINTER(i));
  }
}

static const char *find_resolver_name(const Stubs *stubs, guint64 address)
{
  return get_symbol_name(stubs, GPOINTER_TO_UINT(g_hash_table_lookup(stubs->resolvers, &address)));
}

static void add_stub(Stubs *stubs, const Relocation *relocation, guint64 offset, guint64 size)
{
  const char *name = get_symbol_name(stubs, relocation->symbol);
  char *text;

  if (!name && relocation->symbol == 0 && relocation->addend != 0)
    name = find_resolver_name(stubs, relocation->addend);
  if (name)
    text = g_strdup_printf("%s@plt", name);
  else if (relocation->addend != 0)
    text = g_strdup_printf("*ABS*+0x%" G_GINT64_MODIFIER "x@plt", relocation->addend);
  else
    return;
  profile_symbols_keep(stubs->symbols, text);
  profile_symbols_add(stubs->symbols, offset, size, STB_GLOBAL, text);
}

/* The relocation behind an x86-64 stub: by `jmp *slot(%rip)`, else by the number that `push` hands to the
 * resolver. */
static const Relocation *identify_stub(const Stubs *stubs, const guint8 *stub, gsize size, guint64 address)
{
  for (gsize i = 0; i + 6 <= size; i++) {
    gint32 distance;
    guint64 slot;
    guint number;

    if (stub[i] != 0xff || stub[i + 1] != 0x25)
      continue;
    memcpy(&distance, stub + i + 2, sizeof distance);
    slot = address + i + 6 + (guint64)(gint64)distance;
    number = GPOINTER_TO_UINT(g_hash_table_lookup(stubs->by_slot, &slot));
    return number ? &g_array_index(stubs->relocations, Relocation, number - 1) : NULL;
  }
  for (gsize i = 0; i + 5 <= size && i <= 4; i += 4) {
    guint32 number;

    memcpy(&number, stub + i + 1, sizeof number);
    if (stub[i] == 0x68 && number < stubs->n_plt)
      return &g_array_index(stubs->relocations, Relocation, number);
  }
  return NULL;
}

static void add_identified(Stubs *stubs, const char *name)
{
  const ProfileElfSection *section = profile_elf_find_section(stubs->elf, name);
  g_autofree guint8 *content = NULL;
  gsize size, step;

  content = section ? profile_elf_read_section(stubs->elf, section, &size) : NULL;
  if (!content)
    return;
  step = section->entry_size == 8 || section->entry_size == 16 ? section->entry_size : 16;
  for (gsize at = 0; size - at >= step; at += step) {
    const Relocation *relocation = identify_stub(stubs, content + at, step, section->address + at);

    if (relocation)
      add_stub(stubs, relocation, section->offset + at, step);
  }
}

static void add_in_order(Stubs *stubs)
{
  const ProfileElfSection *section = profile_elf_find_section(stubs->elf, ".plt");
  guint64 size = 16, header = profile_elf_get_machine(stubs->elf) == EM_AARCH64 ? 32 : 16;

  for (guint i = 0; section && i < stubs->n_plt; i++) {
    guint64 at = header + i * size;

    if (at + size > section->size)
      return;
    add_stub(stubs, &g_array_index(stubs->relocations, Relocation, i), section->offset + at, size);
  }
}

static void add_stubs(Stubs *stubs)
{
  switch (profile_elf_get_machine(stubs->elf)) {
  case EM_X86_64:
    add_identified(stubs, ".plt");
    add_identified(stubs, ".plt.sec");
    add_identified(stubs, ".plt.got");
    break;
  case EM_386:
  case EM_AARCH64:
    add_in_order(stubs);
    break;
  default:
    break;
  }
}

void profile_elf_add_plt_symbols(const ProfileElf *runtime, ProfileSymbols *symbols)
{
  Stubs stubs = {.elf = runtime, .symbols = symbols};

  stubs.relocations = g_array_new(FALSE, FALSE, sizeof(Relocation));
  stubs.by_slot = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  read_relocations(&stubs, profile_elf_find_section(runtime, ".rela.plt") ? ".rela.plt" : ".rel.plt", FALSE);
  stubs.n_plt = stubs.relocations->len;
  read_relocations(&stubs, ".rela.dyn", TRUE);
  stubs.resolvers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  read_dynamic_symbols(&stubs);
  read_resolvers(&stubs);
  add_stubs(&stubs);
  g_hash_table_unref(stubs.by_slot);
  g_hash_table_unref(stubs.resolvers);
  g_array_unref(stubs.relocations);
  g_free(stubs.table);
  g_free(stubs.names);
}
