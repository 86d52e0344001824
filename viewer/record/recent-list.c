/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/recent-list.h"

#include <glib/gi18n.h>

#include "viewer/record/recent-row.h"

#define URI_KEY "viewer-recent-uri"

struct _ViewerRecentList {
  AdwPreferencesGroup parent_instance;

  GtkListBox *list;
  ViewerRecents *recents;
};

G_DEFINE_FINAL_TYPE(ViewerRecentList, viewer_recent_list, ADW_TYPE_PREFERENCES_GROUP)

/* A reference; NULL: it is not in the list any more. */
static ViewerRecent *find_recent(ViewerRecentList *self, const char *uri)
{
  g_autoptr(GFile) file = g_file_new_for_uri(uri);
  guint n = self->recents ? g_list_model_get_n_items(G_LIST_MODEL(self->recents)) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr(ViewerRecent) recent = g_list_model_get_item(G_LIST_MODEL(self->recents), i);
    if (g_file_equal(viewer_recent_get_facts(recent)->file, file))
      return g_steal_pointer(&recent);
  }
  return NULL;
}

static void on_answer(GtkWidget *dialog, const char *answer, ViewerRecentList *self)
{
  g_autoptr(ViewerRecent) recent = find_recent(self, g_object_get_data(G_OBJECT(dialog), URI_KEY));

  if (recent && g_str_equal(answer, "delete"))
    viewer_recents_remove(self->recents, recent);
}

/* It stands nowhere else. */
static void ask_to_delete(ViewerRecentList *self, ViewerRecent *recent, const char *uri)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(root), _("Delete the Recording?"), NULL);

  adw_message_dialog_format_body(ADW_MESSAGE_DIALOG(dialog),
                                 _("The recording of “%s” was not saved; it will be gone for good."),
                                 viewer_recent_get_facts(recent)->title);
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "keep", _("_Cancel"), "delete", _("_Delete"),
                                   NULL);
  adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "delete", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "keep");
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "keep");
  g_object_set_data_full(G_OBJECT(dialog), URI_KEY, g_strdup(uri), g_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_answer), self, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

static void remove_recent(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerRecentList *self = VIEWER_RECENT_LIST(widget);
  const char *uri = g_variant_get_string(parameter, NULL);
  g_autoptr(ViewerRecent) recent = find_recent(self, uri);

  if (recent && viewer_recent_is_unsaved(recent))
    ask_to_delete(self, recent, uri);
  else if (recent)
    viewer_recents_remove(self->recents, recent);
}

static void viewer_recent_list_dispose(GObject *object)
{
  ViewerRecentList *self = VIEWER_RECENT_LIST(object);

  if (self->recents)
    gtk_list_box_bind_model(self->list, NULL, NULL, NULL, NULL);
  g_clear_object(&self->recents);
  G_OBJECT_CLASS(viewer_recent_list_parent_class)->dispose(object);
}

static void viewer_recent_list_class_init(ViewerRecentListClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_recent_list_dispose;
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/record/recent-list.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerRecentList, list);
  gtk_widget_class_install_action(widget_class, "recents.remove", "s", remove_recent);
}

static void viewer_recent_list_init(ViewerRecentList *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

static GtkWidget *make_row(gpointer recent, gpointer data)
{
  return viewer_recent_row_new(recent);
}

void viewer_recent_list_set_recents(ViewerRecentList *self, ViewerRecents *recents)
{
  g_return_if_fail(!self->recents);

  self->recents = g_object_ref(recents);
  gtk_list_box_bind_model(self->list, G_LIST_MODEL(recents), make_row, NULL, NULL);
}
