/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tables of several pages share: columns of text, of which there are as many as have room; rows that
 * a screen reader can name; and ways to a row that GtkColumnView of GTK 4.8 does not offer. Items are objects
 * with a signal "changed", at which their cells are written anew. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The text of an item in a column; free it. */
typedef char *(*ViewerListGetText)(gpointer item, guint column);

typedef struct {
  const char *title;
  guint column; /* handed to get_text */
  ViewerListGetText get_text;
  ViewerListGetText get_tooltip; /* NULL: none */
  gboolean is_number;            /* aligned to the end, in digits of one width */
  guint width, natural;          /* in characters: the least, and what is good */
  int from_width;                /* of the view: the column is there if the view is so wide */
  void (*name_row)(GtkWidget *child, gpointer item); /* calls viewer_list_name_row; NULL: other columns do */
} ViewerListColumn;

/* Lets a view show a list, a few more rows a frame in the beginning. Returns the selection, which the view
 * has. */
GtkSingleSelection *viewer_list_set_model(GtkColumnView *view, GListModel *model);
/* Rows that go from the end of that list go a few a frame, as viewer_gradual_list_linger has it. */
void viewer_list_linger(GtkColumnView *view);
/* All rows of a view, also those that come with the next frames, whoever gave it its list. Borrowed. */
GListModel *viewer_list_get_whole(GtkColumnView *view);
/* Selects a row of that list; GTK_INVALID_LIST_POSITION: none. */
void viewer_list_select(GtkColumnView *view, guint position);

/* Adds a column to the end; the view has it. */
GtkColumnViewColumn *viewer_list_add_column(GtkColumnView *view, const ViewerListColumn *column);
/* Adds one of cells of one's own, which are ViewerCells. */
GtkColumnViewColumn *viewer_list_add_cells(GtkColumnView *view, const char *title,
                                           GtkWidget *(*make_cell)(void));
/* Whether the column is there at all; else it is not, however wide the view may be. */
void viewer_list_want_column(GtkColumnViewColumn *column, gboolean wanted);
/* Gives a column of numbers room for such a one. */
void viewer_list_reserve(GtkColumnViewColumn *column, const char *number);
/* The view is so wide now: columns come and go with the next frame. */
void viewer_list_adapt(GtkColumnView *view, int width);
/* Aligns the title of a column of numbers with these, for columns that were not made here. Once. */
void viewer_list_align_title(GtkColumnViewColumn *column);
/* A sorter that is set makes another title, which must be aligned with the numbers below it. */
void viewer_list_set_sorter(GtkColumnViewColumn *column, GtkSorter *sorter);

/* How a screen reader names the row that the child of a cell is in. */
void viewer_list_name_row(GtkWidget *child, const char *text);
/* The widget of that row; NULL: it is in none. */
GtkWidget *viewer_list_get_row(GtkWidget *child);

/* The rows, without the titles of columns. */
GtkWidget *viewer_list_get_rows(GtkColumnView *view);
gboolean viewer_list_has_focus(GtkColumnView *view);
/* The row at a place in widget, which holds the view; GTK_INVALID_LIST_POSITION: there is none. */
guint viewer_list_get_position_at(GtkColumnView *view, GtkWidget *widget, double x, double y);
/* A place in widget below the beginning of a row, for a menu that was asked for by a key. FALSE: the row is
 * out of sight. */
gboolean viewer_list_get_place_of(GtkColumnView *view, GtkWidget *widget, guint position, double *ret_x,
                                  double *ret_y);
/* Scrolls to a row, and focuses it if that is wanted. */
void viewer_list_show(GtkColumnView *view, guint position, gboolean focus);

G_END_DECLS
