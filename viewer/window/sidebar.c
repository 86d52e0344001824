/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/sidebar.h"

#include <glib/gi18n.h>

struct _ViewerSidebar {
  GtkWidget parent;

  GtkWidget *scrolled;
  GtkListBox *list;
  AdwViewStack *stack; /* borrowed */
};

G_DEFINE_FINAL_TYPE(ViewerSidebar, viewer_sidebar, GTK_TYPE_WIDGET)

enum { CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static const char page_key[] = "viewer-page";

static AdwViewStackPage *get_page(gpointer row)
{
  return g_object_get_data(row, page_key);
}

static GtkWidget *make_row(AdwViewStackPage *page)
{
  GtkWidget *row = gtk_list_box_row_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new(adw_view_stack_page_get_title(page));

  gtk_box_append(GTK_BOX(box), gtk_image_new_from_icon_name(adw_view_stack_page_get_icon_name(page)));
  gtk_box_append(GTK_BOX(box), label);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), box);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 adw_view_stack_page_get_title(page), -1);
  g_object_set_data_full(G_OBJECT(row), page_key, g_object_ref(page), g_object_unref);
  g_object_bind_property(page, "visible", row, "visible", G_BINDING_SYNC_CREATE);
  return row;
}

/* A page without a row, as Health, has none selected. */
static void sidebar_select(ViewerSidebar *self)
{
  GtkWidget *shown = adw_view_stack_get_visible_child(self->stack);

  gtk_list_box_unselect_all(self->list);
  for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(self->list)); row;
       row = gtk_widget_get_next_sibling(row))
    if (adw_view_stack_page_get_child(get_page(row)) == shown)
      gtk_list_box_select_row(self->list, GTK_LIST_BOX_ROW(row));
}

static void handle_row(ViewerSidebar *self, GtkListBoxRow *row)
{
  adw_view_stack_set_visible_child(self->stack, adw_view_stack_page_get_child(get_page(row)));
  g_signal_emit(self, signals[CHOSEN], 0);
}

void viewer_sidebar_set_stack(ViewerSidebar *self, AdwViewStack *stack)
{
  g_autoptr(GtkSelectionModel) pages = adw_view_stack_get_pages(stack);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(pages));

  g_return_if_fail(VIEWER_IS_SIDEBAR(self) && !self->stack);
  self->stack = stack;
  for (guint i = 0; i < n; i++) {
    g_autoptr(AdwViewStackPage) page = g_list_model_get_item(G_LIST_MODEL(pages), i);
    if (adw_view_stack_page_get_icon_name(page))
      gtk_list_box_append(self->list, make_row(page));
  }
  g_signal_connect_object(stack, "notify::visible-child", G_CALLBACK(sidebar_select), self,
                          G_CONNECT_SWAPPED);
  sidebar_select(self);
}

static gboolean viewer_sidebar_grab_focus(GtkWidget *widget)
{
  ViewerSidebar *self = VIEWER_SIDEBAR(widget);
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);

  return gtk_widget_grab_focus(row ? GTK_WIDGET(row) : GTK_WIDGET(self->list));
}

static void viewer_sidebar_dispose(GObject *object)
{
  g_clear_pointer(&VIEWER_SIDEBAR(object)->scrolled, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_sidebar_parent_class)->dispose(object);
}

static void viewer_sidebar_class_init(ViewerSidebarClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_sidebar_dispose;
  widget_class->grab_focus = viewer_sidebar_grab_focus;
  signals[CHOSEN] =
      g_signal_new("chosen", VIEWER_TYPE_SIDEBAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "sidebar");
}

static void viewer_sidebar_init(ViewerSidebar *self)
{
  GtkWidget *list = gtk_list_box_new();

  self->list = GTK_LIST_BOX(list);
  self->scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), list);
  gtk_widget_set_parent(self->scrolled, GTK_WIDGET(self));
  gtk_widget_add_css_class(list, "navigation-sidebar");
  gtk_accessible_update_property(GTK_ACCESSIBLE(list), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Pages"), -1);
  g_signal_connect_object(list, "row-activated", G_CALLBACK(handle_row), self, G_CONNECT_SWAPPED);
}
