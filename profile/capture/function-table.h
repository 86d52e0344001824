/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The named functions of one binary (or of the kernel), ascending by start, not overlapping.
 * Built once, then immutable and readable from any thread. Reference counted.
 */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

typedef struct {
  guint64 start;            /* file offset; kernel address for the kernel */
  guint64 end;              /* first byte after it */
  const char *name;         /* demangled */
  const char *linkage_name; /* as in the symbol table; the same pointer as name when equal */
  const char *file;         /* source file, NULL not known */
  const char *module;       /* kernel module, NULL none */
  guint32 line;             /* 0 not known */
  gboolean served;          /* named by the recorder, which may read what we may not */
  gboolean nameless;        /* no symbol names it: name is "fn@15ae0", its address in the file */
} ProfileFunctionRange;

typedef struct _ProfileFunctionTable ProfileFunctionTable;

/* Starts an empty table that says how it came about. Strings given to add are copied (equal ones once). */
ProfileFunctionTable *profile_function_table_new(enum capture_naming status);
/* Adds in any order. */
void profile_function_table_add(ProfileFunctionTable *self, const ProfileFunctionRange *range);
/* Sorts; where two overlap the earlier one ends where the later one begins. Call once, before any lookup. */
void profile_function_table_seal(ProfileFunctionTable *self);

/* A new sealed table of what both say, where they differ `table`; its status is that of what is named better.
 */
ProfileFunctionTable *profile_function_table_join(const ProfileFunctionTable *old,
                                                  const ProfileFunctionTable *table);

ProfileFunctionTable *profile_function_table_ref(ProfileFunctionTable *self);
void profile_function_table_unref(ProfileFunctionTable *self);

enum capture_naming profile_function_table_get_status(const ProfileFunctionTable *self);
const ProfileFunctionRange *profile_function_table_get_ranges(const ProfileFunctionTable *self,
                                                              gsize *n_ranges);
/* The range that holds offset, or NULL. */
const ProfileFunctionRange *profile_function_table_lookup(const ProfileFunctionTable *self, guint64 offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileFunctionTable, profile_function_table_unref)

G_END_DECLS
