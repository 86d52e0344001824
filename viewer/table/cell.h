/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cell of a table: a line of text about an item. A view keeps some hundred rows, of which one sees few; so
 * a cell asks for its text when it comes into sight, lays it out when it is drawn, and is as wide as its
 * column says, whatever stands in it. What is too long for it is cut in its middle. Items that have a signal
 * "changed" are asked anew when they emit it. For a screen reader it is a cell of a grid; what it says is
 * told there when there is nothing more urgent to do, since that takes longer than to draw it. Main thread
 * only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_CELL (viewer_cell_get_type())
G_DECLARE_DERIVABLE_TYPE(ViewerCell, viewer_cell, VIEWER, CELL, GtkWidget)

/* What the cells of a column share. */
typedef struct {
  /* The text, fit to be shown on one line; free it. */
  char *(*get_text)(gpointer item, gpointer data);
  char *(*get_tooltip)(gpointer item, gpointer data); /* NULL: the text where it is cut; free it */
  /* A screen reader was told the text of that item; NULL: nobody needs to know. */
  void (*told)(ViewerCell *cell, gpointer item, gpointer data);
  /* 0 … 1, as wide as a bar behind the text; NULL: there is none. */
  double (*get_share)(gpointer item, gpointer data);
  gpointer data;
  PangoEllipsizeMode ellipsize; /* where it is cut: not PANGO_ELLIPSIZE_NONE */
  gboolean is_number;           /* aligned to the end, in digits of one width */
  guint chars;                  /* as many have room at least */
  guint natural;                /* as many shall have room if there is any; 0: no more than that */
  int room;                     /* pixels that something beside the text takes, at most */
  int char_width, line_height;  /* the cells' own: 0 to begin with */
} ViewerCellKind;

struct _ViewerCellClass {
  GtkWidgetClass parent_class;

  /* The cell is in sight with that item. Chain up, which writes its text. */
  void (*write)(ViewerCell *self, gpointer item);
  /* Later: a screen reader is to know. Chain up, which tells the text. */
  void (*tell)(ViewerCell *self, gpointer item);
};

/* kind must outlive the cell. */
GtkWidget *viewer_cell_new(ViewerCellKind *kind);
/* One that stands in a cell beside something else: a label. */
GtkWidget *viewer_cell_new_label(ViewerCellKind *kind);
/* NULL: none. */
void viewer_cell_set_item(ViewerCell *self, gpointer item);
/* Borrowed. */
gpointer viewer_cell_get_item(ViewerCell *self);
/* The item says something else now. */
void viewer_cell_update(ViewerCell *self);
/* What a screen reader is still to be told, it is told at once. */
void viewer_cell_tell(ViewerCell *self);

/* For derived cells. */
void viewer_cell_set_kind(ViewerCell *self, ViewerCellKind *kind);
/* Pixels before the text. */
void viewer_cell_set_indentation(ViewerCell *self, int pixels);
int viewer_cell_get_indentation(ViewerCell *self);
/* Of the text; NULL: none. */
void viewer_cell_set_attributes(ViewerCell *self, PangoAttrList *attributes);

G_END_DECLS
