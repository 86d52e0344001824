/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "viewer/kit/copy.h"
#include "viewer/pages/tree/tree-model.h"

G_BEGIN_DECLS

/* Rows of a tree as text, in aligned columns below their titles. The model is borrowed. */
ViewerCopyRows viewer_tree_text_get_rows(ViewerTreeModel *model, guint position, guint n);

G_END_DECLS
