/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "viewer/viewer-copy.h"
#include "viewer/viewer-tree-model.h"

G_BEGIN_DECLS

/* Rows of a tree as text, in aligned columns below their titles. The model is borrowed. */
ViewerCopyRows viewer_tree_text_get_rows(ViewerTreeModel *model, guint position, guint n);

G_END_DECLS
