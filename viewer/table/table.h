/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A GListModel over an array that somebody else has: its items are nothing but indices, made when a row comes
 * into sight, so that an array of a hundred thousand costs no object each. Main thread only.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_TABLE_ITEM (viewer_table_item_get_type())
G_DECLARE_FINAL_TYPE(ViewerTableItem, viewer_table_item, VIEWER, TABLE_ITEM, GObject)

guint viewer_table_item_get_index(ViewerTableItem *self);

#define VIEWER_TYPE_TABLE (viewer_table_get_type())
G_DECLARE_FINAL_TYPE(ViewerTable, viewer_table, VIEWER, TABLE, GObject)

/* Empty. */
ViewerTable *viewer_table_new(void);
/* Of entries first … first + n - 1. */
ViewerTable *viewer_table_new_part(guint first, guint n);
/* There is another array now, of n entries: whoever shows rows asks for all of them anew, and none is
 * selected. Until then nobody may make those who show the old ones ask for them, not even by selecting one.
 */
void viewer_table_reset(ViewerTable *self, guint n);

G_END_DECLS
