/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/table/row.h"
#include "viewer/table/rows-private.h"

G_DEFINE_FINAL_TYPE(ViewerRows, viewer_rows, GTK_TYPE_WIDGET)

/* How long widgets are made in a frame, for all lists that there are; at least one is. */
enum { MOST_MICROSECONDS = 600 };

guint viewer_rows_get_n(ViewerRows *self)
{
  return self->selection ? g_list_model_get_n_items(G_LIST_MODEL(self->selection)) : 0;
}

guint viewer_rows_get_selected(ViewerRows *self)
{
  return GTK_IS_SINGLE_SELECTION(self->selection)
             ? gtk_single_selection_get_selected(GTK_SINGLE_SELECTION(self->selection))
             : GTK_INVALID_LIST_POSITION;
}

static ViewerRow *find_focused(ViewerRows *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;

  while (focus && gtk_widget_get_parent(focus) != GTK_WIDGET(self))
    focus = gtk_widget_get_parent(focus);
  return focus ? VIEWER_ROW(focus) : NULL;
}

static void rows_bind(ViewerRows *self, ViewerRow *row, gpointer item)
{
  if (!viewer_row_set_item(row, item))
    return;
  for (guint i = 0; i < self->columns->len; i++) {
    const ViewerRowsColumn *column = &g_array_index(self->columns, ViewerRowsColumn, i);
    column->bind(viewer_row_get(row, i), item, column->data);
  }
}

static ViewerRow *make_row(ViewerRows *self)
{
  ViewerRow *row = viewer_row_new(self->places);

  for (guint i = 0; i < self->columns->len; i++) {
    const ViewerRowsColumn *column = &g_array_index(self->columns, ViewerRowsColumn, i);
    viewer_row_add(row, column->make(column->data));
  }
  gtk_widget_set_parent(GTK_WIDGET(row), GTK_WIDGET(self));
  return row;
}

static void end_row(ViewerRows *self, ViewerRow *row)
{
  rows_bind(self, row, NULL);
  gtk_widget_unparent(GTK_WIDGET(row));
}

static void end_rows(ViewerRows *self)
{
  while (self->rows->len > 0)
    end_row(self, g_ptr_array_steal_index(self->rows, self->rows->len - 1));
}

/* The row is the one at that position, whatever it was. */
static void rows_be(ViewerRows *self, ViewerRow *row, guint position)
{
  g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(self->selection), position);

  viewer_row_set_position(row, position);
  viewer_row_set_selected(row, position == viewer_rows_get_selected(self));
  rows_bind(self, row, item);
}

/* The rows in sight: from *ret_first on, as many as are returned. */
static guint get_range(ViewerRows *self, guint *ret_first)
{
  double begin = self->adjustment ? gtk_adjustment_get_value(self->adjustment) : 0;
  double end = begin + gtk_widget_get_height(GTK_WIDGET(self));
  guint n = viewer_rows_get_n(self);

  *ret_first = 0;
  if (self->row_height == 0)
    return 0;
  guint first = MIN((guint)(begin / self->row_height), n);
  guint behind = MIN((guint)(end / self->row_height) + 1, n);
  *ret_first = first;
  return behind - first;
}

/* Widgets stand in the order of rows, for those who go from one to the next. */
static void order_widgets(ViewerRows *self)
{
  GtkWidget *before = NULL;

  for (guint i = 0; i < self->rows->len; i++) {
    GtkWidget *row = self->rows->pdata[i];
    if (gtk_widget_get_prev_sibling(row) != before)
      gtk_widget_insert_after(row, GTK_WIDGET(self), before);
    before = row;
  }
}

/* The widgets of rows that stay in sight, by place from the first one on; others, which can be those of other
 * rows, go to ret_others. Of the one that has the focus neither, where it is out of sight. */
static ViewerRow **sort_rows(ViewerRows *self, guint first, guint n, ViewerRow *focused,
                             GPtrArray *ret_others)
{
  ViewerRow **in_sight = g_new0(ViewerRow *, n + 1);

  for (guint i = 0; i < self->rows->len; i++) {
    ViewerRow *row = self->rows->pdata[i];
    guint position = viewer_row_get_position(row);
    if (position >= first && position - first < n)
      in_sight[position - first] = row;
    else if (row != focused || position >= viewer_rows_get_n(self))
      g_ptr_array_add(ret_others, row);
  }
  return in_sight;
}

static gboolean make_more(GtkWidget *widget, GdkFrameClock *clock, gpointer data);

/* The rest come with the next frames: to make all that a large window has room for would take longer than
 * one. */
static void make_more_later(ViewerRows *self)
{
  if (!self->is_making)
    gtk_widget_add_tick_callback(GTK_WIDGET(self), make_more, NULL, NULL);
  self->is_making = TRUE;
}

/* NULL: it took long enough already. */
static ViewerRow *make_row_in_time(ViewerRows *self)
{
  static gint64 frame, spent;
  GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(self));
  gint64 now = clock ? gdk_frame_clock_get_frame_counter(clock) : 0, begin = g_get_monotonic_time();

  if (now != frame)
    spent = 0;
  frame = now;
  if (spent > MOST_MICROSECONDS)
    return NULL;
  ViewerRow *row = make_row(self);
  spent += g_get_monotonic_time() - begin;
  return row;
}

/* Widgets for rows that come into sight. */
typedef struct {
  GPtrArray *others; /* ViewerRow, of rows that went */
  guint n_taken;
} Pool;

/* NULL: later. */
static ViewerRow *take_row(ViewerRows *self, Pool *pool)
{
  if (pool->n_taken < pool->others->len)
    return pool->others->pdata[pool->n_taken++];
  ViewerRow *row = make_row_in_time(self);
  if (!row)
    make_more_later(self);
  return row;
}

/* Rows that stay in sight keep their widgets, and so does the one that has the focus, wherever it is. The
 * others' become those of rows that come into sight. */
static void choose_rows(ViewerRows *self)
{
  g_autoptr(GPtrArray) others = g_ptr_array_new(), old = NULL;
  ViewerRow *focused = find_focused(self);
  guint far = focused ? viewer_row_get_position(focused) : GTK_INVALID_LIST_POSITION;
  guint first, n = get_range(self, &first);
  Pool pool = {others, 0};
  g_autofree ViewerRow **in_sight = sort_rows(self, first, n, focused, others);
  gboolean is_far = far < viewer_rows_get_n(self) && (far < first || far - first >= n);

  old = g_steal_pointer(&self->rows);
  self->rows = g_ptr_array_new();
  if (is_far && far < first)
    g_ptr_array_add(self->rows, focused);
  for (guint i = 0; i < n; i++) {
    ViewerRow *row = in_sight[i];
    if (!row && (row = take_row(self, &pool)))
      rows_be(self, row, first + i);
    if (row)
      g_ptr_array_add(self->rows, row);
  }
  if (is_far && far > first)
    g_ptr_array_add(self->rows, focused);
  for (guint i = pool.n_taken; i < others->len; i++)
    end_row(self, others->pdata[i]);
  order_widgets(self);
}

/* Before sizes are given: who gets a child while they are given asks for all of them once more. */
static gboolean make_more(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ViewerRows *self = VIEWER_ROWS(widget);

  self->is_making = FALSE;
  choose_rows(self);
  gtk_widget_queue_allocate(widget);
  return G_SOURCE_REMOVE;
}

static void set_range(ViewerRows *self)
{
  double height = gtk_widget_get_height(GTK_WIDGET(self));
  double all = (double)viewer_rows_get_n(self) * self->row_height,
         page = MAX(height - self->row_height, height / 2);

  if (self->adjustment)
    gtk_adjustment_configure(self->adjustment, gtk_adjustment_get_value(self->adjustment), 0,
                             MAX(all, height), self->row_height, page, height);
}

static void handle_scrolled(ViewerRows *self)
{
  choose_rows(self);
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

static void scroll_to(ViewerRows *self, guint position)
{
  double height = gtk_widget_get_height(GTK_WIDGET(self)), y = (double)position * self->row_height;

  if (self->adjustment)
    gtk_adjustment_clamp_page(self->adjustment, y, MIN(y + self->row_height, y + height));
}

/* Unless the focus was taken elsewhere meanwhile. */
static gboolean focus_later(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ViewerRows *self = VIEWER_ROWS(widget);
  GtkWidget *row = viewer_rows_get_row(self, self->focus);

  if (!row && self->is_making && gtk_widget_is_focus(widget))
    return G_SOURCE_CONTINUE;
  if (row && gtk_widget_is_focus(widget))
    gtk_widget_grab_focus(row);
  return G_SOURCE_REMOVE;
}

/* What had to wait for places. */
static void show_what_waits(ViewerRows *self)
{
  guint position = self->to_show;

  if (position == GTK_INVALID_LIST_POSITION || self->row_height == 0)
    return;
  self->to_show = GTK_INVALID_LIST_POSITION;
  if (position >= viewer_rows_get_n(self))
    return;
  scroll_to(self, position);
  self->focus = position;
  if (self->is_to_focus)
    gtk_widget_add_tick_callback(GTK_WIDGET(self), focus_later, NULL, NULL);
}

/* Every row has the height of any of them. */
static void measure_row(ViewerRows *self)
{
  if (self->rows->len == 0 && viewer_rows_get_n(self) > 0) {
    g_ptr_array_add(self->rows, make_row(self));
    rows_be(self, self->rows->pdata[0], 0);
  }
  if (self->rows->len > 0)
    gtk_widget_measure(self->rows->pdata[0], GTK_ORIENTATION_VERTICAL, -1, &self->row_height, NULL, NULL,
                       NULL);
}

static void viewer_rows_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerRows *self = VIEWER_ROWS(widget);

  measure_row(self);
  set_range(self);
  show_what_waits(self);
  choose_rows(self);
  double begin = self->adjustment ? gtk_adjustment_get_value(self->adjustment) : 0;
  for (guint i = 0; i < self->rows->len; i++) {
    ViewerRow *row = self->rows->pdata[i];
    double y = (double)viewer_row_get_position(row) * self->row_height - begin;
    y = CLAMP(y, -self->row_height, height); /* one that is out of sight may be too far away for an int */
    gtk_widget_size_allocate(GTK_WIDGET(row), &(GtkAllocation){0, (int)y, width, self->row_height}, -1);
  }
}

static void viewer_rows_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                int *natural, int *minimum_baseline, int *natural_baseline)
{
  ViewerRows *self = VIEWER_ROWS(widget);

  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  measure_row(self);
  *minimum = self->row_height;
  *natural = (int)CLAMP((double)self->row_height * viewer_rows_get_n(self), self->row_height, G_MAXINT / 2);
}

guint viewer_rows_get_current(ViewerRows *self)
{
  ViewerRow *focused = find_focused(self);
  guint first;

  if (focused && viewer_row_get_position(focused) < viewer_rows_get_n(self))
    return viewer_row_get_position(focused);
  if (viewer_rows_get_selected(self) != GTK_INVALID_LIST_POSITION)
    return viewer_rows_get_selected(self);
  if (self->focus != GTK_INVALID_LIST_POSITION)
    return self->focus;
  get_range(self, &first);
  return first;
}

/* Where a row was that had the focus, the next one gets it. */
static void follow_focus(ViewerRows *self, guint position, guint removed, guint added)
{
  ViewerRow *focused = find_focused(self);
  guint n = viewer_rows_get_n(self);

  if (focused && viewer_row_get_position(focused) == GTK_INVALID_LIST_POSITION)
    GTK_WIDGET_CLASS(viewer_rows_parent_class)->grab_focus(GTK_WIDGET(self));
  if (self->focus == GTK_INVALID_LIST_POSITION)
    return;
  if (self->focus >= position + removed)
    self->focus += added - removed;
  self->focus = n > 0 ? MIN(self->focus, n - 1) : GTK_INVALID_LIST_POSITION;
}

/* Widgets go with their rows: those behind are moved, one in whose place there is another row becomes that
 * one's. */
static void handle_items(ViewerRows *self, guint position, guint removed, guint added)
{
  guint n = viewer_rows_get_n(self);

  for (guint i = 0; i < self->rows->len; i++) {
    ViewerRow *row = self->rows->pdata[i];
    guint at = viewer_row_get_position(row);
    if (at >= position + removed)
      viewer_row_set_position(row, at - removed + added);
    else if (at >= position + added)
      viewer_row_set_position(row, GTK_INVALID_LIST_POSITION);
    else if (at >= position)
      rows_be(self, row, at);
  }
  follow_focus(self, position, removed, added);
  set_range(self);
  choose_rows(self);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  if (n > 0 && gtk_widget_is_focus(GTK_WIDGET(self)))
    viewer_rows_show(self, viewer_rows_get_current(self), TRUE);
}

static void handle_selection(ViewerRows *self)
{
  guint selected = viewer_rows_get_selected(self);

  for (guint i = 0; i < self->rows->len; i++) {
    ViewerRow *row = self->rows->pdata[i];
    viewer_row_set_selected(row, viewer_row_get_position(row) == selected);
  }
}

/* The Tab key goes to one row and from it out of the list. */
static gboolean viewer_rows_focus(GtkWidget *widget, GtkDirectionType direction)
{
  return !find_focused(VIEWER_ROWS(widget)) && !gtk_widget_is_focus(widget) && gtk_widget_grab_focus(widget);
}

static gboolean viewer_rows_grab_focus(GtkWidget *widget)
{
  ViewerRows *self = VIEWER_ROWS(widget);

  if (viewer_rows_get_n(self) == 0) /* until there are rows */
    return GTK_WIDGET_CLASS(viewer_rows_parent_class)->grab_focus(widget);
  viewer_rows_show(self, viewer_rows_get_current(self), TRUE);
  return TRUE;
}

static void viewer_rows_dispose(GObject *object)
{
  viewer_rows_end(VIEWER_ROWS(object));
  G_OBJECT_CLASS(viewer_rows_parent_class)->dispose(object);
}

static void viewer_rows_finalize(GObject *object)
{
  ViewerRows *self = VIEWER_ROWS(object);

  g_ptr_array_unref(self->rows);
  g_array_unref(self->columns);
  g_array_unref(self->places);
  G_OBJECT_CLASS(viewer_rows_parent_class)->finalize(object);
}

static void viewer_rows_class_init(ViewerRowsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_rows_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_rows_finalize;
  widget_class->measure = viewer_rows_measure;
  widget_class->size_allocate = viewer_rows_size_allocate;
  widget_class->focus = viewer_rows_focus;
  widget_class->grab_focus = viewer_rows_grab_focus;
  viewer_rows_add_keys(widget_class);
  g_signal_new("activate", VIEWER_TYPE_ROWS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
               G_TYPE_UINT);
  gtk_widget_class_set_css_name(widget_class, "listview");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_ROW_GROUP);
}

static void viewer_rows_init(ViewerRows *self)
{
  self->columns = g_array_new(FALSE, FALSE, sizeof(ViewerRowsColumn));
  self->places = g_array_new(FALSE, TRUE, sizeof(ViewerRowPlace));
  self->rows = g_ptr_array_new();
  self->focus = self->to_show = GTK_INVALID_LIST_POSITION;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  viewer_rows_add_pointer(self);
}

GtkWidget *viewer_rows_new(void)
{
  return g_object_new(VIEWER_TYPE_ROWS, NULL);
}

void viewer_rows_set_selection(ViewerRows *self, GtkSelectionModel *selection)
{
  self->selection = g_object_ref(selection);
  g_signal_connect_swapped(selection, "items-changed", G_CALLBACK(handle_items), self);
  g_signal_connect_swapped(selection, "selection-changed", G_CALLBACK(handle_selection), self);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

GtkSelectionModel *viewer_rows_get_selection(ViewerRows *self)
{
  return self->selection;
}

void viewer_rows_add_column(ViewerRows *self, const ViewerRowsColumn *column)
{
  end_rows(self);
  g_array_append_vals(self->columns, column, 1);
  g_array_set_size(self->places, self->columns->len);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

void viewer_rows_place_column(ViewerRows *self, guint column, int x, int width)
{
  ViewerRowPlace *place = &g_array_index(self->places, ViewerRowPlace, column);

  if (place->x == x && place->width == width)
    return;
  *place = (ViewerRowPlace){x, width};
  for (guint i = 0; i < self->rows->len; i++)
    gtk_widget_queue_allocate(self->rows->pdata[i]);
}

void viewer_rows_end(ViewerRows *self)
{
  end_rows(self);
  viewer_rows_set_adjustment(self, NULL);
  if (self->selection)
    g_signal_handlers_disconnect_by_data(self->selection, self);
  g_clear_object(&self->selection);
}

void viewer_rows_set_adjustment(ViewerRows *self, GtkAdjustment *adjustment)
{
  if (self->adjustment)
    g_signal_handlers_disconnect_by_data(self->adjustment, self);
  g_set_object(&self->adjustment, adjustment);
  if (adjustment)
    g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(handle_scrolled), self);
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

guint viewer_rows_get_position_at(ViewerRows *self, double y)
{
  double begin = self->adjustment ? gtk_adjustment_get_value(self->adjustment) : 0;

  if (self->row_height == 0 || y < 0 || y >= gtk_widget_get_height(GTK_WIDGET(self)))
    return GTK_INVALID_LIST_POSITION;
  double position = (begin + y) / self->row_height;
  return position < viewer_rows_get_n(self) ? (guint)position : GTK_INVALID_LIST_POSITION;
}

GtkWidget *viewer_rows_get_row(ViewerRows *self, guint position)
{
  guint first, n = get_range(self, &first);

  if (position < first || position - first >= n)
    return NULL;
  for (guint i = 0; i < self->rows->len; i++)
    if (viewer_row_get_position(self->rows->pdata[i]) == position)
      return self->rows->pdata[i];
  return NULL;
}

GtkWidget *viewer_rows_next_child(ViewerRows *self, guint column, guint *n)
{
  return *n < self->rows->len ? viewer_row_get(self->rows->pdata[(*n)++], column) : NULL;
}

void viewer_rows_show(ViewerRows *self, guint position, gboolean focus)
{
  GtkWidget *row;

  if (position >= viewer_rows_get_n(self))
    return;
  self->is_to_focus = focus;
  self->to_show = position;
  if (self->row_height == 0 || gtk_widget_get_height(GTK_WIDGET(self)) == 0) {
    gtk_widget_queue_allocate(GTK_WIDGET(self));
    if (focus)
      GTK_WIDGET_CLASS(viewer_rows_parent_class)->grab_focus(GTK_WIDGET(self));
    return;
  }
  self->to_show = GTK_INVALID_LIST_POSITION;
  self->focus = position;
  scroll_to(self, position);
  row = viewer_rows_get_row(self, position);
  if (focus && row)
    gtk_widget_grab_focus(row);
}
