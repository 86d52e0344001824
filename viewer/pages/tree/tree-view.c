/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-view.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"
#include "viewer/kit/settings.h"
#include "viewer/pages/tree/tree-expander.h"
#include "viewer/table/list.h"

struct _ViewerTreeView {
  GtkWidget parent;
  GtkWidget *scrolled;
  ViewerList *view;
  ViewerTreeModel *model;
  GtkSingleSelection *selection;
  GtkColumnViewColumn *total, *own, *samples, *name; /* own: NULL in a compact one */
  ViewerTreeIndentation indentation;
  gboolean is_compact;
  gboolean is_selecting; /* what is selected now, nobody chose */
  gboolean had_focus;    /* when rows were replaced */
};

G_DEFINE_TYPE(ViewerTreeView, viewer_tree_view, GTK_TYPE_WIDGET)

enum { SELECTED, ACTIVATED, MENU, N_SIGNALS };
static guint signals[N_SIGNALS];

enum { SHARE, TOTAL, SELF, SAMPLES, BINARY };
/* Widths of the view from which on there is room for more than shares and names. */
enum { ROOM_FOR_TOTAL = 420, ROOM_FOR_BINARY = 560, ROOM_FOR_SELF = 640 };

static char *get_text(gpointer row, guint column)
{
  guint32 node = viewer_tree_row_get_node(row);
  ViewerTreeModel *model = viewer_tree_row_get_model(row);

  if (node == VIEWER_TREE_NO_NODE)
    return g_strdup("");
  const ProfileTreeNode *item = viewer_tree_model_get(model, node);
  ProfileWeights *weights = viewer_tree_model_get_weights(model);
  switch (column) {
  case SHARE:
    return viewer_tree_model_format_share(model, node);
  case TOTAL:
    return viewer_format_weight(weights, item->total);
  case SELF:
    return viewer_format_weight(weights, item->self);
  case SAMPLES:
    return viewer_format_count(item->total.count);
  default:
    return viewer_format_binary(viewer_tree_model_get_binary(model, node));
  }
}

static char *count_samples(gpointer row, guint column)
{
  guint32 node = viewer_tree_row_get_node(row);

  if (node == VIEWER_TREE_NO_NODE)
    return NULL;
  const ProfileTreeNode *item = viewer_tree_model_get(viewer_tree_row_get_model(row), node);
  return viewer_format_samples(column == SELF ? item->self.count : item->total.count);
}

static double get_share(gpointer row, guint column)
{
  guint32 node = viewer_tree_row_get_node(row);

  return node == VIEWER_TREE_NO_NODE ? 0 : viewer_tree_model_get_share(viewer_tree_row_get_model(row), node);
}

static char *get_binary_path(gpointer row, guint column)
{
  guint32 node = viewer_tree_row_get_node(row);

  return node == VIEWER_TREE_NO_NODE
             ? NULL
             : viewer_format_name(viewer_tree_model_get_binary(viewer_tree_row_get_model(row), node), 0);
}

static guint get_position(ViewerTreeView *self)
{
  return gtk_single_selection_get_selected(self->selection);
}

guint32 viewer_tree_view_get_selected(ViewerTreeView *self)
{
  return viewer_tree_model_get_node_at(self->model, get_position(self));
}

static void choose_position(ViewerTreeView *self, guint position)
{
  gtk_single_selection_set_selected(self->selection, position);
  viewer_list_show(self->view, position, TRUE);
}

static gboolean is_below(ViewerTreeView *self, guint32 node, guint32 ancestor)
{
  while (node != 0 && node != ancestor)
    node = viewer_tree_model_get(self->model, node)->parent;
  return node == ancestor;
}

/* What is selected stays in sight. */
static void close_node(ViewerTreeView *self, guint32 node)
{
  guint32 selected = viewer_tree_view_get_selected(self);

  if (selected != VIEWER_TREE_NO_NODE && selected != node && is_below(self, selected, node))
    choose_position(self, viewer_tree_model_get_position(self->model, node));
  viewer_tree_model_close(self->model, node);
}

void viewer_tree_view_toggle(ViewerTreeView *self, guint32 node)
{
  if (viewer_tree_model_is_open(self->model, node))
    close_node(self, node);
  else if (viewer_tree_model_can_open(self->model, node))
    viewer_tree_model_open(self->model, node);
}

/* Towards the root: closes the row, or goes to the one above it. */
static void go_out(ViewerTreeView *self, guint32 node)
{
  guint32 parent = viewer_tree_model_get(self->model, node)->parent;

  if (viewer_tree_model_is_open(self->model, node))
    close_node(self, node);
  else if (node != 0)
    choose_position(self, viewer_tree_model_get_position(self->model, parent));
}

static void go_in(ViewerTreeView *self, guint32 node)
{
  if (viewer_tree_model_is_open(self->model, node))
    choose_position(self, get_position(self) + 1);
  else if (viewer_tree_model_can_open(self->model, node))
    viewer_tree_model_open(self->model, node);
}

static void open_below(ViewerTreeView *self, guint32 node)
{
  viewer_tree_model_open_below(self->model, node);
}

typedef void (*NodeFunc)(ViewerTreeView *self, guint32 node);

/* Keys are for rows only: those of the titles of columns are the columns'. */
static gboolean do_with_selected(ViewerTreeView *self, NodeFunc function)
{
  guint32 node = viewer_tree_view_get_selected(self);

  if (!viewer_list_has_focus(self->view))
    return FALSE;
  if (node != VIEWER_TREE_NO_NODE)
    function(self, node);
  else if (viewer_tree_model_get_weights(self->model))
    choose_position(self, 0);
  return TRUE;
}

static gboolean is_rtl(GtkWidget *widget)
{
  return gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
}

static gboolean press_left(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return do_with_selected(VIEWER_TREE_VIEW(widget), is_rtl(widget) ? go_in : go_out);
}

static gboolean press_right(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return do_with_selected(VIEWER_TREE_VIEW(widget), is_rtl(widget) ? go_out : go_in);
}

static gboolean press_asterisk(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return do_with_selected(VIEWER_TREE_VIEW(widget), open_below);
}

static void show_menu(ViewerTreeView *self, guint32 node)
{
  double x, y;

  if (viewer_list_get_place_of(self->view, GTK_WIDGET(self), get_position(self), &x, &y))
    g_signal_emit(self, signals[MENU], 0, x, y);
}

static gboolean press_menu(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return do_with_selected(VIEWER_TREE_VIEW(widget), show_menu);
}

/* Before the list's own keys, of which some are the same. */
static void add_keys(ViewerTreeView *self)
{
  static const struct {
    guint key;
    GdkModifierType modifiers;
    GtkShortcutFunc function;
  } keys[] = {{GDK_KEY_Left, 0, press_left},         {GDK_KEY_KP_Left, 0, press_left},
              {GDK_KEY_Right, 0, press_right},       {GDK_KEY_KP_Right, 0, press_right},
              {GDK_KEY_asterisk, 0, press_asterisk}, {GDK_KEY_KP_Multiply, 0, press_asterisk},
              {GDK_KEY_Menu, 0, press_menu},         {GDK_KEY_F10, GDK_SHIFT_MASK, press_menu}};
  GtkEventController *controller = gtk_shortcut_controller_new();

  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(controller),
        gtk_shortcut_new(gtk_keyval_trigger_new(keys[i].key, keys[i].modifiers),
                         gtk_callback_action_new(keys[i].function, NULL, NULL)));
  gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller(GTK_WIDGET(self), controller);
}

static void press_secondary(GtkGestureClick *gesture, int n, double x, double y, ViewerTreeView *self)
{
  guint position = viewer_list_get_position_at(self->view, GTK_WIDGET(self), x, y);

  if (position == GTK_INVALID_LIST_POSITION)
    return;
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  choose_position(self, position);
  g_signal_emit(self, signals[MENU], 0, x, y);
}

/* On an arrow, which does not select its row. */
static void press_primary(GtkGestureClick *gesture, int n, double x, double y, ViewerTreeView *self)
{
  GtkWidget *picked = gtk_widget_pick(GTK_WIDGET(self), x, y, GTK_PICK_DEFAULT);
  ViewerTreeRow *row = VIEWER_IS_TREE_EXPANDER(picked) ? viewer_cell_get_item(VIEWER_CELL(picked)) : NULL;
  double cell_x, cell_y;

  if (!row || viewer_tree_row_get_node(row) == VIEWER_TREE_NO_NODE ||
      !gtk_widget_translate_coordinates(GTK_WIDGET(self), picked, x, y, &cell_x, &cell_y) ||
      !viewer_tree_expander_is_arrow(VIEWER_TREE_EXPANDER(picked), cell_x))
    return;
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  viewer_tree_view_toggle(self, viewer_tree_row_get_node(row));
}

static void add_click(ViewerTreeView *self, guint button, GtkPropagationPhase phase, GCallback press)
{
  GtkGesture *gesture = gtk_gesture_click_new();

  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(gesture), button);
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(gesture), phase);
  g_signal_connect(gesture, "pressed", press, self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(gesture));
}

static void handle_selected(ViewerTreeView *self)
{
  if (!self->is_selecting && !viewer_tree_model_is_changing(self->model))
    g_signal_emit(self, signals[SELECTED], 0);
}

static void handle_activated(ViewerTreeView *self, guint position)
{
  guint32 node = viewer_tree_model_get_node_at(self->model, position);

  if (node != VIEWER_TREE_NO_NODE)
    g_signal_emit(self, signals[ACTIVATED], 0, node);
}

/* A row that is replaced takes the focus with it. */
static void keep_focus(ViewerTreeView *self)
{
  self->had_focus = self->had_focus || viewer_list_has_focus(self->view);
}

static void give_focus_back(ViewerTreeView *self)
{
  guint position = get_position(self);
  gboolean is_lost = self->had_focus && !viewer_list_has_focus(self->view);

  self->had_focus = FALSE;
  if (is_lost && viewer_tree_model_get_weights(self->model))
    viewer_list_show(self->view, position == GTK_INVALID_LIST_POSITION ? 0 : position, TRUE);
}

/* No amount is longer than that of all, unless its unit is another one. */
static void reserve_widths(ViewerTreeView *self, const ProfileWeights *weights)
{
  g_autofree char *widest = viewer_format_widest_weight(weights);

  viewer_list_reserve(self->total, widest);
  if (self->own)
    viewer_list_reserve(self->own, widest);
}

static void handle_shown(ViewerTreeView *self)
{
  ProfileWeights *weights = viewer_tree_model_get_weights(self->model);

  if (weights)
    reserve_widths(self, weights);
  if (self->own)
    viewer_list_want_column(self->own, viewer_tree_model_get_kind(self->model) == VIEWER_TREE_TOP_DOWN);
  give_focus_back(self);
}

static void handle_revealed(ViewerTreeView *self, guint node)
{
  guint position = viewer_tree_model_get_position(self->model, node);

  self->is_selecting = TRUE;
  gtk_single_selection_set_selected(self->selection, position);
  self->is_selecting = FALSE;
  viewer_list_show(self->view, position, viewer_list_has_focus(self->view));
}

static void add_columns(ViewerTreeView *self)
{
  const ViewerListColumn share = {_("Total %"), SHARE, get_text, count_samples, TRUE, 7, 0, 0, NULL},
                         total = {_("Total"), TOTAL, get_text,       count_samples, TRUE,
                                  5,          0,     ROOM_FOR_TOTAL, NULL},
                         own = {_("Self"), SELF, get_text, count_samples, TRUE, 5, 0, ROOM_FOR_SELF, NULL},
                         samples = {_("Samples"), SAMPLES, get_text, NULL, TRUE, 7, 0, 0, NULL},
                         binary = {_("Binary"), BINARY,          get_text, get_binary_path, FALSE, 8,
                                   20,          ROOM_FOR_BINARY, NULL};
  const ViewerRowsColumn names = viewer_tree_expander_get_cells(&self->indentation);

  viewer_list_set_bar(viewer_list_add_column(self->view, &share), get_share);
  self->total = viewer_list_add_column(self->view, &total);
  if (!self->is_compact)
    self->own = viewer_list_add_column(self->view, &own);
  self->samples = viewer_list_add_column(self->view, &samples);
  self->name = viewer_list_add_cells(self->view, _("Function"), FALSE, &names);
  g_signal_connect_object(viewer_settings_get(), "changed::fold-templates",
                          G_CALLBACK(viewer_list_update_column), self->name, G_CONNECT_SWAPPED);
  gtk_column_view_column_set_expand(self->name, TRUE);
  if (!self->is_compact)
    viewer_list_add_column(self->view, &binary);
}

static void want_samples(ViewerTreeView *self)
{
  viewer_list_want_column(self->samples, g_settings_get_boolean(viewer_settings_get(), "sample-counts"));
}

static int get_name_width(ViewerTreeView *self)
{
  guint n = 0;
  GtkWidget *cell = viewer_list_next_cell(self->name, &n);

  return cell ? gtk_widget_get_width(cell) : 0;
}

static void indent_cells(ViewerTreeView *self)
{
  GtkWidget *cell;

  for (guint n = 0; (cell = viewer_list_next_cell(self->name, &n));)
    viewer_tree_expander_indent(VIEWER_TREE_EXPANDER(cell));
}

/* As the rows in sight ask for; all are of the same height. */
static void fit_indentation(ViewerTreeView *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->scrolled));
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->model));
  double rows_a_pixel = n / MAX(gtk_adjustment_get_upper(adjustment), 1);
  guint first = (guint)(gtk_adjustment_get_value(adjustment) * rows_a_pixel);
  guint n_rows = (guint)(gtk_adjustment_get_page_size(adjustment) * rows_a_pixel) + 1;
  guint32 least = G_MAXUINT32, most = 0;

  for (guint i = first; i < MIN(first + n_rows, n); i++) {
    guint32 node = viewer_tree_model_get_node_at(self->model, i);
    if (node == VIEWER_TREE_NO_NODE)
      continue;
    guint32 depth = viewer_tree_model_get(self->model, node)->depth;
    least = MIN(least, depth);
    most = MAX(most, depth);
  }
  if (least <= most &&
      viewer_tree_indentation_fit(&self->indentation, get_name_width(self), n_rows, least, most))
    indent_cells(self);
}

static void viewer_tree_view_dispose(GObject *object)
{
  ViewerTreeView *self = VIEWER_TREE_VIEW(object);

  if (self->model)
    viewer_tree_model_show(self->model, NULL, VIEWER_TREE_TOP_DOWN, 0);
  g_clear_pointer(&self->scrolled, gtk_widget_unparent);
  g_clear_object(&self->selection);
  g_clear_object(&self->model);
  G_OBJECT_CLASS(viewer_tree_view_parent_class)->dispose(object);
}

static void viewer_tree_view_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                     int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure(VIEWER_TREE_VIEW(widget)->scrolled, orientation, for_size, minimum, natural, NULL, NULL);
}

static void viewer_tree_view_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerTreeView *self = VIEWER_TREE_VIEW(widget);

  gtk_widget_allocate(self->scrolled, width, height, baseline, NULL);
  fit_indentation(self);
}

static gboolean viewer_tree_view_grab_focus(GtkWidget *widget)
{
  ViewerTreeView *self = VIEWER_TREE_VIEW(widget);

  return gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

static void viewer_tree_view_class_init(ViewerTreeViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = VIEWER_TYPE_TREE_VIEW;

  G_OBJECT_CLASS(class)->dispose = viewer_tree_view_dispose;
  widget_class->measure = viewer_tree_view_measure;
  widget_class->size_allocate = viewer_tree_view_size_allocate;
  widget_class->grab_focus = viewer_tree_view_grab_focus;
  signals[SELECTED] = g_signal_new("selected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED] =
      g_signal_new("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[MENU] = g_signal_new("menu", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                               G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}

static void watch_model(ViewerTreeView *self)
{
  g_signal_connect_object(self->model, "items-changed", G_CALLBACK(keep_focus), self, G_CONNECT_SWAPPED);
  self->selection = g_object_ref(viewer_list_set_model(self->view, G_LIST_MODEL(self->model)));
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(handle_selected), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->model, "shown", G_CALLBACK(handle_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->model, "revealed", G_CALLBACK(handle_revealed), self, G_CONNECT_SWAPPED);
}

static void viewer_tree_view_init(ViewerTreeView *self)
{
  self->model = viewer_tree_model_new();
  self->view = VIEWER_LIST(viewer_list_new());
  watch_model(self);
  g_signal_connect_swapped(self->view, "activate", G_CALLBACK(handle_activated), self);
  self->scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), GTK_WIDGET(self->view));
  gtk_widget_set_parent(self->scrolled, GTK_WIDGET(self));
  g_signal_connect_object(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->scrolled)),
                          "value-changed", G_CALLBACK(fit_indentation), self, G_CONNECT_SWAPPED);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  add_keys(self);
  add_click(self, GDK_BUTTON_PRIMARY, GTK_PHASE_CAPTURE, G_CALLBACK(press_primary));
  add_click(self, GDK_BUTTON_SECONDARY, GTK_PHASE_BUBBLE, G_CALLBACK(press_secondary));
}

GtkWidget *viewer_tree_view_new(gboolean compact)
{
  ViewerTreeView *self = g_object_new(VIEWER_TYPE_TREE_VIEW, NULL);

  self->is_compact = compact;
  add_columns(self);
  want_samples(self);
  g_signal_connect_object(viewer_settings_get(), "changed::sample-counts", G_CALLBACK(want_samples), self,
                          G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}

ViewerTreeModel *viewer_tree_view_get_model(ViewerTreeView *self)
{
  return self->model;
}

void viewer_tree_view_set_name(ViewerTreeView *self, const char *name)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void viewer_tree_view_select(ViewerTreeView *self, guint32 node)
{
  if (node != VIEWER_TREE_NO_NODE) {
    viewer_tree_model_reveal(self->model, node);
    return;
  }
  self->is_selecting = TRUE;
  gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
  self->is_selecting = FALSE;
}
