/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/table/column.h"

#include "viewer/kit/format.h"
#include "viewer/table/cell.h"
#include "viewer/table/list.h"

enum {
  TEXT_MAX = 400, /* characters that a cell may have to lay out; nobody reads more of a name */
  CHARS_MAX = 40, /* of a column that says nothing of its width */
  CHARS_MIN = 8
};

#define CELLS_KEY "viewer-column-cells"

/* Of one column: it, its cells and its sorter share them. */
typedef struct {
  ViewerColumn column;
  gpointer data;
  double (*get_share)(gpointer item, gpointer data); /* of its bar; NULL: it has none */
  ViewerCellKind kind;
  GtkColumnViewColumn *title; /* borrowed: it lives as long as there are cells to bind */
} Cells;

/* Of a tree: what the row holds. A reference of one's own. */
static gpointer column_unwrap(gpointer item)
{
  return GTK_IS_TREE_LIST_ROW(item) ? gtk_tree_list_row_get_item(item) : g_object_ref(item);
}

static ViewerCell *get_cell(GtkWidget *child)
{
  return VIEWER_CELL(GTK_IS_TREE_EXPANDER(child) ? gtk_tree_expander_get_child(GTK_TREE_EXPANDER(child))
                                                 : child);
}

static char *make_text(const Cells *cells, gpointer wrapped)
{
  g_autoptr(GObject) item = column_unwrap(wrapped);

  return cells->column.get_text(item, cells->data);
}

static char *get_shown_text(gpointer wrapped, gpointer data)
{
  g_autofree char *text = make_text(data, wrapped);

  return viewer_format_name(text, TEXT_MAX);
}

/* Numbers are never cut; of texts, those of a column that says nothing of its width have room. */
static void column_widen(Cells *cells, gpointer item)
{
  const ViewerColumn *column = &cells->column;
  ViewerCellKind *kind = &cells->kind;

  if (!kind->is_number && (column->chars > 0 || column->flags & VIEWER_COLUMN_EXPAND))
    return;
  g_autofree char *text = get_shown_text(item, cells);
  guint length = (guint)g_utf8_strlen(text, -1), *chars = kind->is_number ? &kind->chars : &kind->natural;
  length = kind->is_number ? length : MIN(length + length / 4, CHARS_MAX); /* letters may be wide ones */
  if (length <= *chars)
    return;
  *chars = length;
  viewer_list_remeasure(cells->title);
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

static double get_share(gpointer wrapped, gpointer data)
{
  const Cells *cells = data;
  g_autoptr(GObject) item = column_unwrap(wrapped);

  return cells->get_share(item, cells->data);
}

void viewer_column_set_bar(GtkColumnViewColumn *column, double (*of_item)(gpointer item, gpointer data))
{
  Cells *cells = g_object_get_data(G_OBJECT(column), CELLS_KEY);

  cells->get_share = of_item;
  cells->kind.get_share = get_share;
}

static GtkWidget *column_make(gpointer data)
{
  Cells *cells = data;
  gboolean has_arrow = (cells->column.flags & VIEWER_COLUMN_EXPANDER) != 0;
  GtkWidget *child = has_arrow ? viewer_cell_new_label(&cells->kind) : viewer_cell_new(&cells->kind),
            *expander;

  g_object_set_data_full(G_OBJECT(child), CELLS_KEY, g_rc_box_acquire(cells), g_rc_box_release);
  if (cells->column.flags & VIEWER_COLUMN_DIM)
    gtk_widget_add_css_class(child, "dim-label");
  if (!has_arrow)
    return child;
  expander = gtk_tree_expander_new();
  gtk_tree_expander_set_child(GTK_TREE_EXPANDER(expander), child);
  return expander;
}

/* As deep as the row stands, its text is moved. */
static void make_room(Cells *cells, GtkWidget *expander)
{
  int all, text;

  gtk_widget_measure(expander, GTK_ORIENTATION_HORIZONTAL, -1, &all, NULL, NULL, NULL);
  gtk_widget_measure(GTK_WIDGET(get_cell(expander)), GTK_ORIENTATION_HORIZONTAL, -1, &text, NULL, NULL, NULL);
  if (all - text <= cells->kind.room)
    return;
  cells->kind.room = all - text;
  viewer_list_remeasure(cells->title);
}

static void column_bind(GtkWidget *child, gpointer item, gpointer data)
{
  if (GTK_IS_TREE_EXPANDER(child))
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(child), item);
  if (GTK_IS_TREE_EXPANDER(child) && item)
    make_room(data, child);
  if (item)
    column_widen(data, item);
  viewer_cell_set_item(get_cell(child), item);
}

static int column_compare(gconstpointer a, gconstpointer b, gpointer data)
{
  const Cells *cells = data;

  return cells->column.compare((gpointer)a, (gpointer)b, cells->data);
}

GtkColumnViewColumn *viewer_column_append(ViewerList *list, const ViewerColumn *column, gpointer data)
{
  Cells *cells = g_rc_box_new0(Cells);

  cells->column = *column;
  cells->data = data;
  init_kind(cells);
  cells->title = viewer_list_add_cells(list, column->title, cells->kind.is_number,
                                       &(ViewerRowsColumn){column_make, column_bind, cells});
  g_object_set_data_full(G_OBJECT(cells->title), CELLS_KEY, cells, g_rc_box_release);
  if (column->compare) {
    g_autoptr(GtkSorter) sorter =
        GTK_SORTER(gtk_custom_sorter_new(column_compare, g_rc_box_acquire(cells), g_rc_box_release));
    viewer_list_set_sorter(cells->title, sorter);
  }
  gtk_column_view_column_set_expand(cells->title, (column->flags & VIEWER_COLUMN_EXPAND) != 0);
  return cells->title;
}

/* NULL: it was not made here. */
static Cells *get_cells(GtkColumnViewColumn *column)
{
  return g_object_get_data(G_OBJECT(column), CELLS_KEY);
}

void viewer_column_update(GtkColumnViewColumn *column)
{
  Cells *cells = get_cells(column);
  GtkSorter *sorter = gtk_column_view_column_get_sorter(column);
  GtkWidget *child;

  if (!cells)
    return;
  for (guint n = 0; (child = viewer_list_next_cell(column, &n));) {
    if (viewer_cell_get_item(get_cell(child)))
      column_widen(cells, viewer_cell_get_item(get_cell(child)));
    viewer_cell_update(get_cell(child));
  }
  if (sorter)
    gtk_sorter_changed(sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

static GListModel *get_columns(ViewerList *list)
{
  return gtk_column_view_get_columns(viewer_list_get_titles(list));
}

void viewer_column_update_all(ViewerList *list)
{
  GListModel *columns = get_columns(list);

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

static void append_titles(GString *text, gpointer list)
{
  append_line(text, get_columns(list), NULL);
}

static void append_row(GString *text, guint position, gpointer list)
{
  g_autoptr(GObject) item =
      g_list_model_get_item(G_LIST_MODEL(viewer_list_get_selection(VIEWER_LIST(list))), position);

  append_line(text, get_columns(list), item);
}

ViewerCopyRows viewer_column_get_copied(ViewerList *list)
{
  return (ViewerCopyRows){.model = G_LIST_MODEL(viewer_list_get_selection(list)),
                          .n = G_MAXUINT,
                          .append_titles = append_titles,
                          .append_row = append_row,
                          .data = list};
}

/* A list says how high it is only once it is laid out. */
int viewer_column_get_height(ViewerList *list, guint n_rows)
{
  enum { PADDING = 6, HEADING = 32, MOST_ROWS = 10000 };
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(list), "0");
  int height;

  pango_layout_get_pixel_size(layout, NULL, &height);
  return (int)MIN(n_rows, MOST_ROWS) * (height + PADDING) + HEADING;
}

void viewer_column_fit(ViewerList *list, guint n_max)
{
  GtkWidget *window = gtk_widget_get_ancestor(GTK_WIDGET(list), GTK_TYPE_SCROLLED_WINDOW);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(viewer_list_get_selection(list)));
  int height = viewer_column_get_height(list, MIN(n, n_max));

  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(window), -1); /* never above the most */
  gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(window), height);
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(window), height);
}
