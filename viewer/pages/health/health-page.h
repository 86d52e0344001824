/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page about the recording itself: what was lost, what is missing, and what can be done about each.
 */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_HEALTH_PAGE (viewer_health_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerHealthPage, viewer_health_page, VIEWER, HEALTH_PAGE, GtkWidget)

GtkWidget *viewer_health_page_new(void);

G_END_DECLS
