/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tracks say in words. */
#include <glib/gi18n.h>
#include <math.h>

#include "viewer/kit/format.h"
#include "viewer/pages/timeline/track-draw.h"
#include "viewer/pages/timeline/track-marks.h"
#include "viewer/time/densities.h"

enum { UNIT_LENGTH = 20 };

static const guint64 *get_bins(const ProfileDensity *density, ViewerTrack *track)
{
  guint32 index = viewer_track_get_index(track);

  return viewer_track_get_kind(track) == VIEWER_TRACK_PROCESS
             ? profile_density_get_process_bins(density, index)
             : profile_density_get_bins(density, index);
}

static guint64 get_total(const ProfileDensity *density, ViewerTrack *track)
{
  guint32 index = viewer_track_get_index(track);

  return viewer_track_get_kind(track) == VIEWER_TRACK_PROCESS
             ? profile_density_get_process_total(density, index)
             : profile_density_get_total(density, index);
}

/* "1.5 GB", "12.3 requests", of one that grows "3.2 MB/s". */
static char *format_value(const ProfileCounter *counter, double value)
{
  const char *unit = counter->unit ? counter->unit : "";
  g_autofree char *shown = viewer_format_name(unit, UNIT_LENGTH);
  g_autofree char *text = NULL;

  if ((g_ascii_strcasecmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0) && value >= 0 && value < 1e18)
    text = g_format_size((guint64)value);
  else if (*shown)
    /* TRANSLATORS: A number and its unit. */
    text = g_strdup_printf(_("%.*f %s"), fabs(value) < 100 ? 1 : 0, value, shown);
  else
    text = g_strdup_printf("%.*f", fabs(value) < 100 ? 1 : 0, value);
  if (!counter->totals)
    return g_steal_pointer(&text);
  /* TRANSLATORS: So much a second. */
  return g_strdup_printf(_("%s/s"), text);
}

static char *describe_counter_at(ViewerTimeline *timeline, ViewerTrack *track, guint64 time)
{
  const ViewerTimelineShown *shown = viewer_timeline_get_shown(timeline);
  const ProfileCounter *counter = viewer_timeline_get_counter(timeline, track);
  guint index = viewer_track_get_index(track);
  guint64 first, end;

  if (!shown || !counter || index >= shown->counters->len)
    return NULL;
  const ProfileCounterBins *bins = shown->counters->pdata[index];
  guint n = profile_counter_bins_get_n(bins);
  profile_counter_bins_get_span(bins, &first, &end);
  if (time < first || time >= end)
    return NULL;
  double at = (double)(time - first) / (double)(end - first) * n;
  double value = profile_counter_bins_get(bins)[MIN((guint)at, n - 1)];
  if (isnan(value))
    return NULL;
  g_autofree char *name = viewer_format_name(counter->name, 0);
  g_autofree char *amount = format_value(counter, value);
  /* TRANSLATORS: The name of a counter and its value. */
  return g_strdup_printf(_("%s: %s"), name, amount);
}

static char *describe_density_at(ViewerTimeline *timeline, ViewerTrack *track, guint64 time)
{
  const ViewerTimelineShown *shown = viewer_timeline_get_shown(timeline);
  const guint64 *bins = shown ? get_bins(shown->density, track) : NULL;
  guint bin;

  if (!shown || !profile_density_find_bin(shown->density, time, &bin))
    return NULL;
  return viewer_densities_format(shown->density, bins ? bins[bin] : 0);
}

char *viewer_track_describe_place(ViewerTimeline *timeline, ViewerTrack *track, double x, double y)
{
  const ViewerTimeAxis *axis = viewer_timeline_get_axis(timeline);
  guint64 time = viewer_time_axis_get_time(axis, x);
  g_autofree char *when = viewer_time_axis_format_exactly(axis, time);
  g_autofree char *what = NULL;
  ProfileMarkItem item;

  switch (viewer_track_get_kind(track)) {
  case VIEWER_TRACK_MARKS:
    return viewer_track_marks_find(timeline, viewer_track_get_index(track), x, y, &item)
               ? viewer_track_marks_describe(timeline, &item)
               : NULL;
  case VIEWER_TRACK_PROCESS:
  case VIEWER_TRACK_THREAD:
    what = describe_density_at(timeline, track, time);
    break;
  default:
    what = describe_counter_at(timeline, track, time);
  }
  return what ? g_strdup_printf("%s\n%s", when, what) : NULL;
}

static char *describe_density(const ProfileDensity *density, ViewerTrack *track)
{
  guint64 total = get_total(density, track);
  g_autofree char *amount = viewer_densities_format_total(density, total);

  if (profile_density_get_interval(density) <= 0)
    return g_steal_pointer(&amount);
  double share = profile_density_get_average(density, total);
  /* TRANSLATORS: How much of one processor was used on average, and how many samples say so. */
  return g_strdup_printf(_("%.0f %% CPU, %s"), share * 100, amount);
}

static char *describe_counter(const ViewerTimelineShown *shown, const ProfileCounter *counter, guint index)
{
  double low, high;

  if (!counter || index >= shown->counters->len ||
      !profile_counter_bins_get_range(shown->counters->pdata[index], &low, &high))
    return g_strdup(_("Nothing was counted"));
  g_autofree char *amount = format_value(counter, high);
  /* TRANSLATORS: The greatest value of a counter. */
  return g_strdup_printf(_("Up to %s"), amount);
}

static char *describe_marks(ViewerTimeline *timeline, guint32 process)
{
  const ViewerTimelineWhole *whole = viewer_timeline_get_whole(timeline);
  guint64 n_marks = profile_mark_lanes_count_marks(whole->lanes, process);
  g_autofree char *count = viewer_format_count(n_marks);
  return g_strdup_printf(ngettext("%s mark", "%s marks", n_marks), count);
}

char *viewer_track_describe(ViewerTimeline *timeline, ViewerTrack *track)
{
  const ViewerTimelineShown *shown = viewer_timeline_get_shown(timeline);

  if (!shown || !viewer_timeline_get_whole(timeline))
    return NULL;
  switch (viewer_track_get_kind(track)) {
  case VIEWER_TRACK_MARKS:
    return describe_marks(timeline, viewer_track_get_index(track));
  case VIEWER_TRACK_PROCESS:
  case VIEWER_TRACK_THREAD:
    return describe_density(shown->density, track);
  default:
    return describe_counter(shown, viewer_timeline_get_counter(timeline, track),
                            viewer_track_get_index(track));
  }
}
