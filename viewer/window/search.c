/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/search.h"

struct _ViewerSearch {
  GtkBox parent;

  GtkLabel *found;
  GtkWidget *ways;
  GtkSearchEntry *entry;

  ViewerPage *page;
};

G_DEFINE_FINAL_TYPE(ViewerSearch, viewer_search, GTK_TYPE_BOX)

static const char *get_text(ViewerSearch *self)
{
  return gtk_editable_get_text(GTK_EDITABLE(self->entry));
}

static const char *get_label(ViewerSearch *self)
{
  return self->page ? viewer_page_get_search_label(self->page) : NULL;
}

/* What the entry is for; where nothing can be searched there is none. */
static void show_label(ViewerSearch *self)
{
  const char *label = get_label(self);

  gtk_widget_set_visible(GTK_WIDGET(self->entry), label != NULL);
  if (!label)
    return;
  g_object_set(self->entry, "placeholder-text", label, NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void show_found(ViewerSearch *self)
{
  g_autofree char *found = *get_text(self) && self->page ? viewer_page_describe_search(self->page) : NULL;

  gtk_widget_set_visible(GTK_WIDGET(self->found), found != NULL);
  gtk_label_set_label(self->found, found ? found : "");
}

static void on_search_changed(ViewerSearch *self)
{
  show_label(self);
  show_found(self);
}

static void search_run(ViewerSearch *self)
{
  const char *text = get_text(self);

  gtk_widget_set_visible(self->ways, *text && get_label(self));
  if (self->page)
    viewer_page_set_search(self->page, text);
  show_found(self);
}

void viewer_search_go(ViewerSearch *self, int direction)
{
  g_return_if_fail(VIEWER_IS_SEARCH(self));
  if (!self->page || !viewer_page_next_match(self->page, direction))
    gtk_widget_error_bell(GTK_WIDGET(self));
}

static void go_to_next(ViewerSearch *self)
{
  viewer_search_go(self, 1);
}

static void go_to_previous(ViewerSearch *self)
{
  viewer_search_go(self, -1);
}

/* Escape. */
static void search_stop(ViewerSearch *self)
{
  gtk_editable_set_text(GTK_EDITABLE(self->entry), "");
  if (self->page && !gtk_widget_grab_focus(GTK_WIDGET(self->page)))
    gtk_window_set_focus(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))), NULL);
}

static void leave_page(ViewerSearch *self)
{
  if (self->page)
    g_signal_handlers_disconnect_by_func(self->page, on_search_changed, self);
  g_clear_object(&self->page);
}

void viewer_search_set_page(ViewerSearch *self, ViewerPage *page)
{
  g_return_if_fail(VIEWER_IS_SEARCH(self));
  if (self->page == page)
    return;
  leave_page(self);
  if (page) {
    self->page = g_object_ref(page);
    g_signal_connect_swapped(page, "search-changed", G_CALLBACK(on_search_changed), self);
  }
  show_label(self);
  search_run(self);
}

void viewer_search_begin(ViewerSearch *self)
{
  g_return_if_fail(VIEWER_IS_SEARCH(self));
  if (!gtk_widget_grab_focus(GTK_WIDGET(self->entry)))
    gtk_widget_error_bell(GTK_WIDGET(self));
}

void viewer_search_set_text(ViewerSearch *self, const char *text)
{
  g_return_if_fail(VIEWER_IS_SEARCH(self));
  gtk_editable_set_text(GTK_EDITABLE(self->entry), text);
}

static void viewer_search_dispose(GObject *object)
{
  leave_page(VIEWER_SEARCH(object));
  G_OBJECT_CLASS(viewer_search_parent_class)->dispose(object);
}

static void viewer_search_class_init(ViewerSearchClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_search_dispose;
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/window/search.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerSearch, found);
  gtk_widget_class_bind_template_child(widget_class, ViewerSearch, ways);
  gtk_widget_class_bind_template_child(widget_class, ViewerSearch, entry);
  gtk_widget_class_bind_template_callback(widget_class, search_run);
  gtk_widget_class_bind_template_callback(widget_class, go_to_next);
  gtk_widget_class_bind_template_callback(widget_class, go_to_previous);
  gtk_widget_class_bind_template_callback(widget_class, search_stop);
}

static void viewer_search_init(ViewerSearch *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
