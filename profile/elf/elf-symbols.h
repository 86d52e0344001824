/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the symbols of ELF files into ProfileSymbols. */
#pragma once

#include "profile/elf/elf.h"
#include "profile/elf/symbols.h"

G_BEGIN_DECLS

/* Adds the symbols of source's table `type` (SHT_SYMTAB or SHT_DYNSYM) as offsets in the file of runtime, the
 * binary that ran: source itself, or the one that source is the debug file of. Symbols of code and
 * data are added (those of data bound those of code), undefined, absolute and unnamed ones not.
 * Does not settle. False when there is no such table. */
gboolean profile_elf_add_symbols(const ProfileElf *source, const ProfileElf *runtime, guint32 type,
                                 ProfileSymbols *symbols);

/* Adds "NAME@plt" for the stubs in .plt, .plt.sec and .plt.got (x86-64, i386, AArch64). */
void profile_elf_add_plt_symbols(const ProfileElf *runtime, ProfileSymbols *symbols);

G_END_DECLS
