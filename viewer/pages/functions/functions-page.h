/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All functions as a table, and beside it who called the selected one and what it called. */
#pragma once

#include "viewer/document/list-page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FUNCTIONS_PAGE (viewer_functions_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerFunctionsPage, viewer_functions_page, VIEWER, FUNCTIONS_PAGE, ViewerListPage)

GtkWidget *viewer_functions_page_new(void);

G_END_DECLS
