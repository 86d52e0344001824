/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/process-row.h"

#include <glib/gi18n.h>

struct _ViewerProcessRow {
  GtkWidget parent_instance;

  ViewerProcess *process;
  GtkImage *icon;
  GtkLabel *name, *command_line, *user, *pid, *cpu;
};

G_DEFINE_FINAL_TYPE(ViewerProcessRow, viewer_process_row, GTK_TYPE_WIDGET)

static void show_cpu(ViewerProcessRow *self)
{
  double cpu = viewer_process_get_cpu(self->process);
  g_autofree char *text = cpu < 0 ? g_strdup("–") : g_strdup_printf(_("%.0f %%"), 100 * cpu);

  gtk_label_set_text(self->cpu, text);
}

static void show_recordable(ViewerProcessRow *self)
{
  gtk_widget_set_sensitive(GTK_WIDGET(self), viewer_process_is_recordable(self->process));
}

void viewer_process_row_set_process(ViewerProcessRow *self, ViewerProcess *process)
{
  if (self->process)
    g_signal_handlers_disconnect_by_data(self->process, self);
  g_set_object(&self->process, process);
  if (!process)
    return;
  const ViewerProcessFacts *facts = viewer_process_get_facts(process);
  g_autofree char *pid = g_strdup_printf("%d", facts->pid);
  gtk_image_set_from_gicon(self->icon, facts->icon);
  gtk_label_set_text(self->name, facts->name);
  gtk_label_set_text(self->command_line, *facts->command_line ? facts->command_line : facts->name);
  gtk_label_set_text(self->user, facts->user);
  gtk_label_set_text(self->pid, pid);
  g_signal_connect_swapped(process, "notify::cpu", G_CALLBACK(show_cpu), self);
  g_signal_connect_swapped(process, "notify::recordable", G_CALLBACK(show_recordable), self);
  show_cpu(self);
  show_recordable(self);
}

static void viewer_process_row_dispose(GObject *object)
{
  ViewerProcessRow *self = VIEWER_PROCESS_ROW(object);

  viewer_process_row_set_process(self, NULL);
  for (GtkWidget *child; (child = gtk_widget_get_first_child(GTK_WIDGET(self)));)
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(viewer_process_row_parent_class)->dispose(object);
}

static void viewer_process_row_class_init(ViewerProcessRowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_process_row_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/record/process-row.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessRow, icon);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessRow, name);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessRow, command_line);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessRow, user);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessRow, pid);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessRow, cpu);
}

static void viewer_process_row_init(ViewerProcessRow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

GtkWidget *viewer_process_row_new(void)
{
  return g_object_new(VIEWER_TYPE_PROCESS_ROW, NULL);
}
