/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row in the list of tracks: at its left what it is, at its right what happened. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"

G_BEGIN_DECLS

/* Pixels from the row's left edge to where the axis begins. */
enum { VIEWER_TRACK_ROW_HEADER = 220 };

#define VIEWER_TYPE_TRACK_ROW (viewer_track_row_get_type())
G_DECLARE_FINAL_TYPE(ViewerTrackRow, viewer_track_row, VIEWER, TRACK_ROW, GtkWidget)

GtkWidget *viewer_track_row_new(ViewerTimeline *timeline);
/* NULL: none. */
void viewer_track_row_set_track(ViewerTrackRow *self, ViewerTrack *track);
ViewerTrack *viewer_track_row_get_track(ViewerTrackRow *self);

G_END_DECLS
