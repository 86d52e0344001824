/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-relocations-private.h"

#include <elf.h>
#include <string.h>

bool dwarf_relocations_are_known(uint16_t machine)
{
  return machine == EM_X86_64 || machine == EM_AARCH64;
}

/* Bytes of an absolute value; 0: it is something else. */
static size_t get_width(uint16_t machine, uint32_t type)
{
  if (machine == EM_X86_64)
    return type == R_X86_64_64 ? 8 : type == R_X86_64_32 || type == R_X86_64_32S ? 4 : 0;
  return type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 : 0;
}

/* False: it is defined elsewhere. */
static bool relocations_find_symbol(const struct dwarf_relocations *relocations, uint32_t i, uint64_t *ret)
{
  Elf64_Sym symbol;

  if (i >= relocations->symbols.size / sizeof symbol)
    return false;
  memcpy(&symbol, (const uint8_t *)relocations->symbols.bytes + (size_t)i * sizeof symbol, sizeof symbol);
  *ret = symbol.st_value;
  if (symbol.st_shndx == SHN_ABS)
    return true;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
      symbol.st_shndx >= relocations->n_sections)
    return false;
  *ret += relocations->sections[symbol.st_shndx].address;
  return true;
}

static void relocations_apply_entry(const struct dwarf_relocations *relocations, const Elf64_Rela *entry,
                                    uint8_t *bytes, size_t size)
{
  size_t width = get_width(relocations->machine, (uint32_t)ELF64_R_TYPE(entry->r_info));
  uint64_t value;

  if (width == 0 || entry->r_offset > size || size - entry->r_offset < width ||
      !relocations_find_symbol(relocations, (uint32_t)ELF64_R_SYM(entry->r_info), &value))
    return;
  value += (uint64_t)entry->r_addend;
  memcpy(bytes + entry->r_offset, &value, width);
}

int dwarf_relocations_apply(const struct dwarf_relocations *relocations, uint8_t *bytes, size_t size,
                            struct dwarf_budget *budget)
{
  const uint8_t *at = relocations->entries.bytes;
  size_t n = relocations->entries.size / sizeof(Elf64_Rela);
  int error = 0;

  for (size_t i = 0; i < n && error == 0; i++) {
    Elf64_Rela entry;

    memcpy(&entry, at + i * sizeof entry, sizeof entry);
    relocations_apply_entry(relocations, &entry, bytes, size);
    error = dwarf_budget_work(budget, 1);
  }
  return error;
}
