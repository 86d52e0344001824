/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What menus, buttons and keys of the window do. */
#include "viewer/kit/open-dialog.h"
#include "viewer/window/application.h"
#include "viewer/window/export-dialog.h"
#include "viewer/window/pages.h"
#include "viewer/window/window-private.h"

static void open_chosen(GFile *file, gpointer data)
{
  viewer_window_open_file(data, file);
}

static void act_open(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_open_dialog_show(GTK_WINDOW(widget), open_chosen, widget);
}

static void act_open_file(GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));

  viewer_window_open_file(VIEWER_WINDOW(widget), file);
}

static void act_new_recording(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);
  GApplication *application = G_APPLICATION(gtk_window_get_application(GTK_WINDOW(self)));

  if (viewer_window_shows(self, "failed"))
    viewer_window_show_start(self);
  else if (!viewer_window_shows(self, "start"))
    g_action_group_activate_action(G_ACTION_GROUP(application), "new-window", NULL);
}

/* As the document was recorded; "waiting": with time off the CPU. What was not recorded here is asked for. */
static void act_record_again(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);
  g_autoptr(RecordingOptions) options = self->options ? recording_options_copy(self->options) : NULL;

  if (!viewer_window_shows(self, "document"))
    return;
  if (!options) {
    act_new_recording(widget, action, NULL);
    return;
  }
  if (g_str_equal(g_variant_get_string(parameter, NULL), "waiting"))
    recording_options_add_off_cpu(options, 0);
  viewer_window_set_document(self, NULL);
  viewer_window_begin_recording(self, options);
}

static void act_show_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document)
    return;
  viewer_pages_show(self->pages, g_variant_get_string(parameter, NULL));
  viewer_window_focus_page(self);
}

static void act_show_nth_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document)
    return;
  viewer_pages_show_nth(self->pages, g_variant_get_int32(parameter));
  viewer_window_focus_page(self);
}

static void act_leave_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (self->page)
    gtk_widget_activate_action(widget, "win.show-page", "s", self->page);
}

static void act_sidebar(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!viewer_window_shows(self, "document"))
    return;
  viewer_panes_set_open(self->panes, !viewer_panes_is_open(self->panes));
  if (viewer_panes_is_open(self->panes))
    gtk_widget_grab_focus(GTK_WIDGET(self->sidebar));
  else
    viewer_window_focus_page(self);
}

static void act_toast(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_window_toast(VIEWER_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

static void act_search(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_search_begin(VIEWER_WINDOW(widget)->search);
}

static void act_find(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_search_set_text(VIEWER_WINDOW(widget)->search, g_variant_get_string(parameter, NULL));
}

static void act_go_to_match(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_search_go(VIEWER_WINDOW(widget)->search, g_variant_get_int32(parameter));
}

static void act_undo(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document || !viewer_query_undo(viewer_document_get_query(self->document)))
    gtk_widget_error_bell(widget);
}

static void act_redo(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document || !viewer_query_redo(viewer_document_get_query(self->document)))
    gtk_widget_error_bell(widget);
}

static void act_copy(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerPage *page = viewer_window_get_page(VIEWER_WINDOW(widget));

  if (!page || !viewer_page_copy(page))
    gtk_widget_error_bell(widget);
}

static void act_export(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (viewer_window_shows(self, "document"))
    viewer_export_dialog_show(GTK_WINDOW(self), self->document,
                              VIEWER_PAGE(adw_view_stack_get_visible_child(self->pages)));
}

static void act_save(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_save_ask(VIEWER_WINDOW(widget)->save, VIEWER_WINDOW(widget)->document);
}

/* Keys that entries have a use for: they come here only when the focused widget leaves them. */
static void add_bindings(GtkWidgetClass *class)
{
  GdkModifierType control = GDK_CONTROL_MASK, shift = GDK_SHIFT_MASK;

  gtk_widget_class_add_binding_action(class, GDK_KEY_slash, 0, "win.search", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_g, control, "win.go-to-match", "i", 1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_g, control | shift, "win.go-to-match", "i", -1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_F3, 0, "win.go-to-match", "i", 1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_F3, shift, "win.go-to-match", "i", -1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_z, control, "win.undo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_z, control | shift, "win.redo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_Left, GDK_ALT_MASK, "win.undo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_Right, GDK_ALT_MASK, "win.redo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_c, control, "win.copy", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_e, control, "win.export", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_s, control, "win.save", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_r, control | shift, "win.record-again", "s", "same");
  gtk_widget_class_add_binding_action(class, GDK_KEY_F9, 0, "win.sidebar", NULL);
  for (guint i = 0; i < VIEWER_PAGES; i++) {
    guint key = GDK_KEY_0 + (i + 1) % 10;
    gtk_widget_class_add_binding_action(class, key, GDK_ALT_MASK, "win.show-nth-page", "i", i);
    if (key != GDK_KEY_0) /* which shows all of a graph */
      gtk_widget_class_add_binding_action(class, key, 0, "win.show-nth-page", "i", i);
  }
}

void viewer_window_install_actions(GtkWidgetClass *class)
{
  gtk_widget_class_install_action(class, "win.open", NULL, act_open);
  gtk_widget_class_install_action(class, "win.open-file", "s", act_open_file);
  gtk_widget_class_install_action(class, "win.new-recording", NULL, act_new_recording);
  gtk_widget_class_install_action(class, "win.record-again", "s", act_record_again);
  gtk_widget_class_install_action(class, "win.show-page", "s", act_show_page);
  gtk_widget_class_install_action(class, "win.show-nth-page", "i", act_show_nth_page);
  gtk_widget_class_install_action(class, "win.leave-page", NULL, act_leave_page);
  gtk_widget_class_install_action(class, "win.sidebar", NULL, act_sidebar);
  gtk_widget_class_install_action(class, "win.toast", "s", act_toast);
  gtk_widget_class_install_action(class, "win.search", NULL, act_search);
  gtk_widget_class_install_action(class, "win.find", "s", act_find);
  gtk_widget_class_install_action(class, "win.go-to-match", "i", act_go_to_match);
  gtk_widget_class_install_action(class, "win.undo", NULL, act_undo);
  gtk_widget_class_install_action(class, "win.redo", NULL, act_redo);
  gtk_widget_class_install_action(class, "win.copy", NULL, act_copy);
  gtk_widget_class_install_action(class, "win.export", NULL, act_export);
  gtk_widget_class_install_action(class, "win.save", NULL, act_save);
  add_bindings(class);
}
