/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/recents/save.h"

#include <glib/gi18n.h>

#include "viewer/document/progress.h"
#include "viewer/kit/move.h"
#include "viewer/kit/toast.h"
#include "viewer/recents/recents.h"

enum {
  LOOKS_EVERY = 100, /* milliseconds */
  SHOWN_AFTER = 5    /* looks: what is done by then needs no bar */
};

struct _ViewerSave {
  AdwBin parent_instance;

  ViewerProgress *progress;

  ViewerDocument *document; /* that is being saved; NULL: none is */
  GFile *to;
  GCancellable *cancellable;
  ViewerActivity *activity;
  guint look, n_looks;
};

G_DEFINE_FINAL_TYPE(ViewerSave, viewer_save, ADW_TYPE_BIN)

static gboolean save_look(gpointer data)
{
  ViewerSave *self = data;
  g_autofree char *text = NULL;
  double share = viewer_activity_get(self->activity, &text);

  viewer_progress_show(self->progress, text, share);
  self->n_looks++;
  gtk_widget_set_visible(GTK_WIDGET(self), text && self->n_looks >= SHOWN_AFTER);
  return G_SOURCE_CONTINUE;
}

/* A disk that takes its time is waited for where nobody sees it. */
static void save_stop(ViewerSave *self)
{
  g_cancellable_cancel(self->cancellable);
  g_clear_handle_id(&self->look, g_source_remove);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

static void save_end(ViewerSave *self)
{
  g_clear_handle_id(&self->look, g_source_remove);
  g_clear_object(&self->document);
  g_clear_object(&self->to);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->activity, viewer_activity_unref);
  viewer_progress_show(self->progress, NULL, 0);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

/* What is not in the list yet comes there by itself. */
static void move_recent(ViewerSave *self, GFile *from)
{
  ViewerRecents *recents = viewer_recents_get_default();

  viewer_recents_forget(recents, from);
  if (viewer_document_get_state(self->document) == VIEWER_DOCUMENT_READY &&
      viewer_document_get_weights(self->document))
    viewer_recents_add_capture(recents, self->to, viewer_document_get_title(self->document),
                               viewer_document_get_weights(self->document));
}

static void save_finish(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(ViewerSave) self = data;
  g_autoptr(GFile) from = g_object_ref(viewer_document_get_file(self->document));
  g_autofree char *name = g_file_get_parse_name(self->to), *text = NULL;
  g_autoptr(GError) error = NULL;

  g_application_release(g_application_get_default());
  if (viewer_move_finish(result, &error)) {
    viewer_document_set_file(self->document, self->to);
    move_recent(self, from);
    text = g_strdup_printf(_("Saved as “%s”"), name);
  } else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    text = g_strdup_printf(_("“%s” was not saved"), name);
  } else {
    text = g_strdup_printf(_("“%s” could not be saved: %s"), name, error->message);
  }
  save_end(self);
  viewer_toast(GTK_WIDGET(self), text);
}

/* Who closes the last window meanwhile shall not cut the file off. */
static void save_begin(ViewerSave *self)
{
  g_application_hold(g_application_get_default());
  self->cancellable = g_cancellable_new();
  self->activity = viewer_activity_new();
  self->n_looks = 0;
  self->look = g_timeout_add(LOOKS_EVERY, save_look, self);
  viewer_move_async(viewer_document_get_file(self->document), self->to, self->activity, self->cancellable,
                    save_finish, g_object_ref(self));
}

static void save_respond(GtkNativeDialog *chooser, int response, gpointer data)
{
  g_autoptr(ViewerSave) self = data;

  if (response == GTK_RESPONSE_ACCEPT)
    self->to = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser));
  gtk_native_dialog_destroy(chooser);
  g_object_unref(chooser);
  if (self->to && !g_file_equal(self->to, viewer_document_get_file(self->document)))
    save_begin(self);
  else
    save_end(self);
}

static GtkFileChooser *make_chooser(ViewerSave *self)
{
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(
      gtk_file_chooser_native_new(_("Save the Recording"), GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))),
                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel")));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  g_autofree char *base = g_file_get_basename(viewer_document_get_file(self->document));
  g_autofree char *name = g_filename_display_name(base);

  gtk_file_filter_set_name(filter, _("Captures"));
  gtk_file_filter_add_pattern(filter, "*.capture");
  gtk_file_chooser_add_filter(chooser, filter);
  gtk_file_chooser_set_current_name(chooser, name);
  return chooser;
}

void viewer_save_ask(ViewerSave *self, ViewerDocument *document)
{
  g_return_if_fail(VIEWER_IS_SAVE(self));
  if (self->document) {
    gtk_widget_error_bell(GTK_WIDGET(self));
    return;
  }
  self->document = g_object_ref(document);
  GtkNativeDialog *chooser = GTK_NATIVE_DIALOG(make_chooser(self));
  gtk_native_dialog_set_modal(chooser, TRUE);
  g_signal_connect(chooser, "response", G_CALLBACK(save_respond), g_object_ref(self));
  gtk_native_dialog_show(chooser);
}

static void viewer_save_class_init(ViewerSaveClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  g_type_ensure(VIEWER_TYPE_PROGRESS);
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/recents/save.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerSave, progress);
  gtk_widget_class_bind_template_callback(widget_class, save_stop);
}

static void viewer_save_init(ViewerSave *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
