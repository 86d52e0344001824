/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/span.h"

static void span_widen(guint64 first, guint64 last, guint64 *low, guint64 *high)
{
  *low = MIN(*low, first);
  *high = MAX(*high, last);
}

/* Of what programs told: only where there is nothing better, because their clocks are believed less. */
static void widen_by_told(ProfileCapture *capture, guint64 *low, guint64 *high)
{
  gsize n_marks;
  guint n_counters;
  const ProfileMark *marks = profile_capture_get_marks(capture, &n_marks);
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n_counters);

  if (n_marks > 0)
    span_widen(marks[0].time, marks[n_marks - 1].time, low, high);
  for (guint i = 0; i < n_counters; i++)
    if (counters[i].n > 0)
      span_widen(counters[i].time[0], counters[i].time[counters[i].n - 1], low, high);
}

void profile_span_get(ProfileCapture *capture, guint64 *ret_first, guint64 *ret_end)
{
  guint64 low = G_MAXUINT64, high = 0, first, last;
  struct capture_file_header header;

  profile_capture_get_header(capture, &header);
  if (profile_capture_get_time_range(capture, &first, &last))
    span_widen(first, last, &low, &high);
  const struct capture_ended *ended = &header.ended;
  gboolean knows_begin = header.time > 0 && header.time <= low;
  gboolean knows_end = knows_begin && ended->reason != CAPTURE_END_NONE &&
                       ended->reason != CAPTURE_END_IMPORTED && ended->time >= MAX(high, header.time);
  if (knows_end)
    span_widen(header.time, ended->time, &low, &high);
  else if (low > high)
    widen_by_told(capture, &low, &high);
  if (knows_begin && low <= high)
    low = MIN(low, header.time);
  if (low > high)
    low = high = 0;
  *ret_first = MIN(low, G_MAXUINT64 - 1);
  *ret_end = MAX(MIN(high, G_MAXUINT64 - 1) + 1, *ret_first + 1);
}
