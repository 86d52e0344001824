/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A strip above all pages: how busy the processors were over the whole recording, and which span of it is
 * looked at. One selects a span on it, while all pages follow, and zooms into it by its button. Main thread
 * only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_OVERVIEW (viewer_overview_get_type())
G_DECLARE_FINAL_TYPE(ViewerOverview, viewer_overview, VIEWER, OVERVIEW, GtkWidget)

GtkWidget *viewer_overview_new(void);
/* NULL: shows nothing. */
void viewer_overview_set_document(ViewerOverview *self, ViewerDocument *document);

G_END_DECLS
