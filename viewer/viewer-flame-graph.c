/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-flame-graph.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "profile/profile-translate.h"
#include "viewer/viewer-flame-graph-private.h"

#define NATURAL_HEIGHT 240

enum { PROP_0, PROP_HADJUSTMENT, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };
enum { SELECTED, SHOWN, MENU, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerFlameGraph, viewer_flame_graph, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

const ProfileFlameBox *viewer_flame_graph_get_box(ViewerFlameGraph *self, guint box)
{
  guint n;

  return &profile_flame_get_boxes(self->flame, &n)[box];
}

ProfileStacks *viewer_flame_graph_get_stacks(ProfileWeights *weights)
{
  return profile_filter_get_stacks(profile_weights_get_filter(weights));
}

guint32 *viewer_flame_graph_get_path(ProfileFlame *flame, guint box, guint *ret_n)
{
  guint n;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
  guint32 *path = g_new(guint32, boxes[box].depth + 1);

  *ret_n = boxes[box].depth;
  profile_flame_get_path(flame, box, path);
  return path;
}

void viewer_flame_graph_set_path(GArray *to, const guint32 *path, guint n)
{
  g_array_set_size(to, 0);
  if (n > 0)
    g_array_append_vals(to, path, n);
}

static void update_adjustments(ViewerFlameGraph *self)
{
  int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  int row = viewer_box_painter_get_row_height(self->painter);
  double needed = self->flame ? (double)profile_flame_get_n_rows(self->flame) * row : 0;
  double upper = MAX(needed, height);
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (self->adjustments[GTK_ORIENTATION_HORIZONTAL])
    gtk_adjustment_configure(self->adjustments[GTK_ORIENTATION_HORIZONTAL], 0, 0, width, width, width, width);
  if (!vertical)
    return;
  double value = gtk_adjustment_get_value(vertical);
  if (self->from_bottom)
    value = upper - (gtk_adjustment_get_upper(vertical) - value - gtk_adjustment_get_page_size(vertical)) -
            height;
  gtk_adjustment_configure(vertical, CLAMP(value, 0, upper - height), 0, upper, row * 3, height * 0.9,
                           height);
}

static void redraw(ViewerFlameGraph *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

void viewer_flame_graph_shown(ViewerFlameGraph *self)
{
  redraw(self);
  viewer_flame_graph_update_peers(self);
  g_signal_emit(self, signals[SHOWN], 0);
}

static void update_selected(ViewerFlameGraph *self)
{
  self->selected = VIEWER_FLAME_NO_BOX;
  if (self->flame && self->selection->len > 0)
    profile_flame_find_path(self->flame, (const guint32 *)self->selection->data, self->selection->len,
                            &self->selected);
}

static void update_palette(ViewerFlameGraph *self)
{
  if (self->flame)
    viewer_box_painter_set_stacks(self->painter,
                                  viewer_flame_graph_get_stacks(profile_flame_get_weights(self->flame)),
                                  self->mode, viewer_scheme_get_current());
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void viewer_flame_graph_adopt(ViewerFlameGraph *self, ProfileFlame *old)
{
  ProfileStacks *stacks = viewer_flame_graph_get_stacks(profile_flame_get_weights(self->flame));

  self->hovered = VIEWER_FLAME_NO_BOX;
  if (!old || viewer_flame_graph_get_stacks(profile_flame_get_weights(old)) != stacks)
    update_palette(self);
  update_selected(self);
  update_adjustments(self);
}

static void forget_paths(ViewerFlameGraph *self)
{
  viewer_flame_graph_stop_animation(self);
  g_array_set_size(self->focus, 0);
  g_array_set_size(self->trail, 0);
  g_array_set_size(self->selection, 0);
  self->selected = self->hovered = VIEWER_FLAME_NO_BOX;
  self->target = self->view = VIEWER_VIEWPORT_ALL;
}

static void clear(ViewerFlameGraph *self)
{
  forget_paths(self);
  g_clear_pointer(&self->flame, profile_flame_unref);
  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->weights, profile_weights_unref);
}

/* As far as the other capture has the same functions. */
static void translate_path(GArray *path, ProfileCapture *from, ProfileCapture *to)
{
  guint32 *functions = (guint32 *)path->data;

  if (path->len == 0)
    return;
  profile_capture_translate_functions(from, to, functions, path->len, functions);
  for (guint i = 0; i < path->len; i++)
    if (functions[i] == PROFILE_TRANSLATE_NOTHING)
      g_array_set_size(path, i);
}

static void translate_paths(ViewerFlameGraph *self, ProfileCapture *from, ProfileCapture *to)
{
  if (from == to)
    return;
  translate_path(self->focus, from, to);
  translate_path(self->selection, from, to);
}

void viewer_flame_graph_set_weights(ViewerFlameGraph *self, ProfileWeights *weights)
{
  if (!weights) {
    clear(self);
    viewer_flame_graph_shown(self);
    return;
  }
  if (self->weights)
    translate_paths(self, profile_weights_get_capture(self->weights), profile_weights_get_capture(weights));
  profile_weights_ref(weights);
  g_clear_pointer(&self->weights, profile_weights_unref);
  self->weights = weights;
  viewer_flame_graph_request_layout(self, TRUE);
}

void viewer_flame_graph_set_inverted(ViewerFlameGraph *self, gboolean inverted)
{
  if (self->inverted == inverted)
    return;
  self->inverted = inverted;
  forget_paths(self);
  viewer_flame_graph_request_layout(self, TRUE);
}

void viewer_flame_graph_set_from_bottom(ViewerFlameGraph *self, gboolean from_bottom)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (self->from_bottom == from_bottom)
    return;
  self->from_bottom = from_bottom;
  if (vertical)
    gtk_adjustment_set_value(vertical, gtk_adjustment_get_upper(vertical) -
                                           gtk_adjustment_get_page_size(vertical) -
                                           gtk_adjustment_get_value(vertical));
  viewer_flame_graph_shown(self);
}

gboolean viewer_flame_graph_is_from_bottom(ViewerFlameGraph *self)
{
  return self->from_bottom;
}

void viewer_flame_graph_set_colors(ViewerFlameGraph *self, ViewerPaletteMode mode)
{
  self->mode = mode;
  update_palette(self);
  g_signal_emit(self, signals[SHOWN], 0);
}

void viewer_flame_graph_set_search(ViewerFlameGraph *self, const char *text)
{
  if (g_strcmp0(text ? text : "", self->search_text ? self->search_text : "") == 0)
    return;
  g_free(self->search_text);
  self->search_text = g_strdup(text);
  viewer_flame_graph_request_layout(self, TRUE);
}

ProfileSearch *viewer_flame_graph_get_search(ViewerFlameGraph *self)
{
  return self->search;
}

ProfileFlame *viewer_flame_graph_get_flame(ViewerFlameGraph *self)
{
  return self->flame;
}

static void scroll_to_selected(ViewerFlameGraph *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (self->selected == VIEWER_FLAME_NO_BOX || !vertical)
    return;
  const ProfileFlameBox *box = viewer_flame_graph_get_box(self, self->selected);
  graphene_rect_t bounds = viewer_flame_graph_get_bounds(self, self->selected);
  double top = bounds.origin.y + gtk_adjustment_get_value(vertical);
  gtk_adjustment_clamp_page(vertical, top, top + bounds.size.height);
  gboolean outside = box->end <= self->target.first || box->start >= self->target.end;
  if (outside && !self->animating)
    viewer_flame_graph_set_view(self, viewer_viewport_show(self->target, box->start, box->end), TRUE);
}

void viewer_flame_graph_select(ViewerFlameGraph *self, const guint32 *path, guint n)
{
  if (n == self->selection->len && (n == 0 || memcmp(path, self->selection->data, n * sizeof *path) == 0))
    return;
  viewer_flame_graph_set_path(self->selection, path, n);
  update_selected(self);
  scroll_to_selected(self);
  viewer_flame_graph_update_peers(self);
  redraw(self);
}

void viewer_flame_graph_choose(ViewerFlameGraph *self, guint box)
{
  guint n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(self->flame, box, &n);

  viewer_flame_graph_set_path(self->selection, path, n);
  self->selected = box;
  scroll_to_selected(self);
  viewer_flame_graph_update_peers(self);
  redraw(self);
  g_signal_emit(self, signals[SELECTED], 0);
}

const guint32 *viewer_flame_graph_get_selection(ViewerFlameGraph *self, guint *ret_n)
{
  *ret_n = self->selection->len;
  return (const guint32 *)self->selection->data;
}

gboolean viewer_flame_graph_get_selected_box(ViewerFlameGraph *self, guint *ret_box)
{
  if (!self->flame || self->selected == VIEWER_FLAME_NO_BOX)
    return FALSE;
  *ret_box = self->selected;
  return TRUE;
}

ViewerPalette *viewer_flame_graph_get_palette(ViewerFlameGraph *self)
{
  return viewer_box_painter_get_palette(self->painter);
}

const guint32 *viewer_flame_graph_get_frame_times(ViewerFlameGraph *self, guint *ret_n)
{
  *ret_n = MIN(self->n_frames, VIEWER_FLAME_FRAME_TIMES);
  return self->frame_times;
}

gboolean viewer_flame_graph_is_busy(ViewerFlameGraph *self)
{
  return self->weights && (!self->settled || self->animating);
}

static void scrolled(ViewerFlameGraph *self)
{
  viewer_flame_graph_update_peers(self);
  redraw(self);
}

static gboolean resized(gpointer self)
{
  viewer_flame_graph_update_peers(self);
  return G_SOURCE_REMOVE;
}

static void set_adjustment(ViewerFlameGraph *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  GtkAdjustment **slot = &self->adjustments[orientation];

  if (*slot)
    g_signal_handlers_disconnect_by_func(*slot, scrolled, self);
  g_clear_object(slot);
  if (!adjustment)
    return;
  *slot = g_object_ref_sink(adjustment);
  g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(scrolled), self);
  update_adjustments(self);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    g_value_set_object(value, self->adjustments[id - PROP_HADJUSTMENT]);
  else
    g_value_set_enum(value, (gint)self->policies[id - PROP_HSCROLL_POLICY]);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    set_adjustment(self, (GtkOrientation)(id - PROP_HADJUSTMENT), g_value_get_object(value));
  else
    self->policies[id - PROP_HSCROLL_POLICY] = (GtkScrollablePolicy)g_value_get_enum(value);
}

static void measure(GtkWidget *widget, GtkOrientation orientation, int size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline)
{
  *minimum = 1;
  *natural = NATURAL_HEIGHT;
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(widget);

  update_adjustments(self);
  viewer_flame_graph_request_layout(self, FALSE);
  viewer_canvas_peers_allocate(self->peers);
  if (width != self->width)
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, resized, g_object_ref(self), g_object_unref);
  self->width = width;
}

static gboolean focus(GtkWidget *widget, GtkDirectionType direction)
{
  return viewer_canvas_peers_focus(VIEWER_FLAME_GRAPH(widget)->peers);
}

static gboolean grab_focus(GtkWidget *widget)
{
  return viewer_canvas_peers_grab_focus(VIEWER_FLAME_GRAPH(widget)->peers);
}

static void dispose(GObject *object)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(object);

  clear(self);
  if (self->peers)
    g_object_run_dispose(G_OBJECT(self->peers));
  g_clear_object(&self->peers);
  viewer_flame_graph_remove_view(self);
  set_adjustment(self, GTK_ORIENTATION_HORIZONTAL, NULL);
  set_adjustment(self, GTK_ORIENTATION_VERTICAL, NULL);
  G_OBJECT_CLASS(viewer_flame_graph_parent_class)->dispose(object);
}

static void finalize(GObject *object)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(object);

  viewer_box_painter_free(self->painter);
  g_array_unref(self->focus);
  g_array_unref(self->trail);
  g_array_unref(self->selection);
  g_free(self->search_text);
  G_OBJECT_CLASS(viewer_flame_graph_parent_class)->finalize(object);
}

static void viewer_flame_graph_class_init(ViewerFlameGraphClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = viewer_flame_graph_snapshot;
  widget_class->query_tooltip = viewer_flame_graph_query_tooltip;
  widget_class->focus = focus;
  widget_class->grab_focus = grab_focus;
  g_object_class_override_property(object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property(object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property(object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property(object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  signals[SELECTED] = g_signal_new("selected", VIEWER_TYPE_FLAME_GRAPH, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 0);
  signals[SHOWN] =
      g_signal_new("shown", VIEWER_TYPE_FLAME_GRAPH, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MENU] = g_signal_new("menu", VIEWER_TYPE_FLAME_GRAPH, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  gtk_widget_class_set_css_name(widget_class, "flamegraph");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_TREE);
}

static void follow_style(ViewerFlameGraph *self)
{
  AdwStyleManager *style = adw_style_manager_get_default();

  g_signal_connect_object(style, "notify::dark", G_CALLBACK(update_palette), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(style, "notify::high-contrast", G_CALLBACK(update_palette), self,
                          G_CONNECT_SWAPPED);
}

static void viewer_flame_graph_init(ViewerFlameGraph *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  self->focus = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->trail = g_array_new(FALSE, FALSE, sizeof(guint));
  self->selection = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->painter = viewer_box_painter_new(widget);
  self->peers = viewer_canvas_peers_new(widget, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  viewer_flame_graph_add_view(self);
  forget_paths(self);
  gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip(widget, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Flame graph"), -1);
  viewer_flame_graph_add_controllers(self);
  follow_style(self);
}

GtkWidget *viewer_flame_graph_new(void)
{
  return g_object_new(VIEWER_TYPE_FLAME_GRAPH, NULL);
}
