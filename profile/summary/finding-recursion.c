/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function that calls itself makes trees deep and hides what lies below it. */
#include <glib/gi18n.h>

#include "profile/base/memory.h"
#include "profile/capture/stacks-private.h"
#include "profile/summary/summary-private.h"

/* Samples in which it stands twice; and how often it must stand in one of them. */
#define LEAST 0.2
enum { DEEP = 4 };

/* How often each node's function stands on its way from the root. Whoever stands again was close before. */
static guint32 *count_calls(const ProfileSummaryFacts *facts)
{
  const guint32 *parents = profile_stacks_get_parents(facts->stacks);
  const guint32 *functions = profile_stacks_get_functions(facts->stacks);
  const guint8 *outermost = profile_stacks_get_outermost(facts->stacks);
  gsize n = profile_stacks_get_n_nodes(facts->stacks);
  guint32 *calls = profile_new0(guint32, n);

  for (gsize i = 1; i < n; i++) {
    guint32 above = outermost[i] & PROFILE_OUTERMOST_FUNCTION ? 0 : parents[i];
    while (above && functions[above] != functions[i])
      above = parents[above];
    calls[i] = above ? calls[above] + 1 : 1;
  }
  return calls;
}

gboolean profile_summary_find_recursion(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  const guint32 *functions = profile_stacks_get_functions(facts->stacks);
  gsize n = profile_stacks_get_n_nodes(facts->stacks);
  gsize n_functions = profile_stacks_get_n_functions(facts->stacks);
  g_autofree guint32 *calls = count_calls(facts);
  g_autofree guint64 *again = profile_new0(guint64, n_functions);
  g_autofree guint32 *deepest = profile_new0(guint32, n_functions);
  guint32 most = 0;

  for (gsize i = 1; i < n; i++) {
    guint64 measure =
        profile_weights_measure(facts->weights, profile_weights_get_total(facts->weights, (guint32)i));
    guint32 function = functions[i];
    if (measure == 0 || function == 0)
      continue;
    deepest[function] = MAX(deepest[function], calls[i]);
    again[function] += calls[i] == 2 ? measure : 0;
    if (again[function] > again[most])
      most = function;
  }
  if (deepest[most] < DEEP || (double)again[most] < LEAST * (double)facts->sum)
    return FALSE;
  g_autofree char *name = profile_summary_format_function(facts, most);
  g_autofree char *share = profile_summary_format_share(facts, again[most]);
  /* TRANSLATORS: "fib calls itself in 87 %, up to 24 deep." */
  ret->sentence = g_strdup_printf(_("%s calls itself in %s, up to %u deep."), name, share, deepest[most]);
  ret->function = most;
  ret->show = PROFILE_SUMMARY_COLLAPSE_RECURSION;
  return TRUE;
}
