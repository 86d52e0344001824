/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of text for tables: what a cell shows is asked of its item when the cell comes into sight, so that
 * a table of many rows costs what is seen of it. Main thread only.
 */
#pragma once

#include "viewer/kit/copy.h"
#include "viewer/table/list.h"

G_BEGIN_DECLS

typedef enum {
  VIEWER_COLUMN_TEXT = 0,
  VIEWER_COLUMN_NUMBER = 1 << 0,   /* right-aligned, digits of equal width */
  VIEWER_COLUMN_EXPAND = 1 << 1,   /* takes the room that is left; cut where that does not do */
  VIEWER_COLUMN_PATH = 1 << 2,     /* where it is cut, the beginning goes first */
  VIEWER_COLUMN_EXPANDER = 1 << 3, /* of a GtkTreeListModel: indented, with an arrow where there is more */
  VIEWER_COLUMN_DIM = 1 << 4       /* of less interest than the others */
} ViewerColumnFlags;

/* The text of an item. Never NULL; freed by the cell. Of a GtkTreeListModel the item is what the row holds.
 */
typedef char *(*ViewerColumnTextFunc)(gpointer item, gpointer data);
/* Orders two items, ascending. */
typedef int (*ViewerColumnCompareFunc)(gpointer a, gpointer b, gpointer data);

typedef struct {
  const char *title; /* translated */
  ViewerColumnFlags flags;
  guint chars; /* as many have room; 0: as the texts need, within reason */
  ViewerColumnTextFunc get_text;
  ViewerColumnCompareFunc compare; /* NULL: not sorted by it */
} ViewerColumn;

/* Adds a column at the end and returns it; it is the list's. data must outlive the list, or stay until the
 * column is removed. Text that is no valid UTF-8, has control characters or is very long is made fit to be
 * shown; what is cut is told by a tooltip. */
GtkColumnViewColumn *viewer_column_append(ViewerList *list, const ViewerColumn *column, gpointer data);
/* Draws a bar behind the texts of a column: a share of its width. */
void viewer_column_set_bar(GtkColumnViewColumn *column, double (*of_item)(gpointer item, gpointer data));
/* The texts of the cells that are in sight are asked for again, and rows that are sorted by it are sorted
 * anew. */
void viewer_column_update(GtkColumnViewColumn *column);
/* All columns of a list that were made here. */
void viewer_column_update_all(ViewerList *list);

/* The rows of a list as text: a line of headings, then a line a row, cells separated by tabs. Of columns that
 * were made here. The list is borrowed. */
ViewerCopyRows viewer_column_get_copied(ViewerList *list);
/* Of a list of so many rows with its titles, in pixels, about. */
int viewer_column_get_height(ViewerList *list, guint n_rows);
/* Lets a list in a scrolled window show as many rows as it has, n_max at most. */
void viewer_column_fit(ViewerList *list, guint n_max);

G_END_DECLS
