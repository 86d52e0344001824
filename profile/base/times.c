/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/times.h"

gsize profile_times_find(const guint64 *times, gsize begin, gsize end, guint64 time)
{
  gsize low = begin, high = end;

  while (low < high) {
    gsize middle = low + (high - low) / 2;
    if (times[middle] < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
