/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of a handful of samples no share means anything. */
#include <glib/gi18n.h>
#include <inttypes.h>

#include "profile/base/duration.h"
#include "profile/summary/summary-private.h"

enum { FEW = 20 };

static ProfileSummaryShow get_other_event(const ProfileSummaryFacts *facts)
{
  return facts->waiting == G_MAXUINT ? PROFILE_SUMMARY_RECORD_WAITING : PROFILE_SUMMARY_SHOW_WAITING;
}

gboolean profile_summary_find_few_samples(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  guint64 n = profile_weights_get_sum(facts->weights).count;

  if (n >= FEW)
    return FALSE;
  g_autofree char *samples =
      n == 0 ? g_strdup(_("No samples"))
             : g_strdup_printf(ngettext("%" PRIu64 " sample", "%" PRIu64 " samples", n), n);
  g_autofree char *lasts = profile_duration_to_string((guint64)facts->lasts);
  g_autofree char *ran = profile_duration_to_string((guint64)(facts->cpus * facts->lasts));
  if (facts->cpus > 0)
    /* TRANSLATORS: "3 samples: the command was on a CPU for 3 ms of 1.1 s." */
    ret->sentence =
        g_strdup_printf(_("%s: what was recorded was on a CPU for %s of %s."), samples, ran, lasts);
  else
    /* TRANSLATORS: "3 samples in 1.1 s." */
    ret->sentence = g_strdup_printf(_("%s in %s."), samples, lasts);
  ret->show =
      facts->event->detail == CAPTURE_DETAIL_OFF_CPU ? PROFILE_SUMMARY_SHOW_NOTHING : get_other_event(facts);
  return TRUE;
}
