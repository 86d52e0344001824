/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-recent-list.h"

#include "viewer/viewer-recent-row.h"

struct _ViewerRecentList {
  AdwPreferencesGroup parent_instance;

  GtkListBox *list;
  ViewerRecents *recents;
};

G_DEFINE_FINAL_TYPE(ViewerRecentList, viewer_recent_list, ADW_TYPE_PREFERENCES_GROUP)

static void remove_recent(GtkWidget *widget, const char *action, GVariant *uri)
{
  ViewerRecentList *self = VIEWER_RECENT_LIST(widget);
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(uri, NULL));
  guint n = self->recents ? g_list_model_get_n_items(G_LIST_MODEL(self->recents)) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr(ViewerRecent) recent = g_list_model_get_item(G_LIST_MODEL(self->recents), i);
    if (g_file_equal(viewer_recent_get_facts(recent)->file, file))
      viewer_recents_remove(self->recents, recent);
  }
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
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/viewer-recent-list.ui");
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
