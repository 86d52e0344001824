/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cell of a tree's row that names its function: an arrow that opens and closes it, indented by its depth.
 * Beyond some depth the indentation grows more slowly and then no more, so that names stay in sight.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/viewer-tree-row.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TREE_EXPANDER (viewer_tree_expander_get_type())
G_DECLARE_FINAL_TYPE(ViewerTreeExpander, viewer_tree_expander, VIEWER, TREE_EXPANDER, GtkWidget)

GtkWidget *viewer_tree_expander_new(void);
/* NULL: none. */
void viewer_tree_expander_set_row(ViewerTreeExpander *self, ViewerTreeRow *row);

G_END_DECLS
