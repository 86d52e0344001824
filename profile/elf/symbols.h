/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols of one binary, and the rule by which an address gets its function. The rule is perf's, so that
 * both tools count the same samples for the same code, but for the name that is shown:
 *
 *   - a symbol without a size ends where the next one begins;
 *   - of several symbols at one address the best is kept: one that has a size, then fewer
 *     leading underscores, then not weak (a symbol of an old version counts as weak), then
 *     global, then the longer (demangled) name, then the first. So free is neither cfree nor
 *     __libc_free, and read, which is weak, is not __read;
 *   - where symbols lie in one another the innermost holds the address (perf: whichever its
 *     search tree meets first).
 *
 * Where only exported symbols are left, what follows one without a size may be functions without a name: then
 * it holds no more than the function that it begins in, by the unwind information, or the gap between two
 * (perf: all of it). Whoever looks it up sees to that.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 start, end; /* file offsets */
  const char *name;   /* linkage name, not owned */
  guint8 binding;     /* STB_* */
  gboolean sizeless;  /* its end is a guess: where the next one begins */
} ProfileSymbol;

typedef struct _ProfileSymbols ProfileSymbols;

ProfileSymbols *profile_symbols_new(void);
void profile_symbols_free(ProfileSymbols *self);
/* Keeps text, which names given to add point into, and frees it with g_free at the end. */
void profile_symbols_keep(ProfileSymbols *self, gpointer text);
/* Longer ones are no names: a table without ends of texts would have megabytes of them in every entry. */
#define PROFILE_SYMBOLS_NAME_MAX (64 * 1024)
/* length 0: not known. Adding goes on after settle; what was settled keeps its place before later ones. A
 * symbol whose name is longer than PROFILE_SYMBOLS_NAME_MAX is left out. */
void profile_symbols_add(ProfileSymbols *self, guint64 start, guint64 length, guint8 binding,
                         const char *name);
/* Sorts, ends and chooses; once after each table that was added. */
void profile_symbols_settle(ProfileSymbols *self);
/* Sorts only: for symbols that are right as they are. */
void profile_symbols_sort(ProfileSymbols *self);
gsize profile_symbols_get_n(const ProfileSymbols *self);

/* The symbol that holds offset, and the stretch around offset that belongs to it and to none that lies in it;
 * or NULL, and the stretch around offset that no symbol holds. Only after settle or sort. Thread-safe then.
 */
const ProfileSymbol *profile_symbols_lookup(const ProfileSymbols *self, guint64 offset, guint64 *ret_start,
                                            guint64 *ret_end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileSymbols, profile_symbols_free)

G_END_DECLS
