/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tables of several pages share: columns of text, rows that a screen reader can name, and ways to a
 * row that GtkColumnView of GTK 4.8 does not offer. Items are objects with a signal "changed", at which their
 * cells are written anew. Main thread only.
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
  ViewerListGetText get_tooltip;                     /* NULL: none */
  gboolean is_number;                                /* aligned to the end, in digits of one width */
  int width;                                         /* in characters, the least */
  void (*name_row)(GtkWidget *child, gpointer item); /* calls viewer_list_name_row; NULL: other columns do */
} ViewerListColumn;

/* Adds a column to the end; the view has it. */
GtkColumnViewColumn *viewer_list_add_column(GtkColumnView *view, const ViewerListColumn *column);

/* Aligns the title of the column that was added last with the numbers below it. viewer_list_add_column does
 * so; a sorter that is set later makes another title. */
void viewer_list_align_last_title(GtkColumnView *view);

/* For factories of one's own: says which item a cell's child shows. */
void viewer_list_set_item(GtkWidget *child, GtkListItem *item);
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
