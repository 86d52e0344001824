/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/copy.h"

#include <glib/gi18n.h>

#include "viewer/kit/toast.h"

/* What is longer goes to other programs in parts under X11, for which GTK 4.8 can wait for ever. */
enum { MOST_BYTES = 250000, MOST_MICROSECONDS = 2000 };

typedef struct {
  GtkWidget *widget;
  ViewerCopyRows rows;
  GString *text; /* NULL: to be begun */
  guint next;
  guint source;
} Copy;

static void forget_text(Copy *self)
{
  if (self->text)
    g_string_free(self->text, TRUE);
  self->text = NULL;
}

static void copy_free(gpointer data)
{
  Copy *self = data;

  g_signal_handlers_disconnect_by_data(self->rows.model, self);
  g_signal_handlers_disconnect_by_data(self->widget, self);
  g_clear_handle_id(&self->source, g_source_remove);
  g_object_unref(self->rows.model);
  g_object_unref(self->rows.data);
  forget_text(self);
  g_free(self);
}

/* The one that is being written; the next one takes its place. NULL: none is. */
static void set_copy(GtkWidget *widget, Copy *copy)
{
  g_object_set_data_full(G_OBJECT(gtk_widget_get_clipboard(widget)), "viewer-copy", copy, copy_free);
}

static void copy_finish(GtkWidget *widget, const char *text, const char *message)
{
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
  viewer_toast(widget, message);
}

static void copy_stop(Copy *self)
{
  set_copy(self->widget, NULL);
}

static void copy_begin(Copy *self)
{
  self->text = g_string_new(NULL);
  self->next = self->rows.first;
  if (self->rows.append_titles)
    self->rows.append_titles(self->text, self->rows.data);
}

static guint get_end(const ViewerCopyRows *rows)
{
  guint n = g_list_model_get_n_items(rows->model);

  return rows->first + MIN(rows->n, n - MIN(rows->first, n));
}

/* FALSE: there is no more room for it. */
static gboolean write_row(Copy *self)
{
  gsize before = self->text->len;

  self->rows.append_row(self->text, self->next, self->rows.data);
  if (self->text->len <= MOST_BYTES)
    return TRUE;
  g_string_truncate(self->text, before);
  g_string_append(self->text, "…\n");
  return FALSE;
}

/* FALSE: that was all. */
static gboolean write_some(Copy *self)
{
  gint64 start = g_get_monotonic_time();

  if (!self->text)
    copy_begin(self);
  for (guint end = get_end(&self->rows); self->next < end; self->next++) {
    if (g_get_monotonic_time() - start > MOST_MICROSECONDS)
      return TRUE;
    if (!write_row(self))
      break;
  }
  return FALSE;
}

static gboolean write_more(gpointer data)
{
  Copy *self = data;

  if (write_some(self))
    return G_SOURCE_CONTINUE;
  self->source = 0;
  copy_finish(self->widget, self->text->str,
              self->next < get_end(&self->rows) ? _("The beginning was copied; Export writes all of it")
                                                : _("Copied to the clipboard"));
  copy_stop(self);
  return G_SOURCE_REMOVE;
}

gboolean viewer_copy_text(GtkWidget *widget, char *text)
{
  g_autofree char *taken = text;

  if (!text || !*text)
    return FALSE;
  set_copy(widget, NULL);
  copy_finish(widget, text, _("Copied to the clipboard"));
  return TRUE;
}

gboolean viewer_copy_rows(GtkWidget *widget, const ViewerCopyRows *rows)
{
  if (get_end(rows) <= rows->first)
    return FALSE;
  Copy *self = g_new0(Copy, 1);
  self->widget = widget;
  self->rows = *rows;
  g_object_ref(rows->model);
  g_object_ref(rows->data);
  set_copy(widget, self);
  g_signal_connect_swapped(widget, "destroy", G_CALLBACK(copy_stop), self);
  g_signal_connect_swapped(rows->model, "items-changed", G_CALLBACK(forget_text), self);
  if (rows->changed)
    g_signal_connect_swapped(rows->model, rows->changed, G_CALLBACK(forget_text), self);
  self->source = g_idle_add(write_more, self);
  return TRUE;
}
