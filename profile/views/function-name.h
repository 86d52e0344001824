/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions as people write them: by name, with or without parameters, or as folded stacks have them. */
#pragma once

#include "profile/views/rows.h"

G_BEGIN_DECLS

/* Whether `wanted` means the function: its whole name, or what stands before "("; with ":" for ";" and with
 * "_[k]" or "_[j]" behind it, as profile_export_folded writes it. */
gboolean profile_function_name_matches(const ProfileStacks *stacks, guint32 function, const char *wanted);
/* The functions so called that samples lead through, by those: ProfileRow, most total first. */
GArray *profile_function_name_list(ProfileWeights *weights, const char *wanted);
/* Of the functions so called the one that most samples lead through; G_MAXUINT32: none of them has any. */
guint32 profile_function_name_find(ProfileWeights *weights, const char *wanted);

/* The name with "<…>" for each list of template arguments: "_Map_base<…>::at(Key const&)"; newly allocated,
 * NULL where there are none. Thread-safe. */
char *profile_function_name_fold(const char *name);
/* The name without parameters and template arguments: "_Map_base::at"; newly allocated, "" where nothing is
 * left of it. Thread-safe. */
char *profile_function_name_shorten(const char *name);

G_END_DECLS
