/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call tree of what is looked at, from the outermost functions down or from the sampled ones up. */
#pragma once

#include "viewer/document/list-page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TREE_PAGE (viewer_tree_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerTreePage, viewer_tree_page, VIEWER, TREE_PAGE, ViewerListPage)

GtkWidget *viewer_tree_page_new(void);

G_END_DECLS
