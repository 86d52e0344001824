/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of ViewerRows share: the widgets of rows, and the ways of keys and pointer. */
#pragma once

#include "viewer/table/rows.h"

struct _ViewerRows {
  GtkWidget parent_instance;
  GtkSelectionModel *selection;
  GArray *columns; /* ViewerRowsColumn */
  GArray *places;  /* ViewerRowPlace */
  GtkAdjustment *adjustment;
  GPtrArray *rows; /* ViewerRow, in their order */
  int row_height;  /* 0: not known yet */
  guint focus;     /* the position that had it last */
  guint to_show;   /* position that is brought into sight when rows have places */
  gboolean is_to_focus;
  gboolean is_making; /* rows are to come with the next frame */
};

guint viewer_rows_get_n(ViewerRows *self);
/* GTK_INVALID_LIST_POSITION: none is, or none can be. */
guint viewer_rows_get_selected(ViewerRows *self);
/* The row from where keys go on; there is one. */
guint viewer_rows_get_current(ViewerRows *self);

void viewer_rows_add_keys(GtkWidgetClass *class);
void viewer_rows_add_pointer(ViewerRows *self);
