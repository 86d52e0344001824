/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/subtitle.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

/* Nanoseconds on processors, by the first event that says so; 0: none does. */
static guint64 get_cpu_time(ProfileCapture *capture)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(capture, &n);
  guint64 sum = 0;

  for (guint i = 0; i < n && sum == 0; i++) {
    if (events[i].unit != CAPTURE_UNIT_NANOSECONDS || events[i].detail == CAPTURE_DETAIL_OFF_CPU)
      continue;
    if (!events[i].weight)
      sum = events[i].n_samples * events[i].constant_weight;
    for (gsize j = 0; events[i].weight && j < events[i].n_samples; j++)
      sum += events[i].weight[j];
  }
  return sum;
}

char *viewer_subtitle_make(ProfileCapture *capture)
{
  guint n_threads = profile_capture_count_threads(capture);
  guint64 cpu = get_cpu_time(capture);
  g_autofree char *lasts = viewer_format_duration(profile_capture_get_duration(capture));
  g_autofree char *ran = viewer_format_duration(cpu);
  g_autofree char *threads = g_strdup_printf(ngettext("%u thread", "%u threads", n_threads), n_threads);

  if (cpu == 0)
    /* TRANSLATORS: How long a recording lasts, and of how many threads it is. */
    return g_strdup_printf(_("%s · %s"), lasts, threads);
  /* TRANSLATORS: How long a recording lasts, for how long programs ran, and of how many threads it is. */
  return g_strdup_printf(_("%s · %s CPU · %s"), lasts, ran, threads);
}
