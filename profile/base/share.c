/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/share.h"

#include <glib/gi18n.h>

char *profile_share_to_string(guint64 part, guint64 whole)
{
  double percent = whole == 0 ? 0 : (double)part * 100 / (double)whole;

  if (part > 0 && percent < 0.05)
    /* TRANSLATORS: A share of the samples that is more than nothing, but rounds to it. */
    return g_strdup_printf(_("<%.1f %%"), 0.1);
  if (part < whole && percent >= 99.95)
    /* TRANSLATORS: A share of the samples that is less than all, but rounds to it. */
    return g_strdup_printf(_(">%.1f %%"), 99.9);
  /* TRANSLATORS: A share of the samples. */
  return g_strdup_printf(_("%.1f %%"), percent);
}
