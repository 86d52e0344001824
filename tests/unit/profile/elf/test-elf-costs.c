/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file costs must not be the product of two of its lengths: the test would not end in time. */
#include <elf.h>
#include <string.h>

#include "profile/elf/elf-symbols.h"

static guint64 append(GByteArray *file, gconstpointer bytes, gsize length)
{
  guint64 at = file->len;

  g_byte_array_append(file, bytes, (guint)length);
  return at;
}

enum { NAMES = 1, SYMBOLS, STRINGS, RELOCATIONS, STUBS, LABELS, N_SECTIONS };

static Elf64_Shdr add_names(GByteArray *file, Elf64_Shdr *sections)
{
  static const char *const known[N_SECTIONS] = {[NAMES] = ".shstrtab",
                                                [SYMBOLS] = ".dynsym",
                                                [STRINGS] = ".dynstr",
                                                [RELOCATIONS] = ".rela.plt",
                                                [STUBS] = ".plt"};
  g_autofree char *long_name = g_strnfill(1 << 20, 'x');
  guint64 start = append(file, "", 1);

  for (guint i = NAMES; i < N_SECTIONS; i++) {
    const char *name = known[i] ? known[i] : long_name;
    sections[i].sh_name = (guint32)(append(file, name, strlen(name) + 1) - start);
  }
  return (Elf64_Shdr){.sh_name = sections[NAMES].sh_name,
                      .sh_type = SHT_STRTAB,
                      .sh_offset = start,
                      .sh_size = file->len - start};
}

static void add_symbols(GByteArray *file, Elf64_Shdr *section, guint n)
{
  section->sh_type = SHT_DYNSYM;
  section->sh_link = STRINGS;
  section->sh_offset = file->len;
  section->sh_size = n * sizeof(Elf64_Sym);
  for (guint i = 0; i < n; i++) {
    Elf64_Sym symbol = {.st_name = 1, .st_value = 16 * i, .st_size = 16};
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, i % 2 ? STT_NOTYPE : STT_FUNC);
    symbol.st_shndx = LABELS;
    append(file, &symbol, sizeof symbol);
  }
}

static void add_relocations(GByteArray *file, Elf64_Shdr *section, guint n)
{
  section->sh_type = SHT_RELA;
  section->sh_offset = file->len;
  section->sh_size = n * sizeof(Elf64_Rela);
  for (guint i = 0; i < n; i++) {
    Elf64_Rela relocation = {.r_offset = 8 * i, .r_info = R_X86_64_IRELATIVE, .r_addend = 1};
    append(file, &relocation, sizeof relocation);
  }
}

static void add_stubs(GByteArray *file, Elf64_Shdr *section, guint n)
{
  section->sh_type = SHT_PROGBITS;
  section->sh_entsize = 16;
  section->sh_offset = file->len;
  section->sh_size = 16 * n;
  for (guint i = 0; i < n; i++) {
    guint8 stub[16] = {0xff, 0x25};
    gint32 distance = (gint32)(8 * i) - (gint32)(16 * i + 6);
    memcpy(stub + 2, &distance, sizeof distance);
    append(file, stub, sizeof stub);
  }
}

/* A shared library in which everything that can be looked through once for each of its symbols is long:
 * segments, the name of a section, symbols behind the linker's stubs. */
static GByteArray *make_tiresome(guint n)
{
  GByteArray *file = g_byte_array_new();
  Elf64_Shdr sections[N_SECTIONS] = {0};
  Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_machine = EM_X86_64,
                       .e_phoff = sizeof header,
                       .e_phnum = 65534,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_shnum = N_SECTIONS,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shstrndx = NAMES};
  Elf64_Phdr segment = {.p_type = PT_LOAD, .p_vaddr = G_MAXUINT64 - 1, .p_memsz = 1, .p_filesz = 1};

  append(file, &header, sizeof header);
  for (guint i = 0; i < header.e_phnum; i++)
    append(file, &segment, sizeof segment);
  sections[NAMES] = add_names(file, sections);
  sections[STRINGS].sh_type = SHT_STRTAB;
  sections[STRINGS].sh_offset = append(file, "\0f", 3);
  sections[STRINGS].sh_size = 3;
  add_symbols(file, &sections[SYMBOLS], n);
  add_relocations(file, &sections[RELOCATIONS], n);
  add_stubs(file, &sections[STUBS], n);
  sections[LABELS].sh_type = SHT_PROGBITS;
  sections[LABELS].sh_flags = SHF_ALLOC;
  while (file->len % 8)
    append(file, "", 1);
  header.e_shoff = append(file, sections, sizeof sections);
  memcpy(file->data, &header, sizeof header);
  return file;
}

static void test_tiresome(void)
{
  enum { N = 400000 };
  g_autoptr(GByteArray) made = make_tiresome(N);
  g_autoptr(GBytes) bytes = g_bytes_new_static(made->data, made->len);
  g_autoptr(ProfileElf) elf = profile_elf_new_for_bytes(bytes, NULL);
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();
  const ProfileSymbol *symbol;
  guint64 start, end;

  g_assert_nonnull(elf);
  g_assert_true(profile_elf_add_symbols(elf, elf, SHT_DYNSYM, symbols));
  profile_elf_add_plt_symbols(elf, symbols);
  profile_symbols_sort(symbols);
  symbol = profile_symbols_lookup(symbols, 16 * (N - 2), &start, &end);
  g_assert_nonnull(symbol);
  g_assert_cmpstr(symbol->name, ==, "f");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/elf/tiresome", test_tiresome);
  return g_test_run();
}
