/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/canvas/box-canvas.h"

#include <math.h>

#include "viewer/canvas/box-canvas-private.h"
#include "viewer/kit/settings.h"

enum { NATURAL_HEIGHT = 240, ANIMATION_TIME = 150 };
/* The current box, and one on each way from it. */
enum { MAX_NEIGHBOURS = VIEWER_BOX_AFTER + 2 };

enum { PROP_0, PROP_HADJUSTMENT, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(ViewerBoxCanvas, viewer_box_canvas, GTK_TYPE_WIDGET,
                                 G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

double viewer_box_canvas_get_x(ViewerBoxCanvas *self, double place)
{
  return viewer_viewport_to_pixels(self->view, place, gtk_widget_get_width(GTK_WIDGET(self)));
}

/* Of all rows, and what is above them. */
static double get_needed_height(ViewerBoxCanvas *self)
{
  guint n = VIEWER_BOX_CANVAS_GET_CLASS(self)->get_n_rows(self);

  return n > 0 ? self->top + (double)n * viewer_box_painter_get_row_height(self->painter) : 0;
}

double viewer_box_canvas_get_y(ViewerBoxCanvas *self, guint depth)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];
  int row = viewer_box_painter_get_row_height(self->painter);
  double scrolled = vertical ? floor(gtk_adjustment_get_value(vertical)) : 0;

  if (!self->from_bottom)
    return self->top + (double)depth * row - scrolled;
  return MAX(gtk_widget_get_height(GTK_WIDGET(self)), get_needed_height(self)) - (depth + 1.0) * row -
         scrolled;
}

graphene_rect_t viewer_box_canvas_get_bounds(ViewerBoxCanvas *self, guint box)
{
  ViewerBoxPlace place = VIEWER_BOX_CANVAS_GET_CLASS(self)->get_place(self, box);
  double x = viewer_box_canvas_get_x(self, place.first), end = viewer_box_canvas_get_x(self, place.end);
  int width = gtk_widget_get_width(GTK_WIDGET(self));
  double left = CLAMP(x, 0, width), right = CLAMP(end, left, width);

  return GRAPHENE_RECT_INIT((float)left, (float)viewer_box_canvas_get_y(self, place.depth),
                            (float)(right - left), (float)viewer_box_painter_get_row_height(self->painter));
}

gboolean viewer_box_canvas_get_box_at(ViewerBoxCanvas *self, double x, double y, guint *ret_box)
{
  const ViewerBoxCanvasClass *class = VIEWER_BOX_CANVAS_GET_CLASS(self);
  int width = gtk_widget_get_width(GTK_WIDGET(self));

  if (!class->get_stacks(self) || x < 0 || x >= width || y < self->top)
    return FALSE;
  double rows = (y - viewer_box_canvas_get_y(self, 0)) / viewer_box_painter_get_row_height(self->painter);
  double depth = self->from_bottom ? ceil(-rows) : floor(rows);
  return depth >= 0 && depth < class->get_n_rows(self) &&
         class->find(self, (guint)depth, viewer_viewport_from_pixels(self->view, x, width), ret_box);
}

void viewer_box_canvas_update_rows(ViewerBoxCanvas *self)
{
  int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  int row = viewer_box_painter_get_row_height(self->painter);
  double beyond = MAX(get_needed_height(self) - height, 0);
  double upper = height + (self->from_bottom ? beyond : ceil(beyond / row) * row);
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

void viewer_box_canvas_set_from_bottom(ViewerBoxCanvas *self, gboolean from_bottom)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (self->from_bottom == from_bottom)
    return;
  self->from_bottom = from_bottom;
  if (vertical)
    gtk_adjustment_set_value(vertical, gtk_adjustment_get_upper(vertical) -
                                           gtk_adjustment_get_page_size(vertical) -
                                           gtk_adjustment_get_value(vertical));
}

/* The rows at the end that the first one is at are whole then: a part of one looks like something else. */
void viewer_box_canvas_scroll_to(ViewerBoxCanvas *self, double y, double height)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];
  int row = viewer_box_painter_get_row_height(self->painter);

  if (!vertical)
    return;
  double before = gtk_adjustment_get_value(vertical), top = y + before;
  double last = gtk_adjustment_get_upper(vertical) - gtk_adjustment_get_page_size(vertical);
  gtk_adjustment_clamp_page(vertical, top, top + height);
  double value = gtk_adjustment_get_value(vertical);
  if (value == before)
    return;
  double whole = self->from_bottom ? last - ceil((last - value) / row) * row : ceil(value / row) * row;
  gtk_adjustment_set_value(vertical, whole);
}

void viewer_box_canvas_update_palette(ViewerBoxCanvas *self)
{
  ProfileStacks *stacks = VIEWER_BOX_CANVAS_GET_CLASS(self)->get_stacks(self);

  if (stacks)
    viewer_box_painter_set_stacks(self->painter, stacks, self->mode, viewer_scheme_get_current());
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void viewer_box_canvas_set_colors(ViewerBoxCanvas *self, ViewerPaletteMode mode)
{
  self->mode = mode;
  viewer_box_canvas_update_palette(self);
}

static guint get_neighbours(ViewerBoxCanvas *self, guint boxes[MAX_NEIGHBOURS])
{
  const ViewerBoxCanvasClass *class = VIEWER_BOX_CANVAS_GET_CLASS(self);
  guint current = class->get_current(self), n = 0;

  if (current == VIEWER_NO_BOX)
    return 0;
  boxes[n++] = current;
  for (ViewerBoxWay way = VIEWER_BOX_CALLER; way <= VIEWER_BOX_AFTER; way++) {
    boxes[n] = class->get_next(self, current, way);
    n += boxes[n] != VIEWER_NO_BOX;
  }
  return n;
}

static void update_peers(ViewerBoxCanvas *self)
{
  guint boxes[MAX_NEIGHBOURS], n = get_neighbours(self, boxes);
  ViewerCanvasItem items[MAX_NEIGHBOURS];
  char *names[MAX_NEIGHBOURS], *descriptions[MAX_NEIGHBOURS];

  if (!self->peers)
    return;
  for (guint i = 0; i < n; i++) {
    VIEWER_BOX_CANVAS_GET_CLASS(self)->describe(self, boxes[i], &names[i], &descriptions[i]);
    items[i] = (ViewerCanvasItem){.id = VIEWER_BOX_CANVAS_GET_CLASS(self)->get_id(self, boxes[i]),
                                  .name = names[i],
                                  .description = descriptions[i],
                                  .bounds = viewer_box_canvas_get_bounds(self, boxes[i])};
  }
  viewer_canvas_peers_show(self->peers, items, n);
  for (guint i = 0; i < n; i++) {
    g_free(names[i]);
    g_free(descriptions[i]);
  }
}

/* Of the neighbours that were told of, the one that somebody went to. */
static void peer_focused(ViewerBoxCanvas *self, guint64 id)
{
  const ViewerBoxCanvasClass *class = VIEWER_BOX_CANVAS_GET_CLASS(self);
  guint boxes[MAX_NEIGHBOURS], n = get_neighbours(self, boxes);

  for (guint i = 0; i < n; i++)
    if (class->get_id(self, boxes[i]) == id) {
      class->choose(self, boxes[i]);
      return;
    }
}

void viewer_box_canvas_redraw(ViewerBoxCanvas *self)
{
  update_peers(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

static void box_canvas_animate(double value, gpointer data)
{
  ViewerBoxCanvas *self = data;

  self->view = viewer_viewport_mix(self->animated_from, self->animated_to, value);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void end_animation(ViewerBoxCanvas *self)
{
  self->animating = FALSE;
  self->view = self->animated_to;
  VIEWER_BOX_CANVAS_GET_CLASS(self)->arrived(self);
}

void viewer_box_canvas_stop_animation(ViewerBoxCanvas *self)
{
  if (self->animating)
    adw_animation_pause(self->animation);
  self->animating = FALSE;
}

void viewer_box_canvas_animate(ViewerBoxCanvas *self, ViewerViewport from, ViewerViewport to)
{
  viewer_box_canvas_stop_animation(self);
  self->animated_from = self->view = from;
  self->animated_to = to;
  self->animating = TRUE;
  adw_animation_reset(self->animation);
  adw_animation_play(self->animation);
}

static gboolean draw_again(gpointer widget)
{
  gtk_widget_queue_draw(widget);
  return G_SOURCE_REMOVE;
}

void viewer_box_canvas_end_boxes(ViewerBoxCanvas *self)
{
  if (!viewer_box_painter_end(self->painter))
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, draw_again, g_object_ref(self), g_object_unref);
}

static gboolean is_focus_seen(ViewerBoxCanvas *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));

  return viewer_canvas_peers_have_focus(self->peers) && GTK_IS_WINDOW(root) &&
         gtk_window_get_focus_visible(GTK_WINDOW(root));
}

static void box_canvas_outline(ViewerBoxCanvas *self, GtkSnapshot *snapshot, guint box, gboolean focused)
{
  graphene_rect_t at = viewer_box_canvas_get_bounds(self, box);

  viewer_box_painter_outline(self->painter, snapshot, at.origin.x, at.origin.y, at.size.width,
                             box == self->selected, focused);
}

void viewer_box_canvas_draw_marks(ViewerBoxCanvas *self, GtkSnapshot *snapshot)
{
  gboolean focused = is_focus_seen(self);
  guint current = focused ? VIEWER_BOX_CANVAS_GET_CLASS(self)->get_current(self) : self->selected;

  if (self->hovered != VIEWER_NO_BOX) {
    graphene_rect_t at = viewer_box_canvas_get_bounds(self, self->hovered);
    viewer_box_painter_highlight(self->painter, snapshot, at.origin.x, at.origin.y, at.size.width);
  }
  if (current != VIEWER_NO_BOX)
    box_canvas_outline(self, snapshot, current, focused);
}

static void set_adjustment(ViewerBoxCanvas *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  GtkAdjustment **slot = &self->adjustments[orientation];

  if (*slot)
    g_signal_handlers_disconnect_by_func(*slot, viewer_box_canvas_redraw, self);
  g_clear_object(slot);
  if (!adjustment)
    return;
  *slot = g_object_ref_sink(adjustment);
  g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(viewer_box_canvas_redraw), self);
  viewer_box_canvas_update_rows(self);
}

static void viewer_box_canvas_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ViewerBoxCanvas *self = VIEWER_BOX_CANVAS(object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    g_value_set_object(value, self->adjustments[id - PROP_HADJUSTMENT]);
  else
    g_value_set_enum(value, (gint)self->policies[id - PROP_HSCROLL_POLICY]);
}

static void viewer_box_canvas_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ViewerBoxCanvas *self = VIEWER_BOX_CANVAS(object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    set_adjustment(self, (GtkOrientation)(id - PROP_HADJUSTMENT), g_value_get_object(value));
  else
    self->policies[id - PROP_HSCROLL_POLICY] = (GtkScrollablePolicy)g_value_get_enum(value);
}

static void viewer_box_canvas_measure(GtkWidget *widget, GtkOrientation orientation, int size, int *minimum,
                                      int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = 1;
  *natural = NATURAL_HEIGHT;
}

static gboolean box_canvas_resized(gpointer self)
{
  update_peers(self);
  return G_SOURCE_REMOVE;
}

static void viewer_box_canvas_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerBoxCanvas *self = VIEWER_BOX_CANVAS(widget);

  viewer_box_canvas_update_rows(self);
  VIEWER_BOX_CANVAS_GET_CLASS(self)->request_layout(self);
  viewer_canvas_peers_allocate(self->peers);
  if (width != self->width)
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, box_canvas_resized, g_object_ref(self), g_object_unref);
  self->width = width;
}

static gboolean viewer_box_canvas_focus(GtkWidget *widget, GtkDirectionType direction)
{
  return viewer_canvas_peers_focus(VIEWER_BOX_CANVAS(widget)->peers);
}

static gboolean viewer_box_canvas_grab_focus(GtkWidget *widget)
{
  return viewer_canvas_peers_grab_focus(VIEWER_BOX_CANVAS(widget)->peers);
}

static void viewer_box_canvas_dispose(GObject *object)
{
  ViewerBoxCanvas *self = VIEWER_BOX_CANVAS(object);

  viewer_box_canvas_stop_animation(self);
  g_clear_object(&self->animation);
  if (self->peers)
    g_object_run_dispose(G_OBJECT(self->peers));
  g_clear_object(&self->peers);
  set_adjustment(self, GTK_ORIENTATION_HORIZONTAL, NULL);
  set_adjustment(self, GTK_ORIENTATION_VERTICAL, NULL);
  G_OBJECT_CLASS(viewer_box_canvas_parent_class)->dispose(object);
}

static void viewer_box_canvas_finalize(GObject *object)
{
  viewer_box_painter_free(VIEWER_BOX_CANVAS(object)->painter);
  G_OBJECT_CLASS(viewer_box_canvas_parent_class)->finalize(object);
}

static void viewer_box_canvas_class_init(ViewerBoxCanvasClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  object_class->get_property = viewer_box_canvas_get_property;
  object_class->set_property = viewer_box_canvas_set_property;
  object_class->dispose = viewer_box_canvas_dispose;
  object_class->finalize = viewer_box_canvas_finalize;
  widget_class->measure = viewer_box_canvas_measure;
  widget_class->size_allocate = viewer_box_canvas_size_allocate;
  widget_class->focus = viewer_box_canvas_focus;
  widget_class->grab_focus = viewer_box_canvas_grab_focus;
  g_object_class_override_property(object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property(object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property(object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property(object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  g_signal_new("selected", VIEWER_TYPE_BOX_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("activate", VIEWER_TYPE_BOX_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("menu", VIEWER_TYPE_BOX_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
               G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_TREE);
}

static void follow_style(ViewerBoxCanvas *self)
{
  AdwStyleManager *style = adw_style_manager_get_default();

  g_signal_connect_object(style, "notify::dark", G_CALLBACK(viewer_box_canvas_update_palette), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(style, "notify::high-contrast", G_CALLBACK(viewer_box_canvas_update_palette), self,
                          G_CONNECT_SWAPPED);
}

static void rename_boxes(ViewerBoxCanvas *self)
{
  viewer_box_painter_forget(self->painter);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void viewer_box_canvas_init(ViewerBoxCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  self->selected = self->hovered = VIEWER_NO_BOX;
  self->target = self->view = VIEWER_VIEWPORT_ALL;
  self->painter = viewer_box_painter_new(widget);
  self->peers = viewer_canvas_peers_new(widget, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  self->animation = adw_timed_animation_new(
      widget, 0, 1, ANIMATION_TIME, adw_callback_animation_target_new(box_canvas_animate, self, NULL));
  g_signal_connect_swapped(self->peers, "focused", G_CALLBACK(peer_focused), self);
  g_signal_connect_swapped(self->animation, "done", G_CALLBACK(end_animation), self);
  gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip(widget, TRUE);
  viewer_box_canvas_add_controllers(self);
  g_signal_connect_object(viewer_settings_get(), "changed::fold-templates", G_CALLBACK(rename_boxes), self,
                          G_CONNECT_SWAPPED);
  follow_style(self);
}
