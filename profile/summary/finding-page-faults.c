/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is touched for the first time, or was taken away: the kernel fetches it. */
#include <glib/gi18n.h>

#include "profile/summary/summary-private.h"

/* Through which a fault enters the kernel, by architecture; sorted. */
static const char *const faults[] = {
    "asm_exc_page_fault", "do_mem_abort", "do_page_fault", "do_user_addr_fault", "el0_da", "el0_ia",
    "exc_page_fault",
};

gboolean profile_summary_find_page_faults(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  g_autofree char *share = NULL, *caller = NULL;

  if (facts->event->detail == CAPTURE_DETAIL_OFF_CPU)
    return FALSE;
  if (!profile_summary_find_group(facts, faults, G_N_ELEMENTS(faults), ret, &share, &caller))
    return FALSE;
  /* TRANSLATORS: "14 % brings in memory that is touched for the first time, mostly in fill." */
  ret->sentence =
      caller ? g_strdup_printf(_("%s brings in memory that is touched for the first time, mostly in %s."),
                               share, caller)
             : g_strdup_printf(_("%s brings in memory that is touched for the first time."), share);
  return TRUE;
}
