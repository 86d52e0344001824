/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a page has for the clipboard of its window. Rows are written some in each turn of the main loop:
 * thousands take longer than a frame. Whoever copies something is told when it is there; of copies that
 * follow each other, the last one gets there. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct {
  GListModel *model;
  const char *changed; /* a signal of the model, beside "items-changed": rows say something else; or NULL */
  guint first, n;      /* which rows, as far as there are so many */
  void (*append_titles)(GString *text, gpointer data); /* or NULL */
  void (*append_row)(GString *text, guint position, gpointer data);
  gpointer data; /* a GObject */
} ViewerCopyRows;

/* The text is taken over. FALSE: it is NULL or empty, and nothing was copied. */
gboolean viewer_copy_text(GtkWidget *widget, char *text);
/* The titles, then the rows; of more than a quarter of a million bytes the first, and "…" below them, which
 * is told. Rows that change before all are written are written anew. FALSE: there are none, and nothing was
 * copied. */
gboolean viewer_copy_rows(GtkWidget *widget, const ViewerCopyRows *rows);

G_END_DECLS
