/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-draw.h"

#include "viewer/pages/timeline/track-marks.h"
#include "viewer/time/time-draw.h"

enum { PROCESS_HEIGHT = 40, THREAD_HEIGHT = 30, COUNTER_HEIGHT = 36, MARGIN = 3 };

int viewer_track_get_height(ViewerTimeline *timeline, ViewerTrack *track)
{
  switch (viewer_track_get_kind(track)) {
  case VIEWER_TRACK_MACHINE:
  case VIEWER_TRACK_PROCESS:
    return PROCESS_HEIGHT;
  case VIEWER_TRACK_THREAD:
    return THREAD_HEIGHT;
  case VIEWER_TRACK_MARKS:
    return viewer_track_marks_get_height(timeline, viewer_track_get_index(track));
  default:
    return COUNTER_HEIGHT;
  }
}

static double get_top(const ProfileDensity *density, const guint64 *bins)
{
  guint64 most = 0;

  for (guint bin = 0; bins && bin < profile_density_get_n_bins(density); bin++)
    most = MAX(most, bins[bin]);
  return profile_density_get_share(density, most);
}

/* The upper edge is one processor, or as many as were used at once. */
static void draw_density(ViewerTimeline *timeline, ViewerTrack *track, GtkWidget *widget,
                         GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  const ViewerTimelineShown *shown = viewer_timeline_get_shown(timeline);
  guint32 index = viewer_track_get_index(track);
  GdkRGBA color = viewer_time_draw_get_color(widget, "accent_color", "#1c71d8");

  if (!shown)
    return;
  const guint64 *bins = viewer_track_get_kind(track) == VIEWER_TRACK_PROCESS
                            ? profile_density_get_process_bins(shown->density, index)
                            : profile_density_get_bins(shown->density, index);
  viewer_time_draw_density(snapshot, viewer_timeline_get_axis(timeline), shown->density, bins,
                           MAX(get_top(shown->density, bins), 1), &color, area);
}

static void draw_counter(ViewerTimeline *timeline, ViewerTrack *track, GtkWidget *widget,
                         GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  const ViewerTimelineShown *shown = viewer_timeline_get_shown(timeline);
  const ViewerTimeAxis *axis = viewer_timeline_get_axis(timeline);
  GdkRGBA color = viewer_time_draw_get_color(widget, "success_color", "#26a269");
  guint index = viewer_track_get_index(track);
  guint64 first, end;
  double low, high;

  if (!shown || index >= shown->counters->len)
    return;
  const ProfileCounterBins *bins = shown->counters->pdata[index];
  if (!profile_counter_bins_get_range(bins, &low, &high))
    return;
  guint n = profile_counter_bins_get_n(bins);
  g_autofree double *edges = g_new(double, (gsize)n + 1), *y = g_new(double, n);
  profile_counter_bins_get_span(bins, &first, &end);
  double left = viewer_time_axis_get_x(axis, first), right = viewer_time_axis_get_x(axis, end);
  for (guint bin = 0; bin <= n; bin++)
    edges[bin] = CLAMP(left + (right - left) * bin / n, -100, area->size.width + 100);
  for (guint bin = 0; bin < n; bin++)
    y[bin] = high > low ? (profile_counter_bins_get(bins)[bin] - low) / (high - low) : 0;
  viewer_time_draw_steps(snapshot, edges, y, n, &color, area);
}

void viewer_track_draw(ViewerTimeline *timeline, ViewerTrack *track, GtkWidget *widget, GtkSnapshot *snapshot,
                       const graphene_rect_t *area)
{
  graphene_rect_t inner = *area;

  inner.origin.y += MARGIN;
  inner.size.height -= MARGIN;
  viewer_time_draw_grid(widget, snapshot, viewer_timeline_get_axis(timeline), area);
  switch (viewer_track_get_kind(track)) {
  case VIEWER_TRACK_PROCESS:
  case VIEWER_TRACK_THREAD:
    draw_density(timeline, track, widget, snapshot, &inner);
    break;
  case VIEWER_TRACK_MARKS:
    viewer_track_marks_draw(timeline, viewer_track_get_index(track), widget, snapshot, area);
    break;
  default:
    draw_counter(timeline, track, widget, snapshot, &inner);
  }
}
