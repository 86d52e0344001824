/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/process-chooser.h"

#include "viewer/record/process-list.h"
#include "viewer/record/process-row.h"

struct _ViewerProcessChooser {
  AdwWindow parent_instance;

  ViewerProcessList *processes;
  GtkFilter *filter;
  GtkSearchEntry *search;
  GtkStack *stack;
  GtkListView *list;
};

G_DEFINE_FINAL_TYPE(ViewerProcessChooser, viewer_process_chooser, ADW_TYPE_WINDOW)

enum { CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean process_chooser_matches(gpointer process, gpointer data)
{
  ViewerProcessChooser *self = data;

  return viewer_process_matches(process, gtk_editable_get_text(GTK_EDITABLE(self->search)));
}

static void process_chooser_search(ViewerProcessChooser *self)
{
  gtk_filter_changed(self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

/* Before the first look there is nothing to be missed. */
static void update_stack(ViewerProcessChooser *self)
{
  GListModel *shown = G_LIST_MODEL(gtk_list_view_get_model(self->list));
  gboolean empty =
      g_list_model_get_n_items(shown) == 0 && g_list_model_get_n_items(G_LIST_MODEL(self->processes)) > 0;

  gtk_stack_set_visible_child_name(self->stack, empty ? "empty" : "list");
}

static void process_chooser_choose(ViewerProcessChooser *self, guint position)
{
  GListModel *shown = G_LIST_MODEL(gtk_list_view_get_model(self->list));
  g_autoptr(ViewerProcess) process = g_list_model_get_item(shown, position);

  if (!process || !viewer_process_is_recordable(process))
    return;
  g_signal_emit(self, signals[CHOSEN], 0, process);
  gtk_window_close(GTK_WINDOW(self));
}

static void choose_first(ViewerProcessChooser *self)
{
  process_chooser_choose(self, 0);
}

static void set_up_row(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child(item, viewer_process_row_new());
}

static void bind_row(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  ViewerProcess *process = gtk_list_item_get_item(item);

  viewer_process_row_set_process(VIEWER_PROCESS_ROW(gtk_list_item_get_child(item)), process);
  gtk_list_item_set_activatable(item, viewer_process_is_recordable(process));
}

static void unbind_row(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  viewer_process_row_set_process(VIEWER_PROCESS_ROW(gtk_list_item_get_child(item)), NULL);
}

static GtkListItemFactory *make_factory(void)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();

  g_signal_connect(factory, "setup", G_CALLBACK(set_up_row), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_row), NULL);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind_row), NULL);
  return factory;
}

static void viewer_process_chooser_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_process_chooser_parent_class)->map(widget);
  viewer_process_list_set_running(VIEWER_PROCESS_CHOOSER(widget)->processes, TRUE);
}

static void viewer_process_chooser_unmap(GtkWidget *widget)
{
  viewer_process_list_set_running(VIEWER_PROCESS_CHOOSER(widget)->processes, FALSE);
  GTK_WIDGET_CLASS(viewer_process_chooser_parent_class)->unmap(widget);
}

static void viewer_process_chooser_dispose(GObject *object)
{
  ViewerProcessChooser *self = VIEWER_PROCESS_CHOOSER(object);

  if (self->list)
    gtk_list_view_set_model(self->list, NULL);
  if (self->processes)
    viewer_process_list_set_running(self->processes, FALSE);
  g_clear_object(&self->filter);
  g_clear_object(&self->processes);
  G_OBJECT_CLASS(viewer_process_chooser_parent_class)->dispose(object);
}

static void viewer_process_chooser_class_init(ViewerProcessChooserClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_process_chooser_dispose;
  widget_class->map = viewer_process_chooser_map;
  widget_class->unmap = viewer_process_chooser_unmap;
  signals[CHOSEN] = g_signal_new("chosen", G_OBJECT_CLASS_TYPE(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, VIEWER_TYPE_PROCESS);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/record/process-chooser.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessChooser, search);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessChooser, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessChooser, list);
  gtk_widget_class_bind_template_callback(widget_class, process_chooser_search);
  gtk_widget_class_bind_template_callback(widget_class, process_chooser_choose);
  gtk_widget_class_bind_template_callback(widget_class, choose_first);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void viewer_process_chooser_init(ViewerProcessChooser *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->processes = viewer_process_list_new();
  self->filter = GTK_FILTER(gtk_custom_filter_new(process_chooser_matches, self, NULL));
  GtkFilterListModel *shown =
      gtk_filter_list_model_new(g_object_ref(G_LIST_MODEL(self->processes)), g_object_ref(self->filter));
  GtkListItemFactory *factory = make_factory();
  GtkSelectionModel *selection = GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(shown)));

  gtk_list_view_set_factory(self->list, factory);
  gtk_list_view_set_model(self->list, selection);
  g_signal_connect_object(selection, "items-changed", G_CALLBACK(update_stack), self, G_CONNECT_SWAPPED);
  gtk_search_entry_set_key_capture_widget(self->search, GTK_WIDGET(self));
  g_object_unref(factory);
  g_object_unref(selection);
}

GtkWidget *viewer_process_chooser_new(GtkWindow *parent, gboolean own, gboolean others)
{
  ViewerProcessChooser *self = g_object_new(VIEWER_TYPE_PROCESS_CHOOSER, "transient-for", parent, NULL);

  viewer_process_list_set_rights(self->processes, own, others);
  return GTK_WIDGET(self);
}
