/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread works while the others of its process wait for it. */
#include <glib/gi18n.h>

#include "profile/base/printable.h"
#include "profile/summary/summary-private.h"

#define MOST 0.8

/* Threads of the process but for one. */
static guint count_others(const ProfileSummaryFacts *facts, guint32 thread)
{
  guint n, others = 0;
  const ProfileThread *threads = profile_capture_get_threads(facts->capture, &n);

  for (guint i = 1; i < n; i++)
    others +=
        i != thread && threads[i].process == threads[thread].process && threads[i].tid != threads[thread].tid;
  return others;
}

gboolean profile_summary_find_threads(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  guint n;
  const ProfileThread *threads = profile_capture_get_threads(facts->capture, &n);

  if (facts->sum == 0 || profile_rows_get_n(facts->threads) == 0 ||
      facts->event->detail == CAPTURE_DETAIL_OFF_CPU)
    return FALSE;
  ProfileRow row = profile_rows_get(facts->threads, 0);
  guint64 measure = profile_weights_measure(facts->weights, row.self);
  guint others = count_others(facts, row.item);
  if (row.item == 0 || others == 0 || (double)measure < MOST * (double)facts->sum)
    return FALSE;
  g_autofree char *share = profile_summary_format_share(facts, measure);
  g_autofree char *name = profile_printable(threads[row.item].name);
  ret->sentence = g_strdup_printf(
      /* TRANSLATORS: "97 % in one thread, worker (1234), while 7 others of its process wait." */
      ngettext("%s in one thread, %s (%d), while %u other of its process waits.",
               "%s in one thread, %s (%d), while %u others of its process wait.", others),
      share, name, threads[row.item].tid, others);
  ret->show = PROFILE_SUMMARY_SHOW_THREADS;
  return TRUE;
}
