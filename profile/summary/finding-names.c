/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in functions that have no names: half of what is shown cannot be read. */
#include <glib/gi18n.h>

#include "profile/base/memory.h"
#include "profile/base/printable.h"
#include "profile/summary/summary-private.h"

#define LEAST 0.1

static gboolean is_nameless(const ProfileSummaryFacts *facts, guint32 function)
{
  const ProfileFunction *about = profile_stacks_get_function(facts->stacks, function);

  return function == 0 || !about->range || about->range->nameless;
}

gboolean profile_summary_find_names(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  guint64 missing = 0, most = 0;
  g_autoptr(GHashTable) by_binary = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  const char *where = NULL;

  for (gsize i = 0; i < profile_rows_get_n(facts->functions); i++) {
    ProfileRow row = profile_rows_get(facts->functions, i);
    guint64 self = profile_weights_measure(facts->weights, row.self);
    if (self == 0)
      break;
    if (!is_nameless(facts, row.item))
      continue;
    const char *binary = profile_stacks_get_function_binary(facts->stacks, row.item);
    guint64 *sum = g_hash_table_lookup(by_binary, binary);
    if (!sum)
      g_hash_table_insert(by_binary, (gpointer)binary, sum = g_new0(guint64, 1));
    *sum += self;
    missing += self;
    if (*sum > most) {
      most = *sum;
      where = binary;
    }
  }
  if (missing == 0 || (double)missing < LEAST * (double)facts->sum)
    return FALSE;
  g_autofree char *share = profile_summary_format_share(facts, missing);
  g_autofree char *base = g_path_get_basename(where);
  g_autofree char *binary = profile_printable(base);
  /* TRANSLATORS: "35 % in functions without names, mostly of cc1." */
  ret->sentence = g_strdup_printf(_("%s in functions without names, mostly of %s."), share, binary);
  ret->show = PROFILE_SUMMARY_SHOW_HEALTH;
  return TRUE;
}
