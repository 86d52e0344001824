/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/recent-row.h"

#include <glib/gi18n.h>

#include "viewer/kit/accessible.h"

struct _ViewerRecentRow {
  AdwActionRow parent_instance;

  GtkStack *pictures;
  GtkPicture *thumbnail;
  GtkImage *icon;
  GtkButton *remove;
};

G_DEFINE_FINAL_TYPE(ViewerRecentRow, viewer_recent_row, ADW_TYPE_ACTION_ROW)

static void viewer_recent_row_class_init(ViewerRecentRowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/record/recent-row.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerRecentRow, pictures);
  gtk_widget_class_bind_template_child(widget_class, ViewerRecentRow, thumbnail);
  gtk_widget_class_bind_template_child(widget_class, ViewerRecentRow, icon);
  gtk_widget_class_bind_template_child(widget_class, ViewerRecentRow, remove);
}

static void viewer_recent_row_init(ViewerRecentRow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

static void show_picture(ViewerRecentRow *self, ViewerRecent *recent)
{
  GdkTexture *texture = viewer_recent_get_texture(recent);
  gboolean missing = viewer_recent_is_missing(recent);

  gtk_picture_set_paintable(self->thumbnail, GDK_PAINTABLE(texture));
  gtk_image_set_from_icon_name(self->icon, missing ? "dialog-warning-symbolic" : "image-missing-symbolic");
  gtk_stack_set_visible_child(self->pictures,
                              texture && !missing ? GTK_WIDGET(self->thumbnail) : GTK_WIDGET(self->icon));
}

/* To forget it would leave a file that nobody finds again. */
static void offer_to_delete(ViewerRecentRow *self)
{
  gtk_button_set_icon_name(self->remove, "user-trash-symbolic");
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->remove), _("Delete Recording"));
  viewer_accessible_set_name(GTK_WIDGET(self->remove), _("Delete Recording"));
}

GtkWidget *viewer_recent_row_new(ViewerRecent *recent)
{
  ViewerRecentRow *self = g_object_new(VIEWER_TYPE_RECENT_ROW, NULL);
  const ViewerRecentFacts *facts = viewer_recent_get_facts(recent);
  g_autofree char *uri = g_file_get_uri(facts->file);
  g_autofree char *path = g_file_get_parse_name(facts->file);
  g_autofree char *description = viewer_recent_describe(recent);
  gboolean missing = viewer_recent_is_missing(recent);

  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self), facts->title);
  /* GTK 4.8 warns of labels that are narrower than the "…" which they might need. */
  adw_action_row_set_title_lines(ADW_ACTION_ROW(self), g_utf8_strlen(facts->title, -1) > 4 ? 1 : 0);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(self), description);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), path);
  gtk_actionable_set_action_target(GTK_ACTIONABLE(self->remove), "s", uri);
  if (viewer_recent_is_unsaved(recent))
    offer_to_delete(self);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(self), !missing);
  if (!missing) {
    gtk_actionable_set_action_name(GTK_ACTIONABLE(self), "win.open-file");
    gtk_actionable_set_action_target(GTK_ACTIONABLE(self), "s", uri);
  }
  show_picture(self, recent);
  return GTK_WIDGET(self);
}
