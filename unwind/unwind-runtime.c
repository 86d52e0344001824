/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-runtime-private.h"

#include <string.h>

/* A new runtime is a row here, and a case of walk-language.h. */
static bool (*const finders[])(const struct unwind_elf *elf, struct unwind_runtime *ret) = {
    unwind_runtime_find_python,
    unwind_runtime_find_hotspot,
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

bool unwind_runtime_find_symbol(const struct unwind_elf *elf, const char *name, Elf64_Sym *ret)
{
  size_t size = strlen(name) + 1;

  for (uint32_t i = 1; i < elf->n_sections; i++) {
    Elf64_Shdr section = unwind_elf_section(elf, i), names_section;
    struct unwind_bytes symbols, names;

    if ((section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) ||
        section.sh_link >= elf->n_sections || !unwind_elf_section_bytes(elf, &section, &symbols))
      continue;
    names_section = unwind_elf_section(elf, section.sh_link);
    if (!unwind_elf_section_bytes(elf, &names_section, &names))
      continue;
    for (size_t at = 0; symbols.size - at >= sizeof *ret; at += sizeof *ret) {
      memcpy(ret, symbols.bytes + at, sizeof *ret);
      if (ret->st_shndx != SHN_UNDEF && ret->st_name < names.size && names.size - ret->st_name >= size &&
          memcmp(names.bytes + ret->st_name, name, size) == 0)
        return true;
    }
  }
  return false;
}

bool unwind_runtime_read(const struct unwind_elf *elf, uint64_t address, void *ret, size_t size)
{
  struct unwind_bytes bytes;

  if (!unwind_elf_find_address(elf, address, &bytes) || bytes.size < size)
    return false;
  memcpy(ret, bytes.bytes, size);
  return true;
}
