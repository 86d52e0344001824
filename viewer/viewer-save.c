/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-save.h"

#include <glib/gi18n.h>

#include "viewer/viewer-recents.h"
#include "viewer/viewer-toast.h"

typedef struct {
  GtkWindow *parent;
  ViewerDocument *document;
  GFile *to;
} Save;

static void save_free(gpointer data)
{
  Save *self = data;

  g_object_unref(self->parent);
  g_object_unref(self->document);
  g_clear_object(&self->to);
  g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Save, save_free)

static void tell(Save *self, const char *text)
{
  viewer_toast(GTK_WIDGET(self->parent), text);
}

/* What is not in the list yet comes there by itself. */
static void move_recent(Save *self, GFile *from)
{
  ViewerRecents *recents = viewer_recents_get_default();

  viewer_recents_forget(recents, from);
  if (viewer_document_get_state(self->document) == VIEWER_DOCUMENT_READY)
    viewer_recents_add_capture(recents, self->to, viewer_document_get_title(self->document),
                               viewer_document_get_capture(self->document));
}

static void finish(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Save) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *name = g_file_get_parse_name(self->to);

  g_application_release(g_application_get_default());
  if (!g_file_move_finish(G_FILE(source), result, &error)) {
    g_autofree char *text = g_strdup_printf(_("“%s” could not be saved: %s"), name, error->message);
    tell(self, text);
    return;
  }
  viewer_document_set_file(self->document, self->to);
  move_recent(self, G_FILE(source));
  g_autofree char *text = g_strdup_printf(_("Saved as “%s”"), name);
  tell(self, text);
}

/* Who closes the last window meanwhile shall not cut the file off. */
static void move(Save *self)
{
  g_application_hold(g_application_get_default());
  g_file_move_async(viewer_document_get_file(self->document), self->to, G_FILE_COPY_OVERWRITE,
                    G_PRIORITY_DEFAULT, NULL, NULL, NULL, finish, self);
}

static void respond(GtkNativeDialog *chooser, int response, gpointer data)
{
  g_autoptr(Save) self = data;

  if (response == GTK_RESPONSE_ACCEPT)
    self->to = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser));
  gtk_native_dialog_destroy(chooser);
  g_object_unref(chooser);
  if (self->to && !g_file_equal(self->to, viewer_document_get_file(self->document)))
    move(g_steal_pointer(&self));
}

void viewer_save_show(GtkWindow *parent, ViewerDocument *document)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      _("Save the Recording"), parent, GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  g_autofree char *base = g_file_get_basename(viewer_document_get_file(document));
  g_autofree char *name = g_filename_display_name(base);
  Save *self = g_new0(Save, 1);

  self->parent = g_object_ref(parent);
  self->document = g_object_ref(document);
  gtk_file_filter_set_name(filter, _("Captures"));
  gtk_file_filter_add_pattern(filter, "*.capture");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(chooser), filter);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(chooser), TRUE);
  g_signal_connect(chooser, "response", G_CALLBACK(respond), self);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}
