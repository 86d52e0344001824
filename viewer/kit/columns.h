/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lays the children of a widget out side by side, in columns of one width, where each gets "min-width" that
 * way; else below each other. For pages that shall fill a wide window and fit into a narrow one.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_COLUMNS (viewer_columns_get_type())
G_DECLARE_FINAL_TYPE(ViewerColumns, viewer_columns, VIEWER, COLUMNS, GtkLayoutManager)

/* Properties: "min-width" of a column, "max-width" of a column, "spacing" of columns and rows; pixels. */
GtkLayoutManager *viewer_columns_new(void);

G_END_DECLS
