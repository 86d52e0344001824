/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table: titles of columns, of which there are as many as have room, above rows. It goes into a scrolled
 * window. Titles sort, and are dragged to another width, as those of a GtkColumnView, which they are; rows
 * are ViewerRows, since a GtkColumnView keeps the widgets of two hundred rows, whatever is seen of them, and
 * moves all of them to where one goes. Items are objects; those with a signal "changed" have their cells
 * written anew at it. Main thread only.
 *
 * Signals:
 *   "activate" (uint)  the row at that position
 */
#pragma once

#include "viewer/table/rows.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_LIST (viewer_list_get_type())
G_DECLARE_FINAL_TYPE(ViewerList, viewer_list, VIEWER, LIST, GtkWidget)

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

GtkWidget *viewer_list_new(void);
/* Shows a list of which a row can be selected; none is to begin with. Returns the selection, which the view
 * has. Once, as is the next. */
GtkSingleSelection *viewer_list_set_model(ViewerList *self, GListModel *model);
void viewer_list_set_selection(ViewerList *self, GtkSelectionModel *selection);
/* NULL: it shows no list yet. Borrowed. */
GtkSelectionModel *viewer_list_get_selection(ViewerList *self);
/* What holds its titles: columns, and the order that they stand for. It has no rows. */
GtkColumnView *viewer_list_get_titles(ViewerList *self);

/* Adds a column to the end; the view has it. */
GtkColumnViewColumn *viewer_list_add_column(ViewerList *self, const ViewerListColumn *column);
/* Draws a bar behind the texts of a column: a share of its width. */
void viewer_list_set_bar(GtkColumnViewColumn *column, double (*of_item)(gpointer item, guint column));
/* Adds one of cells of one's own. One of them, which is never bound, says how wide the column is; whoever
 * lets it ask for another width calls viewer_list_remeasure, and has it with the next frame. */
GtkColumnViewColumn *viewer_list_add_cells(ViewerList *self, const char *title, gboolean is_number,
                                           const ViewerRowsColumn *cells);
void viewer_list_remeasure(GtkColumnViewColumn *column);
/* Whether the column is there at all; else it is not, however wide the view may be. */
void viewer_list_want_column(GtkColumnViewColumn *column, gboolean wanted);
/* Gives a column of numbers room for such a one. */
void viewer_list_reserve(GtkColumnViewColumn *column, const char *number);
/* A sorter that is set makes another title, which must be aligned with the numbers below it. */
void viewer_list_set_sorter(GtkColumnViewColumn *column, GtkSorter *sorter);

/* How a screen reader names the row that the child of a cell is in. */
void viewer_list_name_row(GtkWidget *child, const char *text);
/* The widget of that row; NULL: it is in none. */
GtkWidget *viewer_list_get_row(GtkWidget *child);

/* The next widget that a row's cell in that column is, begun with *n 0; NULL: that was all. */
GtkWidget *viewer_list_next_cell(GtkColumnViewColumn *column, guint *n);
/* The texts of a column of viewer_list_add_column, or of cells derived from ViewerCell, are asked for again.
 */
void viewer_list_update_column(GtkColumnViewColumn *column);

gboolean viewer_list_has_focus(ViewerList *self);
/* The row at a place in widget, which holds the view; GTK_INVALID_LIST_POSITION: there is none. */
guint viewer_list_get_position_at(ViewerList *self, GtkWidget *widget, double x, double y);
/* A place in widget below the beginning of a row, for a menu that was asked for by a key. FALSE: the row is
 * out of sight. */
gboolean viewer_list_get_place_of(ViewerList *self, GtkWidget *widget, guint position, double *ret_x,
                                  double *ret_y);
/* Scrolls to a row, and focuses it if that is wanted; as soon as rows have their places. */
void viewer_list_show(ViewerList *self, guint position, gboolean focus);

G_END_DECLS
