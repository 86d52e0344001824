/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-list.h"

#define ITEM    "viewer-list-item"
#define SHOWING "viewer-list-showing"
#define STALE   "viewer-list-stale"

enum { FRAMES_TO_LAY_OUT = 2 };

static GtkListItem *get_item(GtkWidget *child)
{
  return g_object_get_data(G_OBJECT(child), ITEM);
}

void viewer_list_set_item(GtkWidget *child, GtkListItem *item)
{
  g_object_set_data(G_OBJECT(child), ITEM, item);
}

GtkWidget *viewer_list_get_row(GtkWidget *child)
{
  GtkWidget *parent;

  for (; child; child = parent) {
    parent = gtk_widget_get_parent(child);
    if (parent && GTK_IS_LIST_VIEW(parent))
      return child;
  }
  return NULL;
}

void viewer_list_name_row(GtkWidget *child, const char *text)
{
  GtkWidget *row = viewer_list_get_row(child);

  if (row)
    gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void write_cell(GtkLabel *label, gpointer item)
{
  const ViewerListColumn *column = g_object_get_data(G_OBJECT(label), "viewer-list-column");
  g_autofree char *text = column->get_text(item, column->column);
  g_autofree char *tooltip = column->get_tooltip ? column->get_tooltip(item, column->column) : NULL;

  gtk_label_set_text(label, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(label), tooltip);
  if (column->name_row)
    column->name_row(GTK_WIDGET(label), item);
}

/* A view keeps some hundred rows, of which one sees few: the others are written anew when they come into
 * sight. */
static void rewrite_cell(GtkLabel *label)
{
  gpointer item = gtk_list_item_get_item(get_item(GTK_WIDGET(label)));
  gboolean is_seen = gtk_widget_get_mapped(GTK_WIDGET(label));

  g_object_set_data(G_OBJECT(label), STALE, GINT_TO_POINTER(!is_seen));
  if (is_seen && item)
    write_cell(label, item);
}

static void rewrite_stale_cell(GtkLabel *label)
{
  if (g_object_get_data(G_OBJECT(label), STALE))
    rewrite_cell(label);
}

static void set_up_cell(GtkSignalListItemFactory *factory, GtkListItem *item, ViewerListColumn *column)
{
  GtkLabel *label = GTK_LABEL(gtk_label_new(NULL));

  gtk_label_set_xalign(label, column->is_number ? 1 : 0);
  gtk_label_set_single_line_mode(label, TRUE);
  gtk_label_set_width_chars(label, column->width);
  if (column->is_number) {
    gtk_widget_add_css_class(GTK_WIDGET(label), "numeric");
    gtk_widget_set_direction(GTK_WIDGET(label), GTK_TEXT_DIR_LTR); /* units stand below units */
  } else {
    gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_MIDDLE);
  }
  g_object_set_data(G_OBJECT(label), "viewer-list-column", column);
  g_signal_connect(label, "map", G_CALLBACK(rewrite_stale_cell), NULL);
  viewer_list_set_item(GTK_WIDGET(label), item);
  gtk_list_item_set_child(item, GTK_WIDGET(label));
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_list_item_get_child(item);

  g_signal_connect_object(gtk_list_item_get_item(item), "changed", G_CALLBACK(rewrite_cell), label,
                          G_CONNECT_SWAPPED);
  g_object_set_data(G_OBJECT(label), STALE, NULL);
  write_cell(GTK_LABEL(label), gtk_list_item_get_item(item));
}

static void unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  g_signal_handlers_disconnect_by_data(gtk_list_item_get_item(item), gtk_list_item_get_child(item));
}

/* GTK offers no way to do this: the box in the title's widget is found. */
void viewer_list_align_last_title(GtkColumnView *view)
{
  GtkWidget *titles = gtk_widget_get_first_child(GTK_WIDGET(view));
  GtkWidget *title = titles ? gtk_widget_get_last_child(titles) : NULL;
  GtkWidget *box = title ? gtk_widget_get_first_child(title) : NULL;

  if (GTK_IS_BOX(box))
    gtk_widget_set_halign(box, GTK_ALIGN_END);
}

GtkColumnViewColumn *viewer_list_add_column(GtkColumnView *view, const ViewerListColumn *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  ViewerListColumn *kept = g_memdup2(column, sizeof *column);

  g_signal_connect_data(factory, "setup", G_CALLBACK(set_up_cell), kept,
                        (GClosureNotify)(void (*)(void))g_free, 0);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), NULL);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), NULL);
  GtkColumnViewColumn *added = gtk_column_view_column_new(column->title, factory);
  gtk_column_view_column_set_resizable(added, TRUE);
  gtk_column_view_append_column(view, added);
  if (column->is_number)
    viewer_list_align_last_title(view);
  g_object_unref(added);
  return added;
}

GtkWidget *viewer_list_get_rows(GtkColumnView *view)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(view));

  while (child && !GTK_IS_LIST_VIEW(child))
    child = gtk_widget_get_next_sibling(child);
  return child;
}

gboolean viewer_list_has_focus(GtkColumnView *view)
{
  GtkWidget *rows = viewer_list_get_rows(view);
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(view));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;

  return focus && rows && (focus == rows || gtk_widget_is_ancestor(focus, rows));
}

/* Any cell of a row knows its item. */
static GtkListItem *find_item(GtkWidget *row)
{
  GtkWidget *cell = gtk_widget_get_first_child(row);
  GtkWidget *child = cell ? gtk_widget_get_first_child(cell) : NULL;

  return child ? get_item(child) : NULL;
}

guint viewer_list_get_position_at(GtkColumnView *view, GtkWidget *widget, double x, double y)
{
  GtkWidget *picked = gtk_widget_pick(widget, x, y, GTK_PICK_DEFAULT);
  GtkWidget *row =
      picked && gtk_widget_is_ancestor(picked, GTK_WIDGET(view)) ? viewer_list_get_row(picked) : NULL;
  GtkListItem *item = row ? find_item(row) : NULL;

  return item ? gtk_list_item_get_position(item) : GTK_INVALID_LIST_POSITION;
}

static GtkWidget *find_row(GtkColumnView *view, guint position)
{
  GtkWidget *row = gtk_widget_get_first_child(viewer_list_get_rows(view));

  for (; row; row = gtk_widget_get_next_sibling(row)) {
    GtkListItem *item = find_item(row);
    if (item && gtk_widget_get_mapped(row) && gtk_list_item_get_position(item) == position)
      return row;
  }
  return NULL;
}

gboolean viewer_list_get_place_of(GtkColumnView *view, GtkWidget *widget, guint position, double *ret_x,
                                  double *ret_y)
{
  GtkWidget *row = find_row(view, position);

  return row && gtk_widget_translate_coordinates(row, widget, 24, gtk_widget_get_height(row), ret_x, ret_y);
}

/* What viewer_list_show is to do again when rows have their places. */
typedef struct {
  guint position;
  gboolean focus;
  guint n_frames; /* to go */
} Showing;

static void focus_row(GtkColumnView *view, guint position)
{
  GtkWidget *row = find_row(view, position);

  gtk_widget_grab_focus(row ? row : viewer_list_get_rows(view));
}

static gboolean show_again(GtkWidget *view, GdkFrameClock *clock, gpointer data)
{
  Showing *showing = data;

  if (showing->n_frames-- > 1)
    return G_SOURCE_CONTINUE;
  gtk_widget_activate_action(viewer_list_get_rows(GTK_COLUMN_VIEW(view)), "list.scroll-to-item", "u",
                             showing->position);
  if (showing->focus &&
      (viewer_list_has_focus(GTK_COLUMN_VIEW(view)) || !gtk_root_get_focus(gtk_widget_get_root(view))))
    focus_row(GTK_COLUMN_VIEW(view), showing->position);
  g_object_set_data(G_OBJECT(view), SHOWING, NULL);
  return G_SOURCE_REMOVE;
}

/* Rows that were added just now have no place before the next frame: then it is done once more. */
void viewer_list_show(GtkColumnView *view, guint position, gboolean focus)
{
  guint number = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(view), SHOWING));
  Showing *showing = g_new0(Showing, 1);

  if (number)
    gtk_widget_remove_tick_callback(GTK_WIDGET(view), number);
  gtk_widget_activate_action(viewer_list_get_rows(view), "list.scroll-to-item", "u", position);
  if (focus)
    focus_row(view, position);
  *showing = (Showing){position, focus, FRAMES_TO_LAY_OUT};
  number = gtk_widget_add_tick_callback(GTK_WIDGET(view), show_again, showing, g_free);
  g_object_set_data(G_OBJECT(view), SHOWING, GUINT_TO_POINTER(number));
}
