/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a track looks like, and what it says in words. Areas and places are in the canvas's coordinates, where
 * the axis begins at 0. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"

G_BEGIN_DECLS

int viewer_track_get_height(ViewerTimeline *timeline, ViewerTrack *track);
void viewer_track_draw(ViewerTimeline *timeline, ViewerTrack *track, GtkWidget *widget, GtkSnapshot *snapshot,
                       const graphene_rect_t *area);

/* What stands at a place, for a tooltip: "1.23 s\n42 % CPU". NULL: nothing. Free it. */
char *viewer_track_describe_place(ViewerTimeline *timeline, ViewerTrack *track, double x, double y);
/* What the track shows of the span on the axis: "42 % CPU on average". NULL: nothing yet. Free it. */
char *viewer_track_describe(ViewerTimeline *timeline, ViewerTrack *track);

G_END_DECLS
