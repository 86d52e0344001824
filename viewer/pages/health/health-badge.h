/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A button that says on every page that something is not right with the recording, and leads to the page that
 * tells what: it activates "win.show-page" with "health". Hidden while there is nothing to say. Main thread
 * only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_HEALTH_BADGE (viewer_health_badge_get_type())
G_DECLARE_FINAL_TYPE(ViewerHealthBadge, viewer_health_badge, VIEWER, HEALTH_BADGE, GtkWidget)

GtkWidget *viewer_health_badge_new(void);
/* NULL: of none. */
void viewer_health_badge_set_document(ViewerHealthBadge *self, ViewerDocument *document);

G_END_DECLS
