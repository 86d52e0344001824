/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets the wheel zoom about the pointer and move along the axis. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"

G_BEGIN_DECLS

/* On the widget, in which the axis begins at pixel offset. A wheel to the side and the wheel with Shift move;
 * with Ctrl it zooms, where `always` without it too. Else it is left to others. The timeline has to live as
 * long as the widget. */
void viewer_timeline_wheel_add(ViewerTimeline *timeline, GtkWidget *widget, double offset, gboolean always);

G_END_DECLS
