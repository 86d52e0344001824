/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-folders.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "viewer/kit/accessible.h"
#include "viewer/kit/format.h"
#include "viewer/kit/toast.h"
#include "viewer/pages/source/source-maps.h"

#define VIEWER_TYPE_SOURCE_FOLDERS (viewer_source_folders_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourceFolders, viewer_source_folders, VIEWER, SOURCE_FOLDERS, AdwWindow)

struct _ViewerSourceFolders {
  AdwWindow parent;
  AdwPreferencesGroup *group;
  GtkWidget *none, *add_button;
  GtkEditable *from, *to;
  GArray *maps;
  GPtrArray *rows; /* GtkWidget: one a map */
};

G_DEFINE_FINAL_TYPE(ViewerSourceFolders, viewer_source_folders, ADW_TYPE_WINDOW)

static void show_maps(ViewerSourceFolders *self);

static void remove_map(ViewerSourceFolders *self, GtkWidget *button)
{
  guint index;

  if (!g_ptr_array_find(self->rows, g_object_get_data(G_OBJECT(button), "viewer-row"), &index))
    return;
  g_array_remove_index(self->maps, index);
  viewer_source_maps_set(self->maps);
  show_maps(self);
}

static void add_row(ViewerSourceFolders *self, const ProfilePathMap *map)
{
  GtkWidget *row = adw_action_row_new(), *button = gtk_button_new_from_icon_name("user-trash-symbolic");
  g_autofree char *from = viewer_format_name(*map->from ? map->from : "/", 0);
  g_autofree char *to = viewer_format_name(map->to, 0);

  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), from);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), to);
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, _("Remove"));
  viewer_accessible_set_name(button, _("Remove"));
  g_object_set_data(G_OBJECT(button), "viewer-row", row);
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(remove_map), self);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), button);
  adw_preferences_group_add(self->group, row);
  g_ptr_array_add(self->rows, row);
}

static void show_maps(ViewerSourceFolders *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove(self->group, self->rows->pdata[i]);
  g_ptr_array_set_size(self->rows, 0);
  for (guint i = 0; i < self->maps->len; i++)
    add_row(self, &g_array_index(self->maps, ProfilePathMap, i));
  gtk_widget_set_visible(self->none, self->maps->len == 0);
}

/* A folder of this computer is asked for; the other one may be anything that stands in debug information. */
static gboolean can_add(ViewerSourceFolders *self)
{
  return g_path_is_absolute(gtk_editable_get_text(self->to));
}

static void check_folders(ViewerSourceFolders *self)
{
  gtk_widget_set_sensitive(self->add_button, can_add(self));
}

static void add_folder(ViewerSourceFolders *self)
{
  if (!can_add(self))
    return;
  profile_path_maps_append(self->maps, gtk_editable_get_text(self->from), gtk_editable_get_text(self->to));
  viewer_source_maps_set(self->maps);
  gtk_editable_set_text(self->from, "");
  gtk_editable_set_text(self->to, "");
  show_maps(self);
}

static void viewer_source_folders_finalize(GObject *object)
{
  ViewerSourceFolders *self = VIEWER_SOURCE_FOLDERS(object);

  g_array_unref(self->maps);
  g_ptr_array_unref(self->rows);
  G_OBJECT_CLASS(viewer_source_folders_parent_class)->finalize(object);
}

static void viewer_source_folders_class_init(ViewerSourceFoldersClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->finalize = viewer_source_folders_finalize;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/source/source-folders.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceFolders, group);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceFolders, none);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceFolders, from);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceFolders, to);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceFolders, add_button);
  gtk_widget_class_bind_template_callback(widget_class, add_folder);
  gtk_widget_class_bind_template_callback(widget_class, check_folders);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void viewer_source_folders_init(ViewerSourceFolders *self)
{
  self->maps = viewer_source_maps_get();
  self->rows = g_ptr_array_new();
  gtk_widget_init_template(GTK_WIDGET(self));
  show_maps(self);
}

void viewer_source_folders_show(GtkWindow *parent)
{
  GtkWindow *window = g_object_new(VIEWER_TYPE_SOURCE_FOLDERS, "transient-for", parent, NULL);

  gtk_window_present(window);
}

/* Without the dialog. */

static void take_folder(GtkWidget *widget, const char *path, GFile *folder)
{
  g_autofree char *place = g_file_get_path(folder);
  g_autoptr(GArray) maps = viewer_source_maps_get();

  if (place && profile_path_maps_append_found(maps, path, place)) {
    viewer_source_maps_set(maps);
    return;
  }
  g_autofree char *name = viewer_format_binary(path);
  g_autofree char *text = g_strdup_printf(_("“%s” is neither in that folder nor below it"), name);
  viewer_toast(widget, text);
}

static void handle_folder(GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  g_autoptr(GFile) folder =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL;

  if (folder && gtk_native_dialog_get_transient_for(dialog))
    take_folder(widget, g_object_get_data(G_OBJECT(dialog), "viewer-path"), folder);
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

void viewer_source_folders_choose(GtkWidget *widget, const char *path)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Folder of the Source"), GTK_WINDOW(gtk_widget_get_root(widget)),
                                  GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Choose"), _("_Cancel"));

  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_object_set_data_full(G_OBJECT(dialog), "viewer-path", g_strdup(path), g_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(handle_folder), widget, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}
