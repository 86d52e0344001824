/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sidebar and what it chooses, as the width has room for them: beside each other; the sidebar over the
 * content when it is asked for; or one of the two. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_PANES (viewer_panes_get_type())
G_DECLARE_FINAL_TYPE(ViewerPanes, viewer_panes, VIEWER, PANES, GtkWidget)

typedef enum {
  VIEWER_PANES_BESIDE, /* from 860 pixels on */
  VIEWER_PANES_OVER,   /* from 600 pixels on */
  VIEWER_PANES_ONE
} ViewerPanesLayout;

/* Properties: "sidebar" and "content", widgets, set once. Signal, without arguments: "changed", for the two
 * functions that follow. */
ViewerPanesLayout viewer_panes_get_layout(ViewerPanes *self);
/* Whether the sidebar is in sight; beside the content it always is. */
gboolean viewer_panes_is_open(ViewerPanes *self);
/* Without effect where both are beside each other. */
void viewer_panes_set_open(ViewerPanes *self, gboolean open);

G_END_DECLS
