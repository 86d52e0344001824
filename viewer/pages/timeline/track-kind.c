/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-kind.h"

#include "viewer/time/time-draw.h"

const ViewerTrackKind *viewer_track_kind_get(guint n)
{
#define ADDRESS(kind) &viewer_track_##kind,
  static const ViewerTrackKind *const kinds[] = {VIEWER_TRACK_KINDS(ADDRESS)};
#undef ADDRESS

  return n < G_N_ELEMENTS(kinds) ? kinds[n] : NULL;
}

int viewer_track_get_height(const ViewerTimelineScene *scene, ViewerTrack *track)
{
  const ViewerTrackKind *kind = viewer_track_get_kind(track);

  return kind->height > 0 ? kind->height : kind->get_height(scene, viewer_track_get_index(track));
}

void viewer_track_draw(const ViewerTimelineScene *scene, ViewerTrack *track, GtkWidget *widget,
                       GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  viewer_time_draw_grid(widget, snapshot, scene->axis, area);
  viewer_track_get_kind(track)->draw(scene, viewer_track_get_index(track), widget, snapshot, area);
}

char *viewer_track_describe_place(const ViewerTimelineScene *scene, ViewerTrack *track, double x, double y)
{
  return viewer_track_get_kind(track)->describe_place(scene, viewer_track_get_index(track), x, y);
}

char *viewer_track_describe(const ViewerTimelineScene *scene, ViewerTrack *track)
{
  if (!scene->shown || !scene->whole)
    return NULL;
  return viewer_track_get_kind(track)->describe(scene, viewer_track_get_index(track));
}
