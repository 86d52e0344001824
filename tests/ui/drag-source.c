/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A window from which files can be dragged, as out of a file manager: those that it is started with. It says
 * whether what the pointer is over would take them.
 */
#include <gtk/gtk.h>

#include "small-application.h"

static void tell(GtkLabel *label, const char *text)
{
  gtk_label_set_text(label, text);
}

static void tell_whether_taken(GdkDrag *drag, GParamSpec *pspec, GtkLabel *label)
{
  tell(label, gdk_drag_get_selected_action(drag) ? "taken" : "not taken");
}

static void follow(GtkDragSource *source, GdkDrag *drag, GtkLabel *label)
{
  tell(label, "not taken");
  g_signal_connect_object(drag, "notify::selected-action", G_CALLBACK(tell_whether_taken), label, 0);
}

static void end(GtkDragSource *source, GdkDrag *drag, gboolean delete_data, GtkLabel *label)
{
  tell(label, "ended");
}

static void offer(GApplication *application, GFile **files, int n, const char *hint)
{
  GtkWidget *window = gtk_application_window_new(GTK_APPLICATION(application));
  GtkWidget *label = gtk_label_new("nothing yet");
  GtkDragSource *source = gtk_drag_source_new();
  GdkFileList *list = gdk_file_list_new_from_array(files, (gsize)n);
  g_autoptr(GdkContentProvider) content = gdk_content_provider_new_typed(GDK_TYPE_FILE_LIST, list);

  gtk_drag_source_set_content(source, content);
  g_signal_connect(source, "drag-begin", G_CALLBACK(follow), label);
  g_signal_connect(source, "drag-end", G_CALLBACK(end), label);
  gtk_widget_add_controller(label, GTK_EVENT_CONTROLLER(source));
  gtk_window_set_child(GTK_WINDOW(window), label);
  gtk_window_present(GTK_WINDOW(window));
  g_boxed_free(GDK_TYPE_FILE_LIST, list);
}

int main(int argc, char **argv)
{
  g_autoptr(GtkApplication) application =
      gtk_application_new("org.capturectl.DragSource", G_APPLICATION_HANDLES_OPEN);

  return small_application_run(application, "open", G_CALLBACK(offer), argc, argv);
}
