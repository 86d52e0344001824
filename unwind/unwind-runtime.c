/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-runtime-private.h"

#include <string.h>

/* A new runtime is a row here, see CONTRIBUTING.md. */
static bool (*const finders[])(const struct unwind_elf *elf, struct unwind_runtime *ret) = {
    unwind_runtime_find_python, unwind_runtime_find_hotspot, unwind_runtime_find_v8,
    unwind_runtime_find_php,    unwind_runtime_find_ruby,
};

bool unwind_runtime_find(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
    *ret = (struct unwind_runtime){0};
    if (finders[i](elf, ret))
      return true;
  }
  return false;
}

bool unwind_runtime_each_symbol(const struct unwind_elf *elf,
                                bool (*take)(const char *name, const Elf64_Sym *symbol, void *data),
                                void *data)
{
  for (uint32_t i = 1; i < elf->n_sections; i++) {
    Elf64_Shdr section = unwind_elf_section(elf, i), names_section;
    struct unwind_bytes symbols, names;
    Elf64_Sym symbol;

    if ((section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) ||
        section.sh_link >= elf->n_sections || !unwind_elf_section_bytes(elf, &section, &symbols))
      continue;
    names_section = unwind_elf_section(elf, section.sh_link);
    if (!unwind_elf_section_bytes(elf, &names_section, &names) || names.size == 0 ||
        names.bytes[names.size - 1] != '\0')
      continue;
    for (size_t at = 0; symbols.size - at >= sizeof symbol; at += sizeof symbol) {
      memcpy(&symbol, symbols.bytes + at, sizeof symbol);
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size &&
          take((const char *)names.bytes + symbol.st_name, &symbol, data))
        return true;
    }
  }
  return false;
}

struct search {
  const char *name;
  Elf64_Sym *ret;
};

static bool take_wanted(const char *name, const Elf64_Sym *symbol, void *data)
{
  const struct search *search = data;

  if (strcmp(name, search->name) != 0)
    return false;
  *search->ret = *symbol;
  return true;
}

bool unwind_runtime_find_symbol(const struct unwind_elf *elf, const char *name, Elf64_Sym *ret)
{
  struct search search = {name, ret};

  return unwind_runtime_each_symbol(elf, take_wanted, &search);
}

bool unwind_runtime_read(const struct unwind_elf *elf, uint64_t address, void *ret, size_t size)
{
  struct unwind_bytes bytes;

  if (!unwind_elf_find_address(elf, address, &bytes) || bytes.size < size)
    return false;
  memcpy(ret, bytes.bytes, size);
  return true;
}
