/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names functions in an ELF file: which symbol each of some offsets lies in. Names are as they stand in the
 * symbol table, not demangled. Every byte of the file is hostile, and costs its names at worst. Memory is
 * bounded by the size of the file, and by what .gnu_debugdata may become (256 MiB). Thread-safe; several
 * files can be read at once.
 *
 * Symbols are those of .symtab, else of .gnu_debugdata's (xz), and of .dynsym where those have none; then
 * "NAME@plt" for the linker's stubs (x86-64), then functions that only the unwind information knows. Separate
 * debug files are not looked for: whoever reads this file has no other.
 */
#ifndef UNWIND_NAMES_H
#define UNWIND_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWIND_NAMES_MAGIC 0x454d414eu
#define UNWIND_NAME_MAX    4095 /* longer ones are cut */
#define UNWIND_OFFSETS_MAX 8192

enum unwind_names_status {
  UNWIND_NAMES_SYMBOLS = 0, /* there is a full table */
  UNWIND_NAMES_DYNAMIC = 1, /* only what it exports */
  UNWIND_NAMES_NONE = 2     /* no symbols at all */
};

struct unwind_name {
  uint64_t start; /* file offsets: the stretch that is this function's, and of none that lies in it */
  uint64_t end;
  uint32_t at; /* where in all of it the name stands, not terminated */
  uint32_t length;
  uint32_t
      nameless; /* 1: no symbol names it; the unwind information says where it is. Its name is "fn@15ae0" */
  uint32_t reserved;
};

/* In one piece of memory: this, then the names' texts. */
struct unwind_names {
  uint32_t magic;
  uint32_t size;   /* of all of it */
  uint32_t status; /* enum unwind_names_status */
  uint32_t n;
  struct unwind_name names[]; /* ascending, not overlapping */
};

/* Names what n offsets (ascending, at most UNWIND_OFFSETS_MAX of them) in `size` bytes of an ELF file lie in;
 * what has no name is left out. *ret is to be freed with free(). 0, or a negative errno with *ret untouched:
 * -ENOEXEC no ELF file of a machine that is understood (64 bits, x86-64 or aarch64), -EINVAL (offsets),
 * -ENOMEM. */
int unwind_names_find(const void *elf, size_t size, const uint64_t *offsets, size_t n,
                      struct unwind_names **ret);

/* Whether all of `size` bytes are names: sizes, order, texts inside. What comes from another process is asked
 * before it is used. */
bool unwind_names_are_valid(const void *names, size_t size);

#endif
