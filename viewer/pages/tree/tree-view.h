/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of a ViewerTreeModel. Arrow keys go up and down, open and close; * opens all below.
 *
 * Signals:
 *   "selected"          a row was selected by whoever uses it, not by viewer_tree_view_select
 *   "activated" (uint)  a node was activated, by Enter or by two clicks
 *   "menu" (double, double)  a menu is wanted at that place of the view, for what is selected
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/tree/tree-model.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TREE_VIEW (viewer_tree_view_get_type())
G_DECLARE_FINAL_TYPE(ViewerTreeView, viewer_tree_view, VIEWER, TREE_VIEW, GtkWidget)

/* compact: without the columns of self and binary, for where there is little room. */
GtkWidget *viewer_tree_view_new(gboolean compact);
ViewerTreeModel *viewer_tree_view_get_model(ViewerTreeView *self);
/* What a screen reader calls it. */
void viewer_tree_view_set_name(ViewerTreeView *self, const char *name);
/* VIEWER_TREE_NO_NODE: nothing is selected. */
guint32 viewer_tree_view_get_selected(ViewerTreeView *self);
/* Brings the node into sight and selects it; VIEWER_TREE_NO_NODE: selects nothing. */
void viewer_tree_view_select(ViewerTreeView *self, guint32 node);
/* Opens the node, or closes it. */
void viewer_tree_view_toggle(ViewerTreeView *self, guint32 node);

G_END_DECLS
