/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws one track along the axis of its time line. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TRACK_CANVAS (viewer_track_canvas_get_type())
G_DECLARE_FINAL_TYPE(ViewerTrackCanvas, viewer_track_canvas, VIEWER, TRACK_CANVAS, GtkWidget)

GtkWidget *viewer_track_canvas_new(ViewerTimeline *timeline);
/* NULL: draws nothing. */
void viewer_track_canvas_set_track(ViewerTrackCanvas *self, ViewerTrack *track);

G_END_DECLS
