/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/function-name.h"

#include <string.h>

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

static gint compare_totals(gconstpointer a, gconstpointer b)
{
  const ProfileRow *left = a, *right = b;

  return left->total.count > right->total.count ? -1 : left->total.count < right->total.count;
}

GArray *profile_function_name_list(ProfileWeights *weights, const char *wanted)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
  const ProfileStacks *stacks = profile_weights_get_stacks(weights);
  GArray *found = g_array_new(FALSE, FALSE, sizeof(ProfileRow));

  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    ProfileRow row = profile_rows_get(rows, i);
    if (row.total.count > 0 && profile_function_name_matches(stacks, row.item, wanted))
      g_array_append_val(found, row);
  }
  g_array_sort(found, compare_totals); /* stable: of equal ones the rows' first */
  return found;
}

guint32 profile_function_name_find(ProfileWeights *weights, const char *wanted)
{
  g_autoptr(GArray) found = profile_function_name_list(weights, wanted);

  return found->len > 0 ? g_array_index(found, ProfileRow, 0).item : G_MAXUINT32;
}

/* Whether the "<" or "(" there belongs to the name of an operator: operator<, operator<<, operator(). */
static gboolean is_operator(const char *name, const char *at)
{
  static const char word[] = "operator";
  gsize length = strlen(word);

  if (*at == '<' && at > name && at[-1] == '<')
    at--;
  return (gsize)(at - name) >= length && strncmp(at - length, word, length) == 0;
}

/* Whether template arguments begin there. Rust's "<T as Trait>" and "::<impl Trait for T>" are no arguments;
 * those of operator< stand behind a space. */
static gboolean begins_arguments(const char *name, const char *at)
{
  if (*at != '<' || at == name || at[1] == '<' || at[1] == '=' || is_operator(name, at))
    return FALSE;
  if (at[-1] == ':')
    return !g_str_has_prefix(at, "<impl ");
  return g_ascii_isalnum(at[-1]) || strchr("_)>", at[-1]) ||
         (at[-1] == ' ' && at - name > 1 && at[-2] == '<');
}

/* Behind the ">" that closes the arguments that begin there; NULL: nothing does. An arrow, or an operator
 * within parentheses, closes nothing. */
static const char *find_end_of_arguments(const char *at)
{
  guint angles = 0, parentheses = 0;

  for (const char *c = at; *c; c++) {
    if (*c == '(')
      parentheses++;
    else if (*c == ')' && parentheses > 0)
      parentheses--;
    else if (*c == '<' && parentheses == 0)
      angles++;
    else if (*c == '>' && parentheses == 0 && c[-1] != '-' && --angles == 0)
      return c + 1;
  }
  return NULL;
}

char *profile_function_name_fold(const char *name)
{
  GString *folded = g_string_new(NULL);
  gboolean changed = FALSE, closed = TRUE;

  for (const char *c = name; *c;) {
    gboolean begins = closed && begins_arguments(name, c);
    const char *end = begins ? find_end_of_arguments(c) : NULL;

    closed = closed && (!begins || end);
    if (end) {
      g_string_append(folded, "<…>");
      changed = TRUE;
      c = end;
    } else {
      g_string_append_c(folded, *c++);
    }
  }
  return g_string_free(folded, !changed);
}

/* What stands in brackets goes, unless these are what the name begins with or is about. */
char *profile_function_name_shorten(const char *name)
{
  GString *kept = g_string_new(NULL);
  guint depth = 0;

  for (const char *c = name; *c; c++) {
    gboolean opens = *c == '<' || (*c == '(' && !g_str_has_prefix(c, "(anonymous"));
    if (depth == 0 && (!opens || c == name || is_operator(name, c)))
      g_string_append_c(kept, *c);
    else if (*c == '<' || *c == '(')
      depth++;
    else if (*c == ')' || (*c == '>' && c[-1] != '-'))
      depth--;
  }
  return g_string_free(kept, FALSE);
}
