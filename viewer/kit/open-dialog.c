/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/open-dialog.h"

#include <glib/gi18n.h>

#include "profile/import/importer.h"

typedef struct {
  void (*open)(GFile *file, gpointer data);
  gpointer data;
} Answer;

static void open_dialog_respond(GtkNativeDialog *dialog, int response, gpointer data)
{
  const Answer *answer = data;

  if (response == GTK_RESPONSE_ACCEPT && gtk_native_dialog_get_transient_for(dialog)) {
    g_autoptr(GListModel) files = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));

    for (guint i = 0; i < g_list_model_get_n_items(files); i++) {
      g_autoptr(GFile) file = g_list_model_get_item(files, i);
      answer->open(file, answer->data);
    }
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

static void add_filters(GtkFileChooser *chooser)
{
  guint n;
  const ProfileImporter *importers = profile_importers_get(&n);
  g_autoptr(GtkFileFilter) recordings = gtk_file_filter_new();
  g_autoptr(GtkFileFilter) all = gtk_file_filter_new();

  gtk_file_filter_set_name(recordings, _("Recordings"));
  gtk_file_filter_add_pattern(recordings, "*.capture");
  for (guint i = 0; i < n; i++)
    for (const char *const *pattern = importers[i].patterns; *pattern; pattern++)
      gtk_file_filter_add_pattern(recordings, *pattern);
  gtk_file_filter_set_name(all, _("All Files"));
  gtk_file_filter_add_pattern(all, "*");
  gtk_file_chooser_add_filter(chooser, recordings);
  gtk_file_chooser_add_filter(chooser, all);
}

void viewer_open_dialog_show(GtkWindow *parent, void (*open)(GFile *file, gpointer data), gpointer data)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
      _("Open a Recording"), parent, GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));
  Answer *answer = g_new(Answer, 1);

  *answer = (Answer){open, data};
  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  add_filters(GTK_FILE_CHOOSER(dialog));
  g_signal_connect_data(dialog, "response", G_CALLBACK(open_dialog_respond), answer,
                        (GClosureNotify)(void (*)(void))g_free, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}
