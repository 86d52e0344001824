/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-column.h"

#include <string.h>

#include "viewer/viewer-format.h"

enum {
  TEXT_MAX = 400, /* characters that a cell may have to lay out; nobody reads more of a name */
  CHARS_MAX = 40, /* of a column that says nothing of its width */
  CHARS_MIN = 8
};

#define CELLS_KEY "viewer-column-cells"

/* Of one column: its factory and its sorter share them. */
typedef struct {
  ViewerColumn column;
  gpointer data;
  GHashTable *bound; /* GtkListItem: those in sight */
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

static GtkLabel *get_label(GtkListItem *list_item)
{
  GtkWidget *child = gtk_list_item_get_child(list_item);

  return GTK_LABEL(GTK_IS_TREE_EXPANDER(child) ? gtk_tree_expander_get_child(GTK_TREE_EXPANDER(child))
                                               : child);
}

static void show_text(const Cells *cells, GtkListItem *list_item)
{
  g_autoptr(GObject) item = unwrap(gtk_list_item_get_item(list_item));
  g_autofree char *text = cells->column.get_text(item, cells->data);
  g_autofree char *shown = viewer_format_name(text, TEXT_MAX);

  if (strcmp(gtk_label_get_text(get_label(list_item)), shown) != 0)
    gtk_label_set_text(get_label(list_item), shown);
}

/* What is in sight as a whole needs no telling. */
static gboolean on_query_tooltip(GtkWidget *label, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                                 gpointer data)
{
  if (!pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(label))))
    return FALSE;
  gtk_tooltip_set_text(tooltip, gtk_label_get_text(GTK_LABEL(label)));
  return TRUE;
}

static void set_width(GtkLabel *label, const ViewerColumn *column)
{
  gboolean number = (column->flags & VIEWER_COLUMN_NUMBER) != 0;
  int most = column->flags & VIEWER_COLUMN_EXPAND ? -1 : CHARS_MAX;

  gtk_label_set_width_chars(label, column->chars ? (int)column->chars : number ? 0 : CHARS_MIN);
  gtk_label_set_max_width_chars(label, column->chars ? (int)column->chars : most);
}

static GtkWidget *make_label(const ViewerColumn *column)
{
  GtkWidget *label = gtk_label_new(NULL);
  gboolean number = (column->flags & VIEWER_COLUMN_NUMBER) != 0;

  gtk_label_set_xalign(GTK_LABEL(label), number ? 1 : 0);
  gtk_label_set_single_line_mode(GTK_LABEL(label), TRUE);
  if (!number)
    gtk_label_set_ellipsize(GTK_LABEL(label),
                            column->flags & VIEWER_COLUMN_PATH ? PANGO_ELLIPSIZE_START : PANGO_ELLIPSIZE_END);
  set_width(GTK_LABEL(label), column);
  if (number)
    gtk_widget_add_css_class(label, "numeric");
  if (column->flags & VIEWER_COLUMN_DIM)
    gtk_widget_add_css_class(label, "dim-label");
  gtk_widget_set_has_tooltip(label, TRUE);
  g_signal_connect(label, "query-tooltip", G_CALLBACK(on_query_tooltip), NULL);
  return label;
}

static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  const Cells *cells = data;
  GtkWidget *child = make_label(&cells->column);

  if (cells->column.flags & VIEWER_COLUMN_EXPANDER) {
    GtkWidget *expander = gtk_tree_expander_new();
    gtk_tree_expander_set_child(GTK_TREE_EXPANDER(expander), child);
    child = expander;
  }
  gtk_list_item_set_child(list_item, child);
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  Cells *cells = data;
  GtkWidget *child = gtk_list_item_get_child(list_item);

  if (GTK_IS_TREE_EXPANDER(child))
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(child), gtk_list_item_get_item(list_item));
  show_text(cells, list_item);
  g_hash_table_add(cells->bound, list_item);
}

static void on_unbind(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  Cells *cells = data;
  GtkWidget *child = gtk_list_item_get_child(list_item);

  g_hash_table_remove(cells->bound, list_item);
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
  return added;
}

void viewer_column_update(GtkColumnViewColumn *column)
{
  GtkListItemFactory *factory = gtk_column_view_column_get_factory(column);
  const Cells *cells = factory ? g_object_get_data(G_OBJECT(factory), CELLS_KEY) : NULL;
  GtkSorter *sorter = gtk_column_view_column_get_sorter(column);
  GHashTableIter iter;
  gpointer list_item;

  if (!cells)
    return;
  g_hash_table_iter_init(&iter, cells->bound);
  while (g_hash_table_iter_next(&iter, &list_item, NULL))
    show_text(cells, list_item);
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
