/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page "flame": the flame graph of a document, a map of it while it is zoomed, and details of what is
 * selected. Main thread only. */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FLAME_PAGE (viewer_flame_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerFlamePage, viewer_flame_page, VIEWER, FLAME_PAGE, GtkWidget)

GtkWidget *viewer_flame_page_new(void);

G_END_DECLS
