/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-column.h"

#include "viewer/viewer-cell.h"
#include "viewer/viewer-format.h"
#include "viewer/viewer-list.h"

enum {
  TEXT_MAX = 400, /* characters that a cell may have to lay out; nobody reads more of a name */
  CHARS_MAX = 40, /* of a column that says nothing of its width */
  CHARS_MIN = 8
};

#define CELLS_KEY     "viewer-column-cells"
#define LIST_ITEM_KEY "viewer-column-list-item"

/* Of one column: its factory, its cells and its sorter share them. */
typedef struct {
  ViewerColumn column;
  gpointer data;
  ViewerCellKind kind;
  GHashTable *bound; /* GtkListItem */
} Cells;

static void clear_cells(gpointer data)
{
  g_hash_table_unref(((Cells *)data)->bound);
}

static void release_cells(gpointer data)
{
  g_rc_box_release_full(data, clear_cells);
}

/* Of a tree: what the row holds. A reference of one's own. */
static gpointer unwrap(gpointer item)
{
  return GTK_IS_TREE_LIST_ROW(item) ? gtk_tree_list_row_get_item(item) : g_object_ref(item);
}

static ViewerCell *get_cell(GtkListItem *list_item)
{
  GtkWidget *child = gtk_list_item_get_child(list_item);

  return VIEWER_CELL(GTK_IS_TREE_EXPANDER(child) ? gtk_tree_expander_get_child(GTK_TREE_EXPANDER(child))
                                                 : child);
}

static char *make_text(const Cells *cells, gpointer wrapped)
{
  g_autoptr(GObject) item = unwrap(wrapped);

  return cells->column.get_text(item, cells->data);
}

static char *get_shown_text(gpointer wrapped, gpointer data)
{
  g_autofree char *text = make_text(data, wrapped);

  return viewer_format_name(text, TEXT_MAX);
}

/* Numbers are never cut; of texts, those of a column that says nothing of its width have room. */
static void widen(Cells *cells, GtkListItem *list_item)
{
  const ViewerColumn *column = &cells->column;
  ViewerCellKind *kind = &cells->kind;

  if (!kind->is_number && (column->chars > 0 || column->flags & VIEWER_COLUMN_EXPAND))
    return;
  g_autofree char *text = get_shown_text(gtk_list_item_get_item(list_item), cells);
  guint length = (guint)g_utf8_strlen(text, -1), *chars = kind->is_number ? &kind->chars : &kind->natural;
  length = kind->is_number ? length : MIN(length + length / 4, CHARS_MAX); /* letters may be wide ones */
  if (length <= *chars)
    return;
  *chars = length;
  gtk_widget_queue_resize(GTK_WIDGET(get_cell(list_item)));
}

static void init_kind(Cells *cells)
{
  const ViewerColumn *column = &cells->column;
  gboolean is_number = (column->flags & VIEWER_COLUMN_NUMBER) != 0;

  cells->kind = (ViewerCellKind){.get_text = get_shown_text,
                                 .data = cells,
                                 .ellipsize = column->flags & VIEWER_COLUMN_PATH ? PANGO_ELLIPSIZE_START
                                                                                 : PANGO_ELLIPSIZE_END,
                                 .is_number = is_number,
                                 .chars = column->chars || is_number ? column->chars : CHARS_MIN};
}

static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  Cells *cells = data;
  GtkWidget *child = viewer_cell_new(&cells->kind);

  g_object_set_data_full(G_OBJECT(child), CELLS_KEY, g_rc_box_acquire(cells), release_cells);
  if (cells->column.flags & VIEWER_COLUMN_DIM)
    gtk_widget_add_css_class(child, "dim-label");
  if (cells->column.flags & VIEWER_COLUMN_EXPANDER) {
    GtkWidget *expander = gtk_tree_expander_new();
    gtk_tree_expander_set_child(GTK_TREE_EXPANDER(expander), child);
    child = expander;
  }
  g_object_set_data(G_OBJECT(child), LIST_ITEM_KEY, list_item);
  gtk_list_item_set_child(list_item, child);
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  Cells *cells = data;
  GtkWidget *child = gtk_list_item_get_child(list_item);

  if (GTK_IS_TREE_EXPANDER(child))
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(child), gtk_list_item_get_item(list_item));
  widen(cells, list_item);
  viewer_cell_set_item(get_cell(list_item), gtk_list_item_get_item(list_item));
  g_hash_table_add(cells->bound, list_item);
}

static void on_unbind(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  Cells *cells = data;
  GtkWidget *child = gtk_list_item_get_child(list_item);

  g_hash_table_remove(cells->bound, list_item);
  viewer_cell_set_item(get_cell(list_item), NULL);
  if (GTK_IS_TREE_EXPANDER(child))
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(child), NULL);
}

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
  const Cells *cells = data;

  return cells->column.compare((gpointer)a, (gpointer)b, cells->data);
}

GtkColumnViewColumn *viewer_column_append(GtkColumnView *view, const ViewerColumn *column, gpointer data)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_autoptr(GtkColumnViewColumn) added = gtk_column_view_column_new(column->title, factory);
  Cells *cells = g_rc_box_new0(Cells);

  cells->column = *column;
  cells->data = data;
  init_kind(cells);
  cells->bound = g_hash_table_new(NULL, NULL);
  g_object_set_data_full(G_OBJECT(factory), CELLS_KEY, cells, release_cells);
  g_signal_connect(factory, "setup", G_CALLBACK(on_setup), cells);
  g_signal_connect(factory, "bind", G_CALLBACK(on_bind), cells);
  g_signal_connect(factory, "unbind", G_CALLBACK(on_unbind), cells);
  if (column->compare) {
    g_autoptr(GtkSorter) sorter =
        GTK_SORTER(gtk_custom_sorter_new(compare, g_rc_box_acquire(cells), release_cells));
    gtk_column_view_column_set_sorter(added, sorter);
  }
  gtk_column_view_column_set_expand(added, (column->flags & VIEWER_COLUMN_EXPAND) != 0);
  gtk_column_view_column_set_resizable(added, TRUE);
  gtk_column_view_append_column(view, added);
  if (cells->kind.is_number)
    viewer_list_align_title(added);
  return added;
}

/* NULL: it was not made here. */
static Cells *get_cells(GtkColumnViewColumn *column)
{
  GtkListItemFactory *factory = gtk_column_view_column_get_factory(column);

  return factory ? g_object_get_data(G_OBJECT(factory), CELLS_KEY) : NULL;
}

void viewer_column_update(GtkColumnViewColumn *column)
{
  Cells *cells = get_cells(column);
  GtkSorter *sorter = gtk_column_view_column_get_sorter(column);
  GHashTableIter iter;
  gpointer list_item;

  if (!cells)
    return;
  g_hash_table_iter_init(&iter, cells->bound);
  while (g_hash_table_iter_next(&iter, &list_item, NULL)) {
    widen(cells, list_item);
    viewer_cell_update(get_cell(list_item));
  }
  if (sorter)
    gtk_sorter_changed(sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

void viewer_column_update_all(GtkColumnView *view)
{
  GListModel *columns = gtk_column_view_get_columns(view);

  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    viewer_column_update(column);
  }
}

/* item NULL: the headings */
static void append_line(GString *text, GListModel *columns, gpointer item)
{
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    const Cells *cells = get_cells(column);
    g_autofree char *cell = item && cells ? make_text(cells, item) : NULL;
    g_autofree char *shown = viewer_format_name(cell ? cell : gtk_column_view_column_get_title(column), 0);
    if (cells)
      g_string_append_printf(text, "%s%s", i > 0 ? "\t" : "", shown);
  }
  g_string_append_c(text, '\n');
}

char *viewer_column_make_text(GtkColumnView *view, guint n_max)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  GListModel *rows = viewer_list_get_whole(view);
  GString *text = g_string_new(NULL);

  append_line(text, columns, NULL);
  for (guint i = 0; i < MIN(g_list_model_get_n_items(rows), n_max); i++) {
    g_autoptr(GObject) item = g_list_model_get_item(rows, i);
    append_line(text, columns, item);
  }
  return g_string_free(text, FALSE);
}

/* A list says how high it is only once it is laid out. */
void viewer_column_fit(GtkColumnView *view, guint n_max)
{
  enum { PADDING = 6, HEADING = 32 };
  GtkWidget *window = gtk_widget_get_ancestor(GTK_WIDGET(view), GTK_TYPE_SCROLLED_WINDOW);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(gtk_column_view_get_model(view)));
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(view), "0");
  int height;

  pango_layout_get_pixel_size(layout, NULL, &height);
  height = (int)MIN(n, n_max) * (height + PADDING) + HEADING;
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(window), -1); /* never above the most */
  gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(window), height);
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(window), height);
}

/* The list in the view knows how, from GTK 4.12 on the view itself does. */
void viewer_column_scroll_to(GtkColumnView *view, guint position)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(view));

  while (child && !GTK_IS_LIST_VIEW(child))
    child = gtk_widget_get_next_sibling(child);
  if (child)
    gtk_widget_activate_action(child, "list.scroll-to-item", "u", position);
}

/* The first cell in a widget that was made here; NULL: none was. */
static GtkListItem *find_cell(GtkWidget *widget)
{
  GtkListItem *found = g_object_get_data(G_OBJECT(widget), LIST_ITEM_KEY);

  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_cell(child);
  return found;
}

guint viewer_column_find_row(GtkColumnView *view, double x, double y)
{
  GtkWidget *widget = gtk_widget_pick(GTK_WIDGET(view), x, y, GTK_PICK_DEFAULT);

  for (; widget && !GTK_IS_LIST_VIEW(widget) && widget != GTK_WIDGET(view);
       widget = gtk_widget_get_parent(widget)) {
    GtkListItem *list_item = find_cell(widget);
    if (list_item)
      return gtk_list_item_get_position(list_item);
  }
  return GTK_INVALID_LIST_POSITION;
}
