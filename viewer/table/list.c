/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/table/list.h"

#include "viewer/table/cell.h"
#include "viewer/table/row.h"

#define COLUMN  "viewer-list-column"
#define MEASURE "viewer-list-measure"
#define NUMBER  "viewer-list-number"

/* Pixels beside the first and the last column: with what cells leave, texts begin where those above do. */
enum { INSET = 6 };

struct _ViewerList {
  GtkWidget parent_instance;
  GtkColumnView *titles;
  ViewerRows *rows;
  GtkAdjustment *hadjustment, *vadjustment;
  GtkScrollablePolicy hscroll_policy, vscroll_policy;
  int width; /* that columns were chosen for */
};

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerList, viewer_list, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

enum { PROP_HADJUSTMENT = 1, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };
enum { ACTIVATE, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Of a column of text: it and its cells share it. */
typedef struct {
  ViewerListColumn column;
  ViewerCellKind kind;
  double (*get_share)(gpointer item, guint column); /* of its bar; NULL: it has none */
  gboolean is_wanted;
} Column;

/* The titles' own row is never seen: its cells say how wide columns are. */
typedef struct {
  ViewerRowsColumn cells;
  GtkWidget *child; /* NULL: there is none now */
} Measure;

/* NULL: its cells are somebody else's. */
static Column *get_own(GtkColumnViewColumn *column)
{
  return g_object_get_data(G_OBJECT(column), COLUMN);
}

static GtkColumnViewColumn *get_column(ViewerList *self, guint i)
{
  g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(gtk_column_view_get_columns(self->titles), i);

  return column; /* the titles have it */
}

static guint get_n_columns(ViewerList *self)
{
  return g_list_model_get_n_items(gtk_column_view_get_columns(self->titles));
}

static ViewerList *get_list(GtkColumnViewColumn *column)
{
  GtkColumnView *titles = gtk_column_view_column_get_column_view(column);

  return VIEWER_LIST(gtk_widget_get_ancestor(GTK_WIDGET(titles), VIEWER_TYPE_LIST));
}

/* The line of titles; GTK offers no way to it. */
static GtkWidget *get_line(ViewerList *self)
{
  return gtk_widget_get_first_child(GTK_WIDGET(self->titles));
}

/* Nor to a title: they stand in the order of columns. */
static GtkWidget *find_title(GtkColumnViewColumn *column)
{
  ViewerList *self = get_list(column);
  GtkWidget *title = gtk_widget_get_first_child(get_line(self));

  for (guint i = 0; title && get_column(self, i) != column; i++)
    title = gtk_widget_get_next_sibling(title);
  return title;
}

/* In a title's box a label is followed by the arrow of the order, which takes its room even where it is not
 * seen: it must not stand above the ends of numbers, which are on the right in every language. */
static void align_title(GtkColumnViewColumn *column)
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

GtkWidget *viewer_list_get_row(GtkWidget *child)
{
  return gtk_widget_get_ancestor(child, VIEWER_TYPE_ROW);
}

void viewer_list_name_row(GtkWidget *child, const char *text)
{
  GtkWidget *row = viewer_list_get_row(child);

  if (row)
    gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
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

static GtkWidget *make_cell(gpointer data)
{
  Column *own = data;
  GtkWidget *cell = viewer_cell_new(&own->kind);

  g_object_set_data_full(G_OBJECT(cell), COLUMN, g_rc_box_acquire(own), g_rc_box_release);
  return cell;
}

static void bind_cell(GtkWidget *cell, gpointer item, gpointer data)
{
  viewer_cell_set_item(VIEWER_CELL(cell), item);
}

static void set_up_measure(GtkSignalListItemFactory *factory, GtkListItem *item, Measure *measure)
{
  g_set_weak_pointer(&measure->child, measure->cells.make(measure->cells.data));
  gtk_list_item_set_child(item, measure->child);
}

static void free_measure(gpointer data)
{
  g_clear_weak_pointer(&((Measure *)data)->child);
  g_free(data);
}

GtkColumnViewColumn *viewer_list_add_cells(ViewerList *self, const char *title, gboolean is_number,
                                           const ViewerRowsColumn *cells)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Measure *measure = g_new0(Measure, 1);

  measure->cells = *cells;
  g_object_set_data_full(G_OBJECT(factory), MEASURE, measure, free_measure);
  g_signal_connect(factory, "setup", G_CALLBACK(set_up_measure), measure);
  g_autoptr(GtkColumnViewColumn) column = gtk_column_view_column_new(title, factory);
  g_object_set_data(G_OBJECT(column), NUMBER, GINT_TO_POINTER(is_number));
  gtk_column_view_column_set_resizable(column, TRUE);
  gtk_column_view_append_column(self->titles, column);
  viewer_rows_add_column(self->rows, cells);
  if (is_number)
    align_title(column);
  return column;
}

GtkColumnViewColumn *viewer_list_add_column(ViewerList *self, const ViewerListColumn *description)
{
  Column *own = g_rc_box_new0(Column);
  const ViewerRowsColumn cells = {make_cell, bind_cell, own};

  own->column = *description;
  own->is_wanted = TRUE;
  own->kind = (ViewerCellKind){.get_text = get_text,
                               .get_tooltip = description->get_tooltip ? get_tooltip : NULL,
                               .told = description->name_row ? name_row : NULL,
                               .data = own,
                               .ellipsize = PANGO_ELLIPSIZE_MIDDLE,
                               .is_number = description->is_number,
                               .chars = description->width,
                               .natural = description->natural};
  GtkColumnViewColumn *column =
      viewer_list_add_cells(self, description->title, description->is_number, &cells);
  g_object_set_data_full(G_OBJECT(column), COLUMN, own, g_rc_box_release);
  gtk_column_view_column_set_visible(column, description->from_width == 0);
  return column;
}

static double get_share(gpointer item, gpointer data)
{
  return ((Column *)data)->get_share(item, ((Column *)data)->column.column);
}

void viewer_list_set_bar(GtkColumnViewColumn *column, double (*of_item)(gpointer item, guint column))
{
  get_own(column)->get_share = of_item;
  get_own(column)->kind.get_share = get_share;
}

void viewer_list_set_sorter(GtkColumnViewColumn *column, GtkSorter *sorter)
{
  gtk_column_view_column_set_sorter(column, sorter);
  if (g_object_get_data(G_OBJECT(column), NUMBER))
    align_title(column);
}

static gboolean measure_again(GtkWidget *list, GdkFrameClock *clock, gpointer column)
{
  Measure *measure = g_object_get_data(G_OBJECT(gtk_column_view_column_get_factory(column)), MEASURE);
  GtkWidget *innermost = measure->child;

  while (innermost && gtk_widget_get_last_child(innermost))
    innermost = gtk_widget_get_last_child(innermost);
  if (innermost)
    gtk_widget_queue_resize(innermost);
  return G_SOURCE_REMOVE;
}

/* Who asks may do so while rows are given their places, when titles have theirs already. */
void viewer_list_remeasure(GtkColumnViewColumn *column)
{
  gtk_widget_add_tick_callback(GTK_WIDGET(get_list(column)), measure_again, g_object_ref(column),
                               g_object_unref);
}

void viewer_list_reserve(GtkColumnViewColumn *column, const char *number)
{
  Column *own = get_own(column);
  guint chars = MAX((guint)g_utf8_strlen(number, -1), own->column.width);

  if (chars == own->kind.chars)
    return;
  own->kind.chars = chars;
  viewer_list_remeasure(column);
}

static gboolean has_room(GtkColumnViewColumn *column, int width)
{
  const Column *own = get_own(column);

  return !own || (own->is_wanted && width >= own->column.from_width);
}

static gboolean choose_columns(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ViewerList *self = VIEWER_LIST(widget);

  for (guint i = 0; i < get_n_columns(self); i++)
    if (get_own(get_column(self, i)))
      gtk_column_view_column_set_visible(get_column(self, i), has_room(get_column(self, i), self->width));
  return G_SOURCE_REMOVE;
}

void viewer_list_want_column(GtkColumnViewColumn *column, gboolean wanted)
{
  get_own(column)->is_wanted = wanted;
  choose_columns(GTK_WIDGET(get_list(column)), NULL, NULL);
}

static int get_height_of_titles(ViewerList *self)
{
  int height;

  gtk_widget_measure(get_line(self), GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  return height;
}

static void viewer_list_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                int *natural, int *minimum_baseline, int *natural_baseline)
{
  ViewerList *self = VIEWER_LIST(widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    gtk_widget_measure(GTK_WIDGET(self->titles), orientation, -1, minimum, natural, NULL, NULL);
    *minimum += 2 * INSET;
    *natural += 2 * INSET;
    return;
  }
  int height = get_height_of_titles(self);
  gtk_widget_measure(GTK_WIDGET(self->rows), orientation, -1, minimum, natural, NULL, NULL);
  *minimum += height;
  *natural += height;
}

/* Cells stand below titles, as wide as these. */
static void place_columns(ViewerList *self)
{
  GtkWidget *title = gtk_widget_get_first_child(get_line(self));

  for (guint i = 0; i < get_n_columns(self) && title; i++, title = gtk_widget_get_next_sibling(title)) {
    graphene_rect_t place = GRAPHENE_RECT_INIT(0, 0, 0, 0);
    if (gtk_column_view_column_get_visible(get_column(self, i)) &&
        !gtk_widget_compute_bounds(title, GTK_WIDGET(self), &place))
      continue;
    viewer_rows_place_column(self->rows, i, (int)place.origin.x, (int)place.size.width);
  }
}

/* Columns come and go with the next frame. */
static void viewer_list_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerList *self = VIEWER_LIST(widget);
  int of_titles = get_height_of_titles(self);

  gtk_widget_size_allocate(GTK_WIDGET(self->titles), &(GtkAllocation){INSET, 0, width - 2 * INSET, of_titles},
                           -1);
  place_columns(self);
  gtk_widget_size_allocate(GTK_WIDGET(self->rows),
                           &(GtkAllocation){0, of_titles, width, MAX(height - of_titles, 0)}, -1);
  if (self->width == width)
    return;
  self->width = width;
  gtk_widget_add_tick_callback(widget, choose_columns, NULL, NULL);
}

static void set_hadjustment(ViewerList *self, GtkAdjustment *adjustment)
{
  if (self->hadjustment)
    g_signal_handlers_disconnect_by_data(self->hadjustment, self);
  g_set_object(&self->hadjustment, adjustment);
  gtk_scrollable_set_hadjustment(GTK_SCROLLABLE(self->titles), adjustment);
  if (adjustment)
    g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(gtk_widget_queue_allocate), self);
}

static void viewer_list_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ViewerList *self = VIEWER_LIST(object);

  switch (id) {
  case PROP_HADJUSTMENT:
    set_hadjustment(self, g_value_get_object(value));
    break;
  case PROP_VADJUSTMENT:
    g_set_object(&self->vadjustment, g_value_get_object(value));
    viewer_rows_set_adjustment(self->rows, self->vadjustment);
    break;
  case PROP_HSCROLL_POLICY:
    self->hscroll_policy = g_value_get_enum(value);
    break;
  default:
    self->vscroll_policy = g_value_get_enum(value);
  }
}

static void viewer_list_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ViewerList *self = VIEWER_LIST(object);

  switch (id) {
  case PROP_HADJUSTMENT:
    g_value_set_object(value, self->hadjustment);
    break;
  case PROP_VADJUSTMENT:
    g_value_set_object(value, self->vadjustment);
    break;
  case PROP_HSCROLL_POLICY:
    g_value_set_enum(value, self->hscroll_policy);
    break;
  default:
    g_value_set_enum(value, self->vscroll_policy);
  }
}

static gboolean viewer_list_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_LIST(widget)->rows));
}

static void viewer_list_dispose(GObject *object)
{
  ViewerList *self = VIEWER_LIST(object);

  if (self->rows) {
    viewer_rows_end(self->rows);
    set_hadjustment(self, NULL);
    gtk_widget_unparent(GTK_WIDGET(self->rows));
    gtk_widget_unparent(GTK_WIDGET(self->titles));
    g_object_unref(self->titles); /* which tells its order once more and is asked for it */
  }
  self->rows = NULL;
  self->titles = NULL;
  g_clear_object(&self->vadjustment);
  G_OBJECT_CLASS(viewer_list_parent_class)->dispose(object);
}

static void viewer_list_class_init(ViewerListClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GObjectClass *object_class = G_OBJECT_CLASS(class);

  object_class->dispose = viewer_list_dispose;
  object_class->set_property = viewer_list_set_property;
  object_class->get_property = viewer_list_get_property;
  widget_class->measure = viewer_list_measure;
  widget_class->size_allocate = viewer_list_size_allocate;
  widget_class->grab_focus = viewer_list_grab_focus;
  g_object_class_override_property(object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property(object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property(object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property(object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  signals[ACTIVATE] = g_signal_new("activate", VIEWER_TYPE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_css_name(widget_class, "columnview");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_TREE_GRID);
}

static void list_activate(ViewerList *self, guint position)
{
  g_signal_emit(self, signals[ACTIVATE], 0, position);
}

/* Of one row, which is as nothing: see set_up_measure. */
static GtkSelectionModel *make_measures(void)
{
  g_autoptr(GObject) item = g_object_new(G_TYPE_OBJECT, NULL);
  GListStore *store = g_list_store_new(G_TYPE_OBJECT);

  g_list_store_append(store, item);
  return GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(store)));
}

static void make_titles(ViewerList *self)
{
  self->titles = g_object_new(GTK_TYPE_COLUMN_VIEW, "accessible-role", GTK_ACCESSIBLE_ROLE_ROW_GROUP, NULL);
  g_object_ref_sink(self->titles);
  g_autoptr(GtkSelectionModel) measures = make_measures();
  gtk_column_view_set_model(self->titles, measures);
  gtk_column_view_set_reorderable(self->titles, FALSE);
  gtk_widget_add_css_class(GTK_WIDGET(self->titles), "data-table");
  gtk_widget_set_overflow(GTK_WIDGET(self->titles), GTK_OVERFLOW_HIDDEN);
  GtkWidget *measuring = gtk_widget_get_next_sibling(get_line(self));
  gtk_widget_set_child_visible(measuring, FALSE);
  gtk_widget_set_can_focus(measuring, FALSE);
  gtk_accessible_update_state(GTK_ACCESSIBLE(measuring), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  gtk_widget_set_parent(GTK_WIDGET(self->titles), GTK_WIDGET(self));
}

static void viewer_list_init(ViewerList *self)
{
  make_titles(self);
  self->rows = VIEWER_ROWS(viewer_rows_new());
  g_signal_connect_swapped(self->rows, "activate", G_CALLBACK(list_activate), self);
  gtk_widget_set_parent(GTK_WIDGET(self->rows), GTK_WIDGET(self));
  gtk_widget_add_css_class(GTK_WIDGET(self), "data-table");
}

GtkWidget *viewer_list_new(void)
{
  return g_object_new(VIEWER_TYPE_LIST, NULL);
}

GtkSingleSelection *viewer_list_set_model(ViewerList *self, GListModel *model)
{
  GtkSingleSelection *selection = gtk_single_selection_new(g_object_ref(model));

  gtk_single_selection_set_autoselect(selection, FALSE);
  gtk_single_selection_set_can_unselect(selection, TRUE);
  gtk_single_selection_set_selected(selection, GTK_INVALID_LIST_POSITION);
  viewer_list_set_selection(self, GTK_SELECTION_MODEL(selection));
  g_object_unref(selection);
  return selection;
}

void viewer_list_set_selection(ViewerList *self, GtkSelectionModel *selection)
{
  viewer_rows_set_selection(self->rows, selection);
}

GtkSelectionModel *viewer_list_get_selection(ViewerList *self)
{
  return viewer_rows_get_selection(self->rows);
}

GtkColumnView *viewer_list_get_titles(ViewerList *self)
{
  return self->titles;
}

GtkWidget *viewer_list_next_cell(GtkColumnViewColumn *column, guint *n)
{
  ViewerList *self = get_list(column);

  for (guint i = 0; i < get_n_columns(self); i++)
    if (get_column(self, i) == column)
      return viewer_rows_next_child(self->rows, i, n);
  return NULL;
}

void viewer_list_update_column(GtkColumnViewColumn *column)
{
  GtkWidget *cell;

  for (guint n = 0; (cell = viewer_list_next_cell(column, &n));)
    viewer_cell_update(VIEWER_CELL(cell));
}

gboolean viewer_list_has_focus(ViewerList *self)
{
  GtkWidget *rows = GTK_WIDGET(self->rows);
  GtkRoot *root = gtk_widget_get_root(rows);
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;

  return focus && (focus == rows || gtk_widget_is_ancestor(focus, rows));
}

guint viewer_list_get_position_at(ViewerList *self, GtkWidget *widget, double x, double y)
{
  double rows_x, rows_y;

  if (!gtk_widget_translate_coordinates(widget, GTK_WIDGET(self->rows), x, y, &rows_x, &rows_y) ||
      !gtk_widget_contains(GTK_WIDGET(self->rows), rows_x, rows_y))
    return GTK_INVALID_LIST_POSITION;
  return viewer_rows_get_position_at(self->rows, rows_y);
}

gboolean viewer_list_get_place_of(ViewerList *self, GtkWidget *widget, guint position, double *ret_x,
                                  double *ret_y)
{
  GtkWidget *row = viewer_rows_get_row(self->rows, position);

  return row && gtk_widget_translate_coordinates(row, widget, 24, gtk_widget_get_height(row), ret_x, ret_y);
}

void viewer_list_show(ViewerList *self, guint position, gboolean focus)
{
  viewer_rows_show(self->rows, position, focus);
}
