/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "viewer/viewer-tree-model.h"

G_BEGIN_DECLS

/* Rows of a tree as text for the clipboard, in aligned columns below their titles; of more than ten thousand
 * the first. NULL when there are none. Free it. */
char *viewer_tree_text_new(ViewerTreeModel *model, guint position, guint n);

G_END_DECLS
