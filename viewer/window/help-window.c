/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/help-window.h"

struct _ViewerHelpWindow {
  AdwWindow parent;
};

G_DEFINE_FINAL_TYPE(ViewerHelpWindow, viewer_help_window, ADW_TYPE_WINDOW)

GtkWindow *viewer_help_window_new(GtkWindow *parent)
{
  return g_object_new(VIEWER_TYPE_HELP_WINDOW, "transient-for", parent, NULL);
}

static void viewer_help_window_class_init(ViewerHelpWindowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/window/help-window.ui");
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void viewer_help_window_init(ViewerHelpWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
