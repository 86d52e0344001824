/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time line: a track for each process, its threads, marks and counters along one axis. Dragging selects a
 * span, which all pages follow; w and s zoom, a and d move. Implements ViewerPage. Main thread only.
 */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TIMELINE_PAGE (viewer_timeline_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerTimelinePage, viewer_timeline_page, VIEWER, TIMELINE_PAGE, GtkWidget)

GtkWidget *viewer_timeline_page_new(void);

G_END_DECLS
