/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/amount.h"

#include "profile/base/duration.h"

char *profile_amount_to_string(enum capture_unit unit, guint64 amount)
{
  switch (unit) {
  case CAPTURE_UNIT_NANOSECONDS:
    return profile_duration_to_string(amount);
  case CAPTURE_UNIT_BYTES:
    return g_format_size(amount);
  default:
    return g_strdup_printf("%" G_GUINT64_FORMAT, amount);
  }
}
