/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/duration.h"

#include <glib/gi18n.h>

/* As many decimals as make four digits. */
static char *duration_format(const char *unit, double value)
{
  int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;

  return g_strdup_printf("%.*f %s", decimals, value, unit);
}

char *profile_duration_to_string(guint64 nanoseconds)
{
  double value = (double)nanoseconds;

  if (value < 1e3)
    return g_strdup_printf("%" G_GUINT64_FORMAT " %s", nanoseconds, _("ns"));
  if (value < 999.95e3)
    return duration_format(_("µs"), value / 1e3);
  if (value < 999.95e6)
    return duration_format(_("ms"), value / 1e6);
  return duration_format(_("s"), value / 1e9);
}
