/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-kind.h"

#include "viewer/time/time-draw.h"

enum { MARGIN = 3 };

const ViewerTrackKind *viewer_track_kind_get(guint n)
{
#define ADDRESS(kind) &viewer_track_##kind,
  static const ViewerTrackKind *const kinds[] = {VIEWER_TRACK_KINDS(ADDRESS)};
#undef ADDRESS

  return n < G_N_ELEMENTS(kinds) ? kinds[n] : NULL;
}

int viewer_track_get_height(ViewerTimeline *timeline, ViewerTrack *track)
{
  return viewer_track_get_kind(track)->get_height(timeline, viewer_track_get_index(track));
}

void viewer_track_draw(ViewerTimeline *timeline, ViewerTrack *track, GtkWidget *widget, GtkSnapshot *snapshot,
                       const graphene_rect_t *area)
{
  viewer_time_draw_grid(widget, snapshot, viewer_timeline_get_axis(timeline), area);
  viewer_track_get_kind(track)->draw(timeline, viewer_track_get_index(track), widget, snapshot, area);
}

char *viewer_track_describe_place(ViewerTimeline *timeline, ViewerTrack *track, double x, double y)
{
  return viewer_track_get_kind(track)->describe_place(timeline, viewer_track_get_index(track), x, y);
}

char *viewer_track_describe(ViewerTimeline *timeline, ViewerTrack *track)
{
  if (!viewer_timeline_get_shown(timeline) || !viewer_timeline_get_whole(timeline))
    return NULL;
  return viewer_track_get_kind(track)->describe(timeline, viewer_track_get_index(track));
}

graphene_rect_t viewer_track_get_inner(const graphene_rect_t *area)
{
  graphene_rect_t inner = *area;

  inner.origin.y += MARGIN;
  inner.size.height -= MARGIN;
  return inner;
}

char *viewer_track_add_time(ViewerTimeline *timeline, double x, char *what)
{
  const ViewerTimeAxis *axis = viewer_timeline_get_axis(timeline);
  g_autofree char *when = viewer_time_axis_format_exactly(axis, viewer_time_axis_get_time(axis, x));
  g_autofree char *taken = what;

  return taken ? g_strdup_printf("%s\n%s", when, taken) : NULL;
}
