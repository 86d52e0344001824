/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets the keyboard and a screen reader walk the marks of a track: Left and Right go to the one before and
 * after in the lane, Up and Down to the lanes beside, Home and End to its ends, Space selects the time of
 * the mark. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_MARK_WALK (viewer_mark_walk_get_type())
G_DECLARE_FINAL_TYPE(ViewerMarkWalk, viewer_mark_walk, VIEWER, MARK_WALK, GObject)

/* The canvas owns it and hands on what viewer/canvas/canvas-peers.h says. */
ViewerMarkWalk *viewer_mark_walk_new(GtkWidget *canvas, ViewerTimeline *timeline);
/* NULL, or a track of something else: there is nothing to walk. */
void viewer_mark_walk_set_track(ViewerMarkWalk *self, ViewerTrack *track);
/* What is drawn, or where, has changed. */
void viewer_mark_walk_update(ViewerMarkWalk *self);
void viewer_mark_walk_allocate(ViewerMarkWalk *self);
gboolean viewer_mark_walk_grab_focus(ViewerMarkWalk *self);
gboolean viewer_mark_walk_focus(ViewerMarkWalk *self);
/* Frames the mark that has the focus. */
void viewer_mark_walk_snapshot(ViewerMarkWalk *self, GtkSnapshot *snapshot);

G_END_DECLS
