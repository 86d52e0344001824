/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds the list of tracks and draws the selected span over all of them, which it lets one select in any; and
 * a line at the pointer. Ctrl and the wheel zoom, Shift and the wheel or a wheel to the side move. Main
 * thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"
#include "viewer/time/span-selector.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TIMELINE_AREA (viewer_timeline_area_get_type())
G_DECLARE_FINAL_TYPE(ViewerTimelineArea, viewer_timeline_area, VIEWER, TIMELINE_AREA, GtkWidget)

/* The axis begins at pixel offset. */
GtkWidget *viewer_timeline_area_new(ViewerTimeline *timeline, GtkWidget *child, int offset);
ViewerSpanSelector *viewer_timeline_area_get_selector(ViewerTimelineArea *self);
/* Where on the axis the pointer is; its middle when it is elsewhere. */
double viewer_timeline_area_get_pointer(ViewerTimelineArea *self);

G_END_DECLS
