/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/functions/functions-view.h"

#include <glib/gi18n.h>

#include "profile/views/tree.h"
#include "viewer/kit/format.h"
#include "viewer/kit/settings.h"
#include "viewer/pages/functions/function-row.h"
#include "viewer/table/list.h"

enum { SELF_SHARE, SELF, TOTAL_SHARE, TOTAL, SAMPLES, FUNCTION, BINARY, N_COLUMNS };
/* Widths of the view from which on there is room for more than shares and names. */
enum { ROOM_FOR_BINARY = 480, ROOM_FOR_AMOUNTS = 720 };
/* Longer names are cut in rows. */
enum { LONGEST_NAME = 250, LONGEST_TOOLTIP = 2000 };

static const ViewerFunctionsBy orders[N_COLUMNS] = {
    VIEWER_FUNCTIONS_BY_SELF,  VIEWER_FUNCTIONS_BY_SELF, VIEWER_FUNCTIONS_BY_TOTAL, VIEWER_FUNCTIONS_BY_TOTAL,
    VIEWER_FUNCTIONS_BY_TOTAL, VIEWER_FUNCTIONS_BY_NAME, VIEWER_FUNCTIONS_BY_BINARY};

struct _ViewerFunctionsView {
  GtkWidget parent;
  GtkWidget *scrolled;
  ViewerList *view;
  ViewerFunctionsModel *model;
  GtkSingleSelection *selection;
  GtkColumnViewColumn *own, *total; /* amounts */
  GtkColumnViewColumn *samples;
  GtkColumnViewColumn *function_names;
  ProfileWeights *weights; /* that were asked for last */
  ProfileSearch *search;
  guint sort_column;
  guint32 function; /* that is to be selected */
  gboolean is_selecting;
  gboolean had_focus; /* when rows were replaced */
};

G_DEFINE_TYPE(ViewerFunctionsView, viewer_functions_view, GTK_TYPE_WIDGET)

enum { SELECTED, ACTIVATED, MENU, N_SIGNALS };
static guint signals[N_SIGNALS];

static void name_row(GtkWidget *label, gpointer row)
{
  ProfileWeights *weights = viewer_function_row_get_weights(row);
  const ProfileRow *item = viewer_function_row_get(row);
  g_autofree char *name = viewer_format_function(viewer_function_row_get_name(row), LONGEST_NAME);
  g_autofree char *own = viewer_format_weight_share(weights, item->self);
  g_autofree char *total = viewer_format_weight_share(weights, item->total);
  /* TRANSLATORS: How a screen reader names a row: a function, its own share, its total share. */
  g_autofree char *text = g_strdup_printf(_("%s, self %s, total %s"), name, own, total);

  viewer_list_name_row(label, text);
}

static char *get_text(gpointer row, guint column)
{
  ProfileWeights *weights = viewer_function_row_get_weights(row);
  const ProfileRow *item = viewer_function_row_get(row);

  switch (column) {
  case SELF_SHARE:
    return viewer_format_weight_share(weights, item->self);
  case SELF:
    return viewer_format_weight(weights, item->self);
  case TOTAL_SHARE:
    return viewer_format_weight_share(weights, item->total);
  case TOTAL:
    return viewer_format_weight(weights, item->total);
  case SAMPLES:
    return viewer_format_count(item->total.count);
  case FUNCTION:
    return viewer_format_function(viewer_function_row_get_name(row), LONGEST_NAME);
  default:
    return viewer_format_binary(viewer_function_row_get_binary(row));
  }
}

static char *get_tooltip(gpointer row, guint column)
{
  return viewer_format_name(column == FUNCTION ? viewer_function_row_get_name(row)
                                               : viewer_function_row_get_binary(row),
                            LONGEST_TOOLTIP);
}

static char *count_samples(gpointer row, guint column)
{
  const ProfileRow *item = viewer_function_row_get(row);

  return viewer_format_samples(column <= SELF ? item->self.count : item->total.count);
}

static double get_share(gpointer row, guint column)
{
  const ProfileRow *item = viewer_function_row_get(row);

  return profile_weights_get_share(viewer_function_row_get_weights(row),
                                   column == SELF_SHARE ? item->self : item->total);
}

/* The view tells its order only by comparing: the column that it asks first is the one it sorts by. */
static gint note_column(gconstpointer a, gconstpointer b, gpointer data)
{
  GtkColumnViewColumn *column = data;
  ViewerFunctionsView *self = g_object_get_data(G_OBJECT(column), "viewer-functions-view");

  if (self->sort_column == N_COLUMNS)
    self->sort_column = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(column), "viewer-column"));
  return a == b ? 0 : 1;
}

static ViewerFunctionsBy get_order(ViewerFunctionsView *self, gboolean *ret_descending)
{
  GtkSorter *sorter = gtk_column_view_get_sorter(viewer_list_get_titles(self->view));
  g_autoptr(GObject) first = g_object_new(G_TYPE_OBJECT, NULL), second = g_object_new(G_TYPE_OBJECT, NULL);

  self->sort_column = N_COLUMNS;
  GtkOrdering ordering = gtk_sorter_compare(sorter, first, second);
  *ret_descending = ordering == GTK_ORDERING_SMALLER || self->sort_column == N_COLUMNS;
  return self->sort_column == N_COLUMNS ? VIEWER_FUNCTIONS_BY_SELF : orders[self->sort_column];
}

static void functions_view_reload(ViewerFunctionsView *self)
{
  gboolean descending;
  ViewerFunctionsBy by = get_order(self, &descending);

  viewer_functions_model_show(self->model, self->weights, by, descending, self->search);
}

static GtkColumnViewColumn *add_column(ViewerFunctionsView *self, const ViewerListColumn *description)
{
  GtkColumnViewColumn *column = viewer_list_add_column(self->view, description);
  g_autoptr(GtkSorter) sorter = GTK_SORTER(gtk_custom_sorter_new(note_column, column, NULL));

  g_object_set_data(G_OBJECT(column), "viewer-functions-view", self);
  g_object_set_data(G_OBJECT(column), "viewer-column", GUINT_TO_POINTER(description->column));
  viewer_list_set_sorter(column, sorter);
  return column;
}

static void add_columns(ViewerFunctionsView *self)
{
  const ViewerListColumn own_share = {_("Self %"), SELF_SHARE, get_text, count_samples, TRUE, 7, 0, 0, NULL},
                         own = {_("Self"), SELF, get_text, count_samples, TRUE, 5, 0, ROOM_FOR_AMOUNTS, NULL},
                         total_share = {_("Total %"), TOTAL_SHARE, get_text, count_samples, TRUE, 7, 0, 0,
                                        NULL},
                         total = {_("Total"), TOTAL, get_text,         count_samples, TRUE,
                                  5,          0,     ROOM_FOR_AMOUNTS, NULL},
                         samples = {_("Samples"), SAMPLES, get_text, NULL, TRUE, 7, 0, 0, NULL},
                         function = {_("Function"), FUNCTION, get_text, get_tooltip, FALSE, 16, 0, 0,
                                     name_row},
                         binary = {_("Binary"), BINARY, get_text,        get_tooltip, FALSE,
                                   8,           19,     ROOM_FOR_BINARY, NULL};

  GtkColumnViewColumn *by_default = add_column(self, &own_share);
  gtk_column_view_sort_by_column(viewer_list_get_titles(self->view), by_default, GTK_SORT_DESCENDING);
  viewer_list_set_bar(by_default, get_share);
  self->own = add_column(self, &own);
  viewer_list_set_bar(add_column(self, &total_share), get_share);
  self->total = add_column(self, &total);
  self->samples = add_column(self, &samples);
  self->function_names = add_column(self, &function);
  gtk_column_view_column_set_expand(self->function_names, TRUE);
  add_column(self, &binary);
}

static guint get_position(ViewerFunctionsView *self)
{
  return gtk_single_selection_get_selected(self->selection);
}

guint32 viewer_functions_view_get_selected(ViewerFunctionsView *self)
{
  ProfileRow row;

  return viewer_functions_model_get(self->model, get_position(self), &row) ? row.item
                                                                           : PROFILE_TREE_NO_FUNCTION;
}

static void handle_selected(ViewerFunctionsView *self)
{
  if (self->is_selecting || viewer_functions_model_is_changing(self->model))
    return;
  self->function = viewer_functions_view_get_selected(self);
  g_signal_emit(self, signals[SELECTED], 0);
}

static void handle_activated(ViewerFunctionsView *self)
{
  g_signal_emit(self, signals[ACTIVATED], 0);
}

static void keep_focus(ViewerFunctionsView *self)
{
  self->had_focus = self->had_focus || viewer_list_has_focus(self->view);
}

static void reserve_widths(ViewerFunctionsView *self, const ProfileWeights *weights)
{
  g_autofree char *widest = viewer_format_widest_weight(weights);

  viewer_list_reserve(self->own, widest);
  viewer_list_reserve(self->total, widest);
}

static void want_samples(ViewerFunctionsView *self)
{
  viewer_list_want_column(self->samples, g_settings_get_boolean(viewer_settings_get(), "sample-counts"));
}

/* The selected function is another row, or its row another widget: focus and selection go with it. */
static void handle_shown(ViewerFunctionsView *self)
{
  ProfileWeights *weights = viewer_functions_model_get_weights(self->model);
  gboolean is_lost = self->had_focus && !viewer_list_has_focus(self->view);

  if (weights)
    reserve_widths(self, weights);
  self->had_focus = FALSE;
  viewer_functions_view_select(self, self->function);
  if (is_lost && g_list_model_get_n_items(G_LIST_MODEL(self->model)) > 0)
    viewer_list_show(self->view, get_position(self) == GTK_INVALID_LIST_POSITION ? 0 : get_position(self),
                     TRUE);
}

static gboolean press_menu(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ViewerFunctionsView *self = VIEWER_FUNCTIONS_VIEW(widget);
  double x, y;

  if (!viewer_list_has_focus(self->view) ||
      !viewer_list_get_place_of(self->view, widget, get_position(self), &x, &y))
    return FALSE;
  g_signal_emit(self, signals[MENU], 0, x, y);
  return TRUE;
}

static void press_secondary(GtkGestureClick *gesture, int n, double x, double y, ViewerFunctionsView *self)
{
  guint position = viewer_list_get_position_at(self->view, GTK_WIDGET(self), x, y);

  if (position == GTK_INVALID_LIST_POSITION)
    return;
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_single_selection_set_selected(self->selection, position);
  viewer_list_show(self->view, position, TRUE);
  g_signal_emit(self, signals[MENU], 0, x, y);
}

static void viewer_functions_view_dispose(GObject *object)
{
  ViewerFunctionsView *self = VIEWER_FUNCTIONS_VIEW(object);

  if (self->model)
    viewer_functions_view_show(self, NULL, NULL);
  g_clear_pointer(&self->scrolled, gtk_widget_unparent);
  g_clear_object(&self->selection);
  g_clear_object(&self->model);
  G_OBJECT_CLASS(viewer_functions_view_parent_class)->dispose(object);
}

static void viewer_functions_view_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                          int *minimum, int *natural, int *minimum_baseline,
                                          int *natural_baseline)
{
  gtk_widget_measure(VIEWER_FUNCTIONS_VIEW(widget)->scrolled, orientation, for_size, minimum, natural, NULL,
                     NULL);
}

static void viewer_functions_view_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerFunctionsView *self = VIEWER_FUNCTIONS_VIEW(widget);

  gtk_widget_allocate(self->scrolled, width, height, baseline, NULL);
}

static gboolean viewer_functions_view_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_FUNCTIONS_VIEW(widget)->view));
}

static void viewer_functions_view_class_init(ViewerFunctionsViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = VIEWER_TYPE_FUNCTIONS_VIEW;

  G_OBJECT_CLASS(class)->dispose = viewer_functions_view_dispose;
  widget_class->measure = viewer_functions_view_measure;
  widget_class->size_allocate = viewer_functions_view_size_allocate;
  widget_class->grab_focus = viewer_functions_view_grab_focus;
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Menu, 0, press_menu, NULL);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, press_menu, NULL);
  signals[SELECTED] = g_signal_new("selected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED] =
      g_signal_new("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MENU] = g_signal_new("menu", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                               G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}

static void watch_model(ViewerFunctionsView *self)
{
  g_signal_connect_object(self->model, "items-changed", G_CALLBACK(keep_focus), self, G_CONNECT_SWAPPED);
  self->selection = g_object_ref(viewer_list_set_model(self->view, G_LIST_MODEL(self->model)));
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(handle_selected), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->model, "shown", G_CALLBACK(handle_shown), self, G_CONNECT_SWAPPED);
}

static void viewer_functions_view_init(ViewerFunctionsView *self)
{
  GtkGesture *gesture = gtk_gesture_click_new();

  self->function = PROFILE_TREE_NO_FUNCTION;
  self->model = viewer_functions_model_new();
  self->view = VIEWER_LIST(viewer_list_new());
  watch_model(self);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Functions"),
                                 -1);
  add_columns(self);
  want_samples(self);
  g_signal_connect_object(viewer_settings_get(), "changed::sample-counts", G_CALLBACK(want_samples), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(viewer_settings_get(), "changed::fold-templates",
                          G_CALLBACK(viewer_list_update_column), self->function_names, G_CONNECT_SWAPPED);
  g_signal_connect_object(gtk_column_view_get_sorter(viewer_list_get_titles(self->view)), "changed",
                          G_CALLBACK(functions_view_reload), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped(self->view, "activate", G_CALLBACK(handle_activated), self);
  self->scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), GTK_WIDGET(self->view));
  gtk_widget_set_parent(self->scrolled, GTK_WIDGET(self));
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(gesture), GDK_BUTTON_SECONDARY);
  g_signal_connect(gesture, "pressed", G_CALLBACK(press_secondary), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(gesture));
}

GtkWidget *viewer_functions_view_new(void)
{
  return g_object_new(VIEWER_TYPE_FUNCTIONS_VIEW, NULL);
}

void viewer_functions_view_show(ViewerFunctionsView *self, ProfileWeights *weights, ProfileSearch *search)
{
  if (weights)
    profile_weights_ref(weights);
  if (search)
    profile_search_ref(search);
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->search, profile_search_unref);
  self->weights = weights;
  self->search = search;
  if (weights)
    functions_view_reload(self);
  else
    viewer_functions_model_show(self->model, NULL, VIEWER_FUNCTIONS_BY_SELF, TRUE, NULL);
}

void viewer_functions_view_select(ViewerFunctionsView *self, guint32 function)
{
  guint position = viewer_functions_model_get_position(self->model, function);

  self->function = function;
  if (position == get_position(self))
    return;
  self->is_selecting = TRUE;
  gtk_single_selection_set_selected(self->selection, position);
  self->is_selecting = FALSE;
  if (position != GTK_INVALID_LIST_POSITION)
    viewer_list_show(self->view, position, viewer_list_has_focus(self->view));
}

gboolean viewer_functions_view_move(ViewerFunctionsView *self, int n)
{
  guint n_rows = g_list_model_get_n_items(G_LIST_MODEL(self->model)), position = get_position(self);

  if (n_rows == 0)
    return FALSE;
  if (position == GTK_INVALID_LIST_POSITION)
    position = n > 0 ? 0 : n_rows - 1;
  else
    position = (guint)(((gint64)position + n + n_rows) % n_rows);
  gtk_single_selection_set_selected(self->selection, position);
  viewer_list_show(self->view, position, FALSE);
  return TRUE;
}

static void append_titles(GString *text, gpointer view)
{
  g_string_append_printf(text, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", _("Self %"), _("Self"), _("Total %"),
                         _("Total"), _("Samples"), _("Function"), _("Binary"));
}

static void append_row(GString *text, guint position, gpointer view)
{
  ViewerFunctionsView *self = view;
  g_autoptr(ViewerFunctionRow) row = g_list_model_get_item(G_LIST_MODEL(self->model), position);
  g_autofree char *binary = viewer_format_name(viewer_function_row_get_binary(row), 0);
  g_autofree char *name = viewer_format_name(viewer_function_row_get_name(row), 0);

  for (guint column = SELF_SHARE; column < FUNCTION; column++) {
    g_autofree char *number = get_text(row, column);
    g_string_append_printf(text, "%s\t", number);
  }
  g_string_append_printf(text, "%s\t%s\n", name, binary);
}

ViewerCopyRows viewer_functions_view_get_copied(ViewerFunctionsView *self)
{
  guint position = get_position(self);
  ViewerCopyRows rows = {G_LIST_MODEL(self->model), "shown", 0, G_MAXUINT, append_titles, append_row, self};

  if (position != GTK_INVALID_LIST_POSITION) {
    rows.first = position;
    rows.n = 1;
  }
  return rows;
}
