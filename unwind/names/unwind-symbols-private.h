/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols of one file, and the rule by which an offset gets its function: that of
 * profile/elf/symbols.h, so that a function has one name whoever looks it up. Of names
 * of equal rank profile/ takes the longer one as a person reads it; here, where nothing is demangled, the
 * longer one as it stands.
 */
#ifndef UNWIND_SYMBOLS_PRIVATE_H
#define UNWIND_SYMBOLS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_symbol {
  uint64_t start; /* file offsets */
  uint64_t end;
  uint64_t reach;   /* once settled: the largest end among this and those before it */
  const char *name; /* not terminated; the file's, or a text of the symbols' own */
  uint32_t length;
  uint32_t order;  /* in which it was added */
  uint8_t binding; /* STB_* */
  bool sizeless;   /* its end is a guess: where the next one begins */
};

struct unwind_symbols {
  struct unwind_symbol *items;
  size_t n;
  size_t capacity;
};

void unwind_symbols_clear(struct unwind_symbols *symbols);
/* size 0: not known. Adding goes on after settle; what was settled keeps its place before later ones. 0 or
 * -ENOMEM. */
int unwind_symbols_add(struct unwind_symbols *symbols, uint64_t start, uint64_t size, uint8_t binding,
                       const char *name, uint32_t length);
/* Sorts, ends and chooses; once after each table that was added. */
void unwind_symbols_settle(struct unwind_symbols *symbols);
/* Sorts only: for symbols that are right as they are. */
void unwind_symbols_sort(struct unwind_symbols *symbols);
/* The symbol that holds offset, and the stretch around offset that belongs to it and to none that lies in it;
 * or NULL, and the stretch around offset that no symbol holds. Only after settle or sort. */
const struct unwind_symbol *unwind_symbols_find(const struct unwind_symbols *symbols, uint64_t offset,
                                                uint64_t *ret_start, uint64_t *ret_end);

#endif
