/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that is read from an ELF file before its DWARF. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/elf/elf-symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
  g_autoptr(ProfileElf) elf = profile_elf_new_for_bytes(bytes, NULL);
  g_autoptr(ProfileElf) mini = NULL;
  g_autoptr(ProfileSymbols) symbols = NULL;
  g_autofree char *link = NULL;
  guint64 start, end, address;
  guint32 crc;

  if (!elf)
    return 0;
  symbols = profile_symbols_new();
  profile_elf_get_debug_link(elf, &link, &crc);
  mini = profile_elf_open_mini_debug_info(elf);
  if (mini)
    profile_elf_add_symbols(mini, elf, SHT_SYMTAB, symbols);
  profile_elf_add_symbols(elf, elf, SHT_SYMTAB, symbols);
  profile_symbols_settle(symbols);
  profile_elf_add_symbols(elf, elf, SHT_DYNSYM, symbols);
  profile_symbols_settle(symbols);
  profile_elf_add_plt_symbols(elf, symbols);
  profile_symbols_sort(symbols);
  for (guint64 offset = 0; offset < size; offset += 64) {
    const ProfileSymbol *symbol = profile_symbols_lookup(symbols, offset, &start, &end);

    if (symbol && (offset < start || offset >= end))
      g_error("%s does not hold what was looked up", symbol->name);
    profile_elf_offset_to_address(elf, offset, &address);
  }
  return 0;
}
