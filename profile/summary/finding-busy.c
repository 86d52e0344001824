/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the time went on a processor at all. */
#include <glib/gi18n.h>

#include "profile/summary/summary-private.h"

/* Below this share of one processor it is mostly something else; above the other it is all the time. */
#define MOSTLY  0.9
#define THROUGH 0.98

static gboolean is_of_everybody(const ProfileSummaryFacts *facts)
{
  return profile_capture_get_metadata(facts->capture, "command") == NULL &&
         profile_capture_count_processes(facts->capture) > 1;
}

static char *describe_business(const ProfileSummaryFacts *facts)
{
  if (facts->cpus < 0.5)
    return g_strdup_printf(_("Busy %.0f %% of one CPU, mostly waiting."), facts->cpus * 100);
  if (facts->cpus < MOSTLY)
    return g_strdup_printf(_("Busy %.0f %% of one CPU, waiting for the rest."), facts->cpus * 100);
  if (facts->cpus < THROUGH)
    return g_strdup_printf(_("Busy %.0f %% of one CPU."), facts->cpus * 100);
  if (facts->cpus < 1.05)
    return g_strdup(_("Busy on one CPU all the time."));
  return g_strdup_printf(_("Busy on %.1f CPUs on average."), facts->cpus);
}

gboolean profile_summary_find_busy(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  if (facts->cpus <= 0)
    return FALSE;
  ret->sentence = describe_business(facts);
  ret->show = PROFILE_SUMMARY_SHOW_THREADS;
  if (facts->cpus < MOSTLY && !is_of_everybody(facts))
    ret->show = facts->waiting == G_MAXUINT ? PROFILE_SUMMARY_RECORD_WAITING : PROFILE_SUMMARY_SHOW_WAITING;
  return TRUE;
}
