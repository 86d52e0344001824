/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The item of a row in a ViewerTreeModel, or of one that is gone. Emits "changed" when what the row shows is
 * another. */
#pragma once

#include "viewer/pages/tree/tree-model.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TREE_ROW (viewer_tree_row_get_type())
G_DECLARE_FINAL_TYPE(ViewerTreeRow, viewer_tree_row, VIEWER, TREE_ROW, GObject)

ViewerTreeRow *viewer_tree_row_new(ViewerTreeModel *model, guint32 node);
/* NULL: it never was of a model. */
ViewerTreeModel *viewer_tree_row_get_model(ViewerTreeRow *self);
/* VIEWER_TREE_NO_NODE: the row is gone. */
guint32 viewer_tree_row_get_node(ViewerTreeRow *self);
/* For the model alone, which says when a row has changed, unless it is gone: that is said at once. */
void viewer_tree_row_set_node(ViewerTreeRow *self, guint32 node);
void viewer_tree_row_changed(ViewerTreeRow *self);

G_END_DECLS
