/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cell of a tree's row that names its function, of a ViewerTreeRow: with an arrow where the row opens and
 * closes, indented by its depth.
 */
#pragma once

#include "viewer/pages/tree/tree-indentation.h"
#include "viewer/pages/tree/tree-row.h"
#include "viewer/table/cell.h"
#include "viewer/table/rows.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TREE_EXPANDER (viewer_tree_expander_get_type())
G_DECLARE_FINAL_TYPE(ViewerTreeExpander, viewer_tree_expander, VIEWER, TREE_EXPANDER, ViewerCell)

/* The cells of a column of these; the indentation must outlive them. */
ViewerRowsColumn viewer_tree_expander_get_cells(ViewerTreeIndentation *indentation);
/* The indentation is another one. */
void viewer_tree_expander_indent(ViewerTreeExpander *self);
/* Whether the arrow stands at that place of the widget; there is none where nothing can be opened. */
gboolean viewer_tree_expander_is_arrow(ViewerTreeExpander *self, double x);

G_END_DECLS
