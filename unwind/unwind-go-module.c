/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-go-module-private.h"

#include <string.h>

/* struct moduledata (runtime/symtab.go). */
#define MODULE_NAMES        8u
#define MODULE_TEXT         176u
#define MODULE_INLINED_1_18 304u
#define MODULE_INLINED_1_20 320u
#define MODULE_INLINED_1_27 344u

/* Pointers to the table that are looked at, each for some time: damaged files have any number of them. */
#define CANDIDATES_MAX 16

/* A word that the loader may write: in the file, else by a relocation. */
static uint64_t read_pointer(const struct unwind_elf *elf, const struct unwind_bytes *relocations,
                             uint64_t address)
{
  struct unwind_bytes bytes;
  uint64_t value = 0;
  Elf64_Rela relocation;

  if (unwind_elf_find_address(elf, address, &bytes) && bytes.size >= sizeof value)
    memcpy(&value, bytes.bytes, sizeof value);
  for (size_t at = 0; value == 0 && relocations->size - at >= sizeof relocation; at += sizeof relocation) {
    memcpy(&relocation, relocations->bytes + at, sizeof relocation);
    if (relocation.r_offset == address)
      value = (uint64_t)relocation.r_addend;
  }
  return value;
}

static bool is_module(const struct unwind_elf *elf, const struct unwind_bytes *relocations, uint64_t address,
                      uint64_t names)
{
  return read_pointer(elf, relocations, address + MODULE_NAMES) == names;
}

/* It begins with a pointer to the table. */
static uint64_t find_in_section(const struct unwind_elf *elf, const char *name, uint64_t table,
                                uint64_t names)
{
  const struct unwind_bytes none = {0};
  struct unwind_bytes bytes;
  Elf64_Shdr section;
  unsigned int candidates = 0;
  uint64_t word;

  if (!unwind_elf_find_section(elf, name, &section) || !unwind_elf_section_bytes(elf, &section, &bytes))
    return 0;
  for (size_t at = 0; bytes.size - at >= sizeof word && candidates < CANDIDATES_MAX; at += sizeof word) {
    memcpy(&word, bytes.bytes + at, sizeof word);
    candidates += word == table;
    if (word == table && is_module(elf, &none, section.sh_addr + at, names))
      return section.sh_addr + at;
  }
  return 0;
}

static uint64_t find_by_relocations(const struct unwind_elf *elf, const struct unwind_bytes *relocations,
                                    uint64_t table, uint64_t names)
{
  unsigned int candidates = 0;
  Elf64_Rela relocation;

  for (size_t at = 0; relocations->size - at >= sizeof relocation && candidates < CANDIDATES_MAX;
       at += sizeof relocation) {
    memcpy(&relocation, relocations->bytes + at, sizeof relocation);
    candidates += (uint64_t)relocation.r_addend == table;
    if ((uint64_t)relocation.r_addend == table && is_module(elf, relocations, relocation.r_offset, names))
      return relocation.r_offset;
  }
  return 0;
}

static uint64_t find_module(const struct unwind_elf *elf, const struct unwind_bytes *relocations,
                            uint64_t table, uint64_t names)
{
  static const char *const sections[] = {".go.module", ".noptrdata", ".data"};
  uint64_t found = 0;

  for (size_t i = 0; found == 0 && i < sizeof sections / sizeof *sections; i++)
    found = find_in_section(elf, sections[i], table, names);
  return found != 0 ? found : find_by_relocations(elf, relocations, table, names);
}

/* Where the address of go:func.* stands in a module. */
static uint32_t inlined_field(const struct unwind_elf *elf, bool is_1_18)
{
  Elf64_Shdr section;

  if (is_1_18)
    return MODULE_INLINED_1_18;
  return unwind_elf_find_section(elf, ".go.type", &section) ? MODULE_INLINED_1_27 : MODULE_INLINED_1_20;
}

void unwind_go_module_find(const struct unwind_elf *elf, uint64_t table, uint64_t names, bool is_1_18,
                           struct unwind_go_module *ret)
{
  struct unwind_bytes relocations = {0};
  Elf64_Shdr section;
  uint64_t module;

  *ret = (struct unwind_go_module){0};
  if (unwind_elf_find_section(elf, ".rela.dyn", &section) || unwind_elf_find_section(elf, ".rela", &section))
    unwind_elf_section_bytes(elf, &section, &relocations);
  module = find_module(elf, &relocations, table, names);
  if (module != 0) {
    ret->text = read_pointer(elf, &relocations, module + MODULE_TEXT);
    unwind_elf_find_address(elf, read_pointer(elf, &relocations, module + inlined_field(elf, is_1_18)),
                            &ret->inlined);
  } else if (unwind_elf_find_section(elf, ".text", &section)) {
    ret->text = section.sh_addr; /* where no other linker had a hand in it */
  }
}

/* Before 1.20 a word of the tree's parent stands first, and the line of the call behind its file. */
bool unwind_go_call_read(const struct unwind_go_bytes *inlined, uint64_t tree, uint32_t index, bool is_1_18,
                         struct unwind_go_call *ret)
{
  const uint32_t size = is_1_18 ? 20 : 16, name = is_1_18 ? 12 : 4, caller = is_1_18 ? 16 : 8;
  uint64_t at = tree + (uint64_t)index * size;

  if (at > inlined->size || inlined->size - at < size)
    return false;
  *ret = (struct unwind_go_call){0};
  memcpy(&ret->name, inlined->bytes + at + name, sizeof ret->name);
  memcpy(&ret->caller, inlined->bytes + at + caller, sizeof ret->caller);
  if (!is_1_18)
    memcpy(&ret->line, inlined->bytes + at + 12, sizeof ret->line);
  return true;
}
