/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a language's runtime in a binary. */
#ifndef UNWIND_RUNTIME_PRIVATE_H
#define UNWIND_RUNTIME_PRIVATE_H

#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-runtime.h"

/* Whether the file holds one that is understood; then it is *ret. */
bool unwind_runtime_find(const struct unwind_elf *elf, struct unwind_runtime *ret);

/* Calls take with each symbol that the file defines, the exported ones first, until it says true, which is
 * returned. Symbols stand in the table twice where they are exported. */
bool unwind_runtime_each_symbol(const struct unwind_elf *elf,
                                bool (*take)(const char *name, const Elf64_Sym *symbol, void *data),
                                void *data);

/* A symbol of a name, of the exported ones, else of all. */
bool unwind_runtime_find_symbol(const struct unwind_elf *elf, const char *name, Elf64_Sym *ret);

/* What the file has at an address; false where it has not all of it. */
bool unwind_runtime_read(const struct unwind_elf *elf, uint64_t address, void *ret, size_t size);

bool unwind_runtime_find_hotspot(const struct unwind_elf *elf, struct unwind_runtime *ret);
bool unwind_runtime_find_php(const struct unwind_elf *elf, struct unwind_runtime *ret);
bool unwind_runtime_find_python(const struct unwind_elf *elf, struct unwind_runtime *ret);
bool unwind_runtime_find_ruby(const struct unwind_elf *elf, struct unwind_runtime *ret);
bool unwind_runtime_find_v8(const struct unwind_elf *elf, struct unwind_runtime *ret);

#endif
