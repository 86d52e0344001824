/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
/* One number for a time of two parts. */
#include <glib.h>

/* Nanoseconds of seconds and a part of a second (0 to 999,999,999). Files may be from any year: what 64 bits
 * cannot hold (before 1678, after 2261) becomes the nearest that they can. */
static inline gint64 profile_nanoseconds(gint64 seconds, gint64 part)
{
  gint64 time;

  if (__builtin_mul_overflow(seconds, G_GINT64_CONSTANT(1000000000), &time) ||
      __builtin_add_overflow(time, part, &time))
    return seconds < 0 ? G_MININT64 : G_MAXINT64;
  return time;
}
