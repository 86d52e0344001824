/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/counter.h"

#include <math.h>

void profile_counter_get_range(const ProfileCounter *counter, double *min, double *max)
{
  *min = *max = counter->value[0];
  for (gsize i = 1; i < counter->n; i++) {
    *min = fmin(*min, counter->value[i]);
    *max = fmax(*max, counter->value[i]);
  }
}

char *profile_counter_describe(const ProfileCounter *counter, double value)
{
  if (g_strcmp0(counter->unit, "B") == 0 && value >= 1000 && value < (double)G_MAXINT64)
    return g_format_size((guint64)value);
  return g_strdup_printf(value == floor(value) && fabs(value) < 1e15 ? "%.0f%s%s" : "%.6g%s%s", value,
                         counter->unit ? " " : "", counter->unit ? counter->unit : "");
}
