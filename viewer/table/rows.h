/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of a table, all of the same height. There are widgets for those in sight only, and for the one
 * that has the focus: going far costs what going a row does, however many there are. Keys go from row to row
 * and select, as does the pointer; a double click and the Enter key activate. For a screen reader a group of
 * rows. Main thread only.
 *
 * Signals:
 *   "activate" (uint)  the row at that position
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_ROWS (viewer_rows_get_type())
G_DECLARE_FINAL_TYPE(ViewerRows, viewer_rows, VIEWER, ROWS, GtkWidget)

/* What stands in the rows of a column. */
typedef struct {
  GtkWidget *(*make)(gpointer data); /* a floating reference */
  /* It is about that item now; NULL: about none. */
  void (*bind)(GtkWidget *child, gpointer item, gpointer data);
  gpointer data;
} ViewerRowsColumn;

GtkWidget *viewer_rows_new(void);
/* Once. */
void viewer_rows_set_selection(ViewerRows *self, GtkSelectionModel *selection);
/* NULL: it has none yet. Borrowed. */
GtkSelectionModel *viewer_rows_get_selection(ViewerRows *self);
/* Adds a column behind the others; its data must be there until viewer_rows_end. */
void viewer_rows_add_column(ViewerRows *self, const ViewerRowsColumn *column);
/* Where the column stands from now on, in pixels from the left; width 0: nowhere. */
void viewer_rows_place_column(ViewerRows *self, guint column, int x, int width);
/* By which it is scrolled; its range is set here. NULL: none. */
void viewer_rows_set_adjustment(ViewerRows *self, GtkAdjustment *adjustment);

/* The row at a height of the widget; GTK_INVALID_LIST_POSITION: there is none. */
guint viewer_rows_get_position_at(ViewerRows *self, double y);
/* The widget of a row in sight; NULL: it is not. */
GtkWidget *viewer_rows_get_row(ViewerRows *self, guint position);
/* The next widget that a row's cell in that column is, begun with *n 0; NULL: that was all. */
GtkWidget *viewer_rows_next_child(ViewerRows *self, guint column, guint *n);
/* Lets go of all rows for good. */
void viewer_rows_end(ViewerRows *self);
/* Scrolls to a row, no farther than is needed, and focuses it if that is wanted; as soon as rows have their
 * places. */
void viewer_rows_show(ViewerRows *self, guint position, gboolean focus);

G_END_DECLS
