/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/function-name.h"

#include <string.h>

#include "profile/views/rows.h"

/* Folded stacks write ":" for ";", which stands between functions there. */
static gsize match_length(const char *name, const char *wanted)
{
  gsize length = 0;

  while (wanted[length] && (name[length] == wanted[length] || (name[length] == ';' && wanted[length] == ':')))
    length++;
  return length;
}

gboolean profile_function_name_matches(const ProfileStacks *stacks, guint32 function, const char *wanted)
{
  const char *name = profile_stacks_get_function_name(stacks, function);
  gsize length = match_length(name, wanted);

  if (wanted[length] == '\0')
    return name[length] == '\0' || name[length] == '(';
  if (name[length] != '\0')
    return FALSE;
  if (strcmp(wanted + length, "_[k]") == 0)
    return profile_stacks_function_is_kernel(stacks, function);
  return strcmp(wanted + length, "_[j]") == 0 &&
         profile_stacks_get_function(stacks, function)->kind == CAPTURE_SPACE_IDENTIFIERS;
}

guint32 profile_function_name_find(ProfileWeights *weights, const char *wanted)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
  const ProfileStacks *stacks = profile_weights_get_stacks(weights);
  guint32 found = G_MAXUINT32;
  guint64 most = 0;

  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    ProfileRow row = profile_rows_get(rows, i);
    if (row.total.count <= most || !profile_function_name_matches(stacks, row.item, wanted))
      continue;
    found = row.item;
    most = row.total.count;
  }
  return found;
}
