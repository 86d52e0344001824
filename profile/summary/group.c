/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "profile/base/memory.h"
#include "profile/summary/summary-private.h"

#define LEAST 0.1

enum { NAME_MAX_LENGTH = 64 };

typedef struct {
  guint64 measure; /* of samples that lead through one of them, each counted once */
  guint32 callers; /* the function by which most of those came to them; G_MAXUINT32: none did */
  guint32 most;    /* the one of them that most come to first; G_MAXUINT32: none */
} Group;

static int compare_names(const void *name, const void *entry)
{
  return strcmp(name, *(const char *const *)entry);
}

/* "malloc" of "malloc", "operator new" of "operator new(unsigned long)", "__mutex_lock" of
 * "__mutex_lock.constprop.0". */
static gboolean is_among(const char *name, const char *const *names, gsize n_names)
{
  char plain[NAME_MAX_LENGTH];
  gsize length = strcspn(name, "(.@");

  if (length == 0 || length >= sizeof plain)
    return FALSE;
  memcpy(plain, name, length);
  plain[length] = '\0';
  return bsearch(plain, names, n_names, sizeof names[0], compare_names) != NULL;
}

/* One byte a function. NULL: none is among them. */
static guint8 *mark_functions(const ProfileSummaryFacts *facts, const char *const *names, gsize n_names)
{
  gsize n = profile_stacks_get_n_functions(facts->stacks);
  g_autofree guint8 *marks = profile_new0(guint8, n);
  gboolean any = FALSE;

  for (gsize i = 0; i < n; i++)
    if (profile_stacks_get_function(facts->stacks, (guint32)i)->range &&
        is_among(profile_stacks_get_function_name(facts->stacks, (guint32)i), names, n_names))
      any = marks[i] = TRUE;
  return any ? g_steal_pointer(&marks) : NULL;
}

static guint32 find_most(const guint64 *sums, gsize n)
{
  guint32 most = G_MAXUINT32;

  for (gsize i = 0; i < n; i++)
    if (sums[i] > (most == G_MAXUINT32 ? 0 : sums[most]))
      most = (guint32)i;
  return most;
}

/* Parents stand before their children. */
static void measure_group(const ProfileSummaryFacts *facts, const char *const *names, gsize n_names,
                          Group *ret)
{
  const guint32 *parents = profile_stacks_get_parents(facts->stacks);
  const guint32 *functions = profile_stacks_get_functions(facts->stacks);
  gsize n = profile_stacks_get_n_nodes(facts->stacks);
  gsize n_functions = profile_stacks_get_n_functions(facts->stacks);
  g_autofree guint8 *marks = mark_functions(facts, names, n_names);

  *ret = (Group){.callers = G_MAXUINT32, .most = G_MAXUINT32};
  if (!marks)
    return;
  g_autofree guint8 *inside = profile_new0(guint8, n);
  g_autofree guint64 *by_caller = profile_new0(guint64, n_functions);
  g_autofree guint64 *by_function = profile_new0(guint64, n_functions);
  for (gsize i = 1; i < n; i++) {
    inside[i] = inside[parents[i]] || marks[functions[i]];
    if (!inside[i] || inside[parents[i]])
      continue;
    guint64 measure =
        profile_weights_measure(facts->weights, profile_weights_get_total(facts->weights, (guint32)i));
    ret->measure += measure;
    by_function[functions[i]] += measure;
    if (parents[i])
      by_caller[functions[parents[i]]] += measure;
  }
  ret->callers = find_most(by_caller, n_functions);
  ret->most = find_most(by_function, n_functions);
}

gboolean profile_summary_find_group(const ProfileSummaryFacts *facts, const char *const *names, gsize n_names,
                                    ProfileSummaryFinding *ret, char **ret_share, char **ret_caller)
{
  Group group;

  measure_group(facts, names, n_names, &group);
  if (group.measure == 0 || (double)group.measure < LEAST * (double)facts->sum)
    return FALSE;
  *ret_share = profile_summary_format_share(facts, group.measure);
  *ret_caller = group.callers == G_MAXUINT32 ? NULL : profile_summary_format_function(facts, group.callers);
  ret->show = PROFILE_SUMMARY_SHOW_CALLERS;
  ret->function = group.most;
  return TRUE;
}
