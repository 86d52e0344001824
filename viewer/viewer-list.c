/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-list.h"

#include "viewer/viewer-cell.h"
#include "viewer/viewer-gradual-list.h"

#define COLUMN  "viewer-list-column"
#define ITEM    "viewer-list-item"
#define LIST    "viewer-list-list"
#define GROWING "viewer-list-growing"
#define WIDTH   "viewer-list-width"
#define SHOWING "viewer-list-showing"

enum { FRAMES_TO_LAY_OUT = 2 };

/* Of a column: it and its cells share it. */
typedef struct {
  ViewerListColumn column;
  ViewerCellKind kind;
  gboolean is_wanted;
} Column;

static GtkListItem *get_item(GtkWidget *child)
{
  return g_object_get_data(G_OBJECT(child), ITEM);
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

static gboolean grow(GtkWidget *view, GdkFrameClock *clock, gpointer list)
{
  gboolean is_behind = viewer_gradual_list_grow(list);

  if (!is_behind)
    g_object_set_data(G_OBJECT(view), GROWING, NULL);
  return is_behind ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void start_growing(GtkWidget *view, ViewerGradualList *list)
{
  if (g_object_get_data(G_OBJECT(view), GROWING))
    return;
  g_object_set_data(G_OBJECT(view), GROWING, view);
  gtk_widget_add_tick_callback(view, grow, g_object_ref(list), g_object_unref);
}

static void keep_selected(GtkSingleSelection *selection, GParamSpec *spec, ViewerGradualList *list)
{
  viewer_gradual_list_keep(list, gtk_single_selection_get_selected(selection));
}

GtkSingleSelection *viewer_list_set_model(GtkColumnView *view, GListModel *model)
{
  ViewerGradualList *list = viewer_gradual_list_new(model);
  g_autoptr(GtkSingleSelection) selection = gtk_single_selection_new(G_LIST_MODEL(list));

  gtk_single_selection_set_autoselect(selection, FALSE);
  gtk_single_selection_set_can_unselect(selection, TRUE);
  gtk_single_selection_set_selected(selection, GTK_INVALID_LIST_POSITION);
  g_object_set_data_full(G_OBJECT(view), LIST, g_object_ref(list), g_object_unref);
  g_signal_connect_object(selection, "notify::selected", G_CALLBACK(keep_selected), list, 0);
  g_signal_connect_object(list, "behind", G_CALLBACK(start_growing), view, G_CONNECT_SWAPPED);
  gtk_column_view_set_model(view, GTK_SELECTION_MODEL(selection));
  return selection;
}

void viewer_list_linger(GtkColumnView *view)
{
  viewer_gradual_list_linger(g_object_get_data(G_OBJECT(view), LIST));
}

GListModel *viewer_list_get_whole(GtkColumnView *view)
{
  ViewerGradualList *list = g_object_get_data(G_OBJECT(view), LIST);

  return list ? viewer_gradual_list_get_whole(list) : G_LIST_MODEL(gtk_column_view_get_model(view));
}

void viewer_list_select(GtkColumnView *view, guint position)
{
  GtkSingleSelection *selection = GTK_SINGLE_SELECTION(gtk_column_view_get_model(view));

  viewer_gradual_list_reach(g_object_get_data(G_OBJECT(view), LIST), position);
  gtk_single_selection_set_selected(selection, position);
}

static char *get_text(gpointer item, gpointer data)
{
  const ViewerListColumn *column = &((Column *)data)->column;

  return column->get_text(item, column->column);
}

static char *get_tooltip(gpointer item, gpointer data)
{
  const ViewerListColumn *column = &((Column *)data)->column;

  return column->get_tooltip(item, column->column);
}

static void name_row(ViewerCell *cell, gpointer item, gpointer data)
{
  ((Column *)data)->column.name_row(GTK_WIDGET(cell), item);
}

static void set_up_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Column *column)
{
  GtkWidget *cell = viewer_cell_new(&column->kind);

  g_object_set_data_full(G_OBJECT(cell), COLUMN, g_rc_box_acquire(column), g_rc_box_release);
  g_object_set_data(G_OBJECT(cell), ITEM, item);
  gtk_list_item_set_child(item, cell);
}

static void set_up_own_cell(GtkSignalListItemFactory *factory, GtkListItem *item,
                            GtkWidget *(*make_cell)(void))
{
  GtkWidget *cell = make_cell();

  g_object_set_data(G_OBJECT(cell), ITEM, item);
  gtk_list_item_set_child(item, cell);
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  viewer_cell_set_item(VIEWER_CELL(gtk_list_item_get_child(item)), gtk_list_item_get_item(item));
}

static void unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  viewer_cell_set_item(VIEWER_CELL(gtk_list_item_get_child(item)), NULL);
}

static GtkColumnViewColumn *add_column(GtkColumnView *view, const char *title, GtkListItemFactory *factory)
{
  g_autoptr(GtkColumnViewColumn) column = gtk_column_view_column_new(title, factory);

  g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), NULL);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), NULL);
  gtk_column_view_column_set_resizable(column, TRUE);
  gtk_column_view_append_column(view, column);
  return column;
}

/* NULL: its cells are somebody else's. */
static Column *get_own(GtkColumnViewColumn *column)
{
  return g_object_get_data(G_OBJECT(column), COLUMN);
}

/* GTK offers no way to it: titles stand in the order of columns. */
static GtkWidget *find_title(GtkColumnViewColumn *column)
{
  GtkColumnView *view = gtk_column_view_column_get_column_view(column);
  GtkWidget *titles = gtk_widget_get_first_child(GTK_WIDGET(view));
  GtkWidget *title = titles ? gtk_widget_get_first_child(titles) : NULL;
  GListModel *columns = gtk_column_view_get_columns(view);

  for (guint i = 0; title && i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) other = g_list_model_get_item(columns, i);
    if (other == column)
      return title;
    title = gtk_widget_get_next_sibling(title);
  }
  return NULL;
}

/* In a title's box a label is followed by the arrow of the order, which takes its room even where it is not
 * seen: it must not stand above the ends of numbers, which are on the right in every language. */
void viewer_list_align_title(GtkColumnViewColumn *column)
{
  GtkWidget *title = find_title(column);
  GtkWidget *box = title ? gtk_widget_get_first_child(title) : NULL;
  gboolean rtl = title && gtk_widget_get_direction(title) == GTK_TEXT_DIR_RTL;

  if (!GTK_IS_BOX(box))
    return;
  gtk_widget_set_halign(box, rtl ? GTK_ALIGN_START : GTK_ALIGN_END);
  if (!rtl && GTK_IS_LABEL(gtk_widget_get_first_child(box)))
    gtk_box_reorder_child_after(GTK_BOX(box), gtk_widget_get_last_child(box), NULL);
}

GtkColumnViewColumn *viewer_list_add_column(GtkColumnView *view, const ViewerListColumn *description)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Column *own = g_rc_box_new0(Column);

  own->column = *description;
  own->is_wanted = TRUE;
  own->kind = (ViewerCellKind){.get_text = get_text,
                               .get_tooltip = description->get_tooltip ? get_tooltip : NULL,
                               .written = description->name_row ? name_row : NULL,
                               .data = own,
                               .ellipsize = PANGO_ELLIPSIZE_MIDDLE,
                               .is_number = description->is_number,
                               .chars = description->width,
                               .natural = description->natural};
  g_signal_connect(factory, "setup", G_CALLBACK(set_up_cell), own);
  GtkColumnViewColumn *column = add_column(view, description->title, factory);
  g_object_set_data_full(G_OBJECT(column), COLUMN, own, g_rc_box_release);
  gtk_column_view_column_set_visible(column, description->from_width == 0);
  if (description->is_number)
    viewer_list_align_title(column);
  return column;
}

GtkColumnViewColumn *viewer_list_add_cells(GtkColumnView *view, const char *title,
                                           GtkWidget *(*make_cell)(void))
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();

  g_signal_connect(factory, "setup", G_CALLBACK(set_up_own_cell), make_cell);
  return add_column(view, title, factory);
}

void viewer_list_set_sorter(GtkColumnViewColumn *column, GtkSorter *sorter)
{
  gtk_column_view_column_set_sorter(column, sorter);
  if (get_own(column) && get_own(column)->column.is_number)
    viewer_list_align_title(column);
}

void viewer_list_reserve(GtkColumnViewColumn *column, const char *number)
{
  Column *own = get_own(column);
  guint chars = MAX((guint)g_utf8_strlen(number, -1), own->column.width);
  GtkWidget *title = find_title(column);

  if (chars == own->kind.chars)
    return;
  own->kind.chars = chars;
  if (title) /* which makes the column ask all its cells again */
    gtk_widget_queue_resize(title);
}

static gboolean has_room(GtkColumnViewColumn *column, int width)
{
  const Column *own = get_own(column);

  return !own || (own->is_wanted && width >= own->column.from_width);
}

/* Cells of a column that comes are put behind all others: those of the columns behind it are made anew, so
 * that a screen reader reads them in their order. */
static gboolean adapt(GtkWidget *view, GdkFrameClock *clock, gpointer data)
{
  GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(view));
  int width = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(view), WIDTH));
  gboolean is_behind = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    gboolean was_visible = gtk_column_view_column_get_visible(column), is_visible = has_room(column, width);
    if (is_behind)
      gtk_column_view_column_set_visible(column, FALSE);
    gtk_column_view_column_set_visible(column, is_visible);
    is_behind = is_behind || (is_visible && !was_visible);
  }
  return G_SOURCE_REMOVE;
}

void viewer_list_adapt(GtkColumnView *view, int width)
{
  if (GPOINTER_TO_INT(g_object_get_data(G_OBJECT(view), WIDTH)) == width)
    return;
  g_object_set_data(G_OBJECT(view), WIDTH, GINT_TO_POINTER(width));
  gtk_widget_add_tick_callback(GTK_WIDGET(view), adapt, NULL, NULL);
}

void viewer_list_want_column(GtkColumnViewColumn *column, gboolean wanted)
{
  get_own(column)->is_wanted = wanted;
  adapt(GTK_WIDGET(gtk_column_view_column_get_column_view(column)), NULL, NULL);
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
