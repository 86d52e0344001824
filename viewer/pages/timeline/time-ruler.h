/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ruler above tracks: ticks of their axis, and the selected span, which it lets one select by pointer and
 * keyboard. As wide as the axis is. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TIME_RULER (viewer_time_ruler_get_type())
G_DECLARE_FINAL_TYPE(ViewerTimeRuler, viewer_time_ruler, VIEWER, TIME_RULER, GtkWidget)

GtkWidget *viewer_time_ruler_new(ViewerTimeline *timeline);
void viewer_time_ruler_set_document(ViewerTimeRuler *self, ViewerDocument *document);

G_END_DECLS
