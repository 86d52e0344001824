/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A row of a table: cells side by side, each below the title of its column. The list that has the row says
 * where columns stand, and what the row is about. For a screen reader a row with cells of a grid. Main thread
 * only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_ROW (viewer_row_get_type())
G_DECLARE_FINAL_TYPE(ViewerRow, viewer_row, VIEWER, ROW, GtkWidget)

/* Where a column stands, in pixels from the left; width 0: nowhere. */
typedef struct {
  int x, width;
} ViewerRowPlace;

/* places, of ViewerRowPlace, one a cell, must outlive the row; whoever changes them queues an allocation. */
ViewerRow *viewer_row_new(const GArray *places);
/* Adds what stands in the next column, a ViewerCell, or a widget that is put into a cell; the row has it. */
void viewer_row_add(ViewerRow *self, GtkWidget *child);
/* What was added there. Borrowed. */
GtkWidget *viewer_row_get(ViewerRow *self, guint column);

void viewer_row_set_position(ViewerRow *self, guint position);
guint viewer_row_get_position(ViewerRow *self);
/* NULL: none. Returns whether it is another one; its cells are the caller's to change. */
gboolean viewer_row_set_item(ViewerRow *self, gpointer item);
void viewer_row_set_selected(ViewerRow *self, gboolean selected);

G_END_DECLS
