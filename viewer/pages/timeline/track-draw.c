/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-draw.h"

enum { MARGIN = 3 };

graphene_rect_t viewer_track_get_inner(const graphene_rect_t *area)
{
  graphene_rect_t inner = *area;

  inner.origin.y += MARGIN;
  inner.size.height -= MARGIN;
  return inner;
}

char *viewer_track_add_time(const ViewerTimelineScene *scene, double x, char *what)
{
  const ViewerTimeAxis *axis = scene->axis;
  g_autofree char *when = viewer_time_axis_format_exactly(axis, viewer_time_axis_get_time(axis, x));
  g_autofree char *taken = what;

  return taken ? g_strdup_printf("%s\n%s", when, taken) : NULL;
}
