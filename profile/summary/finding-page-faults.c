/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is touched for the first time, or was taken away: the kernel fetches it. */
#include <glib/gi18n.h>

#include "profile/summary/summary-private.h"

#define LEAST 0.1

/* Through which a fault enters the kernel, by architecture; sorted. */
static const char *const faults[] = {
    "asm_exc_page_fault", "do_mem_abort", "do_page_fault", "do_user_addr_fault", "el0_da", "el0_ia",
    "exc_page_fault",
};

gboolean profile_summary_find_page_faults(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  ProfileSummaryGroup group;

  if (facts->event->detail == CAPTURE_DETAIL_OFF_CPU)
    return FALSE;
  profile_summary_measure_group(facts, faults, G_N_ELEMENTS(faults), &group);
  if (group.measure == 0 || (double)group.measure < LEAST * (double)facts->sum)
    return FALSE;
  g_autofree char *share = profile_summary_format_share(facts, group.measure);
  g_autofree char *caller =
      group.callers == G_MAXUINT32 ? NULL : profile_summary_format_function(facts, group.callers);
  /* TRANSLATORS: "14 % brings in memory that is touched for the first time, mostly in fill." */
  ret->sentence =
      caller ? g_strdup_printf(_("%s brings in memory that is touched for the first time, mostly in %s."),
                               share, caller)
             : g_strdup_printf(_("%s brings in memory that is touched for the first time."), share);
  ret->show = PROFILE_SUMMARY_SHOW_CALLERS;
  ret->function = group.most;
  return TRUE;
}
