/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/time/span-selector.h"

#include <glib/gi18n.h>
#include <math.h>

#include "viewer/kit/format.h"
#include "viewer/time/time-draw.h"

enum { NEAR_EDGE = 6, DRAG_FROM = 3, KEY_STEPS = 100, KEY_WIDTH = 10 };

struct _ViewerSpanSelector {
  GObject parent;
  GtkWidget *widget; /* owns this */
  const ViewerTimeAxis *axis;
  double offset;
  ViewerDocument *document;
  GSignalGroup *of_query, *of_document;
  gboolean takes_keys;
  gboolean is_dragging;
  gboolean is_pressed;
  guint64 anchor; /* while pressed: the edge that stays */
};

G_DEFINE_FINAL_TYPE(ViewerSpanSelector, viewer_span_selector, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static ViewerQuery *get_query(ViewerSpanSelector *self)
{
  return self->document ? viewer_document_get_query(self->document) : NULL;
}

static ProfileCapture *get_capture(ViewerSpanSelector *self)
{
  return self->document ? viewer_document_get_capture(self->document) : NULL;
}

gboolean viewer_span_selector_is_dragging(ViewerSpanSelector *self)
{
  return self->is_dragging;
}

gboolean viewer_span_selector_get_preview(ViewerSpanSelector *self, guint64 *ret_first, guint64 *ret_end)
{
  return get_capture(self) && viewer_query_get_preview(get_query(self), ret_first, ret_end);
}

gboolean viewer_span_selector_get_committed(ViewerSpanSelector *self, guint64 *ret_first, guint64 *ret_end)
{
  GListModel *steps = G_LIST_MODEL(get_query(self));
  gboolean any = FALSE;

  if (!get_capture(self))
    return FALSE;
  g_autoptr(ProfileFilter) filter = profile_filter_new(get_capture(self));
  for (guint i = 0; i < g_list_model_get_n_items(steps); i++) {
    g_autoptr(ViewerStep) step = g_list_model_get_item(steps, i);
    if (viewer_step_get_kind(step) != VIEWER_STEP_TIME)
      continue;
    viewer_step_apply(step, filter);
    any = TRUE;
  }
  if (any)
    profile_filter_get_time(filter, ret_first, ret_end);
  return any;
}

static void select_span(ViewerSpanSelector *self, guint64 first, guint64 end)
{
  viewer_query_set_preview(get_query(self), first, end);
}

gboolean viewer_span_selector_commit(ViewerSpanSelector *self)
{
  guint64 first, end;

  if (!viewer_span_selector_get_preview(self, &first, &end))
    return FALSE;
  g_autofree char *label = viewer_time_axis_format_span(self->axis, first, end);
  viewer_query_commit_preview(get_query(self), label);
  return TRUE;
}

gboolean viewer_span_selector_drop(ViewerSpanSelector *self)
{
  guint64 first, end;

  if (!viewer_span_selector_get_preview(self, &first, &end))
    return FALSE;
  self->is_pressed = self->is_dragging = FALSE;
  select_span(self, 0, 0);
  return TRUE;
}

char *viewer_span_selector_describe(ViewerSpanSelector *self)
{
  guint64 first, end;

  if (!viewer_span_selector_get_preview(self, &first, &end) &&
      !viewer_span_selector_get_committed(self, &first, &end))
    return g_strdup(_("The whole recording"));
  g_autofree char *span = viewer_time_axis_format_span(self->axis, first, end);
  g_autofree char *duration = viewer_format_duration(end - first);
  /* TRANSLATORS: A selected span of time, "1.20 s – 1.56 s", and how long it is. */
  return g_strdup_printf(_("%s, %s long"), span, duration);
}

static void tell_accessible(ViewerSpanSelector *self)
{
  guint64 first = self->axis->low, end;
  g_autofree char *text = viewer_span_selector_describe(self);

  if (!viewer_span_selector_get_preview(self, &first, &end))
    viewer_span_selector_get_committed(self, &first, &end);
  gtk_accessible_update_property(
      GTK_ACCESSIBLE(self->widget), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX,
      (double)(self->axis->high - self->axis->low) / 1e9, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW,
      (double)(MAX(first, self->axis->low) - self->axis->low) / 1e9, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void notice_change(ViewerSpanSelector *self)
{
  if (self->takes_keys)
    tell_accessible(self);
  gtk_widget_queue_draw(self->widget);
  g_signal_emit(self, signals[CHANGED], 0);
}

static double get_edge_x(ViewerSpanSelector *self, guint64 time)
{
  return self->offset + viewer_time_axis_get_x(self->axis, time);
}

static guint64 get_time_at(ViewerSpanSelector *self, double x)
{
  return viewer_time_axis_get_time(self->axis, CLAMP(x - self->offset, 0, self->axis->width));
}

/* The other edge of the preview when x is at one of its edges. */
static gboolean find_edge(ViewerSpanSelector *self, double x, guint64 *ret_other)
{
  guint64 first, end;

  if (!viewer_span_selector_get_preview(self, &first, &end))
    return FALSE;
  double to_first = fabs(x - get_edge_x(self, first)), to_end = fabs(x - get_edge_x(self, end));
  if (MIN(to_first, to_end) > NEAR_EDGE)
    return FALSE;
  *ret_other = to_first < to_end ? end : first;
  return TRUE;
}

static void begin_drag(GtkGestureDrag *gesture, double x, double y, ViewerSpanSelector *self)
{
  if (self->takes_keys)
    gtk_widget_grab_focus(self->widget);
  self->is_dragging = FALSE;
  self->is_pressed = get_capture(self) && x >= self->offset - NEAR_EDGE;
  if (self->is_pressed && !find_edge(self, x, &self->anchor))
    self->anchor = get_time_at(self, x);
}

static void update_drag(GtkGestureDrag *gesture, double dx, double dy, ViewerSpanSelector *self)
{
  double x, y;

  if (!self->is_pressed || !get_capture(self) || (!self->is_dragging && fabs(dx) < DRAG_FROM))
    return;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  if (!self->is_dragging)
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  self->is_dragging = TRUE;
  guint64 time = get_time_at(self, x + dx);
  select_span(self, MIN(time, self->anchor), MAX(time, self->anchor));
}

static void end_drag(GtkGestureDrag *gesture, double dx, double dy, ViewerSpanSelector *self)
{
  guint64 first, end;
  double x, y;

  if (!self->is_dragging && self->is_pressed && gtk_gesture_drag_get_start_point(gesture, &x, &y) &&
      viewer_span_selector_get_preview(self, &first, &end) &&
      (x < get_edge_x(self, first) - NEAR_EDGE || x > get_edge_x(self, end) + NEAR_EDGE))
    viewer_span_selector_drop(self);
  self->is_pressed = self->is_dragging = FALSE;
  notice_change(self);
}

static void cancel_drag(GtkGesture *gesture, GdkEventSequence *sequence, ViewerSpanSelector *self)
{
  self->is_pressed = self->is_dragging = FALSE;
  notice_change(self);
}

static void notice_motion(GtkEventControllerMotion *controller, double x, double y, ViewerSpanSelector *self)
{
  guint64 other;
  gboolean at_edge = self->is_dragging || find_edge(self, x, &other);

  gtk_widget_set_cursor_from_name(self->widget, at_edge ? "ew-resize" : NULL);
}

/* Moves both edges by so much, as far as the recording goes. */
static void move_span(ViewerSpanSelector *self, guint64 first, guint64 end, gint64 by)
{
  const ViewerTimeAxis *axis = self->axis;
  gint64 back = (gint64)MIN(first - axis->low, (guint64)G_MAXINT64);
  gint64 ahead = (gint64)MIN(axis->high - end, (guint64)G_MAXINT64);

  by = CLAMP(by, -back, ahead);
  select_span(self, first + (guint64)by, end + (guint64)by);
}

/* Shift widens at that side, Ctrl narrows towards it. */
static void move_edge(ViewerSpanSelector *self, guint64 first, guint64 end, gboolean later, gboolean widen,
                      guint64 by)
{
  const ViewerTimeAxis *axis = self->axis;

  if (widen && later)
    end += MIN(by, axis->high - end);
  else if (widen)
    first -= MIN(by, first - axis->low);
  else if (later)
    first += MIN(by, end - first - 1);
  else
    end -= MIN(by, end - first - 1);
  select_span(self, first, end);
}

/* What keys begin with when nothing is selected. */
static void start_span(ViewerSpanSelector *self)
{
  guint64 first = self->axis->first, end = self->axis->end;

  if (viewer_span_selector_get_committed(self, &first, &end)) {
    first = CLAMP(first, self->axis->low, self->axis->high - 1);
    end = CLAMP(end, first + 1, self->axis->high);
  }
  select_span(self, first, first + MAX(1, (end - first) / KEY_WIDTH));
}

static gboolean move_by_key(ViewerSpanSelector *self, guint key, GdkModifierType state)
{
  guint64 by = MAX(1, (self->axis->end - self->axis->first) / KEY_STEPS), first, end;
  gboolean later = key == GDK_KEY_Right || key == GDK_KEY_KP_Right;

  if (!viewer_span_selector_get_preview(self, &first, &end)) {
    start_span(self);
    return TRUE;
  }
  first = CLAMP(first, self->axis->low, self->axis->high - 1);
  end = CLAMP(end, first + 1, self->axis->high);
  if (key == GDK_KEY_Home || key == GDK_KEY_KP_Home)
    move_span(self, first, end, G_MININT64 + 1);
  else if (key == GDK_KEY_End || key == GDK_KEY_KP_End)
    move_span(self, first, end, G_MAXINT64);
  else if (state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK))
    move_edge(self, first, end, later, (state & GDK_SHIFT_MASK) != 0, by);
  else
    move_span(self, first, end, later ? (gint64)by : -(gint64)by);
  return TRUE;
}

static gboolean press_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                          ViewerSpanSelector *self)
{
  if (!get_capture(self))
    return FALSE;
  switch (key) {
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    return !(state & GDK_ALT_MASK) && move_by_key(self, key, state);
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
  case GDK_KEY_ISO_Enter:
    return viewer_span_selector_commit(self);
  case GDK_KEY_Escape:
    return viewer_span_selector_drop(self);
  default:
    return FALSE;
  }
}

void viewer_span_selector_take_keys(ViewerSpanSelector *self)
{
  GtkEventController *keys = gtk_event_controller_key_new();

  self->takes_keys = TRUE;
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(press_key), self, 0);
  gtk_widget_add_controller(self->widget, keys);
  tell_accessible(self);
}

void viewer_span_selector_set_offset(ViewerSpanSelector *self, double x)
{
  self->offset = x;
}

void viewer_span_selector_set_document(ViewerSpanSelector *self, ViewerDocument *document)
{
  g_set_object(&self->document, document);
  g_signal_group_set_target(self->of_document, document);
  g_signal_group_set_target(self->of_query, get_query(self));
  notice_change(self);
}

static void add_drag(ViewerSpanSelector *self)
{
  GtkGesture *drag = gtk_gesture_drag_new();
  GtkEventController *motion = gtk_event_controller_motion_new();

  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(drag), GDK_BUTTON_PRIMARY);
  g_signal_connect_object(drag, "drag-begin", G_CALLBACK(begin_drag), self, 0);
  g_signal_connect_object(drag, "drag-update", G_CALLBACK(update_drag), self, 0);
  g_signal_connect_object(drag, "drag-end", G_CALLBACK(end_drag), self, 0);
  g_signal_connect_object(drag, "cancel", G_CALLBACK(cancel_drag), self, 0);
  gtk_widget_add_controller(self->widget, GTK_EVENT_CONTROLLER(drag));
  g_signal_connect_object(motion, "motion", G_CALLBACK(notice_motion), self, 0);
  gtk_widget_add_controller(self->widget, motion);
}

ViewerSpanSelector *viewer_span_selector_new(GtkWidget *widget, const ViewerTimeAxis *axis)
{
  ViewerSpanSelector *self = g_object_new(VIEWER_TYPE_SPAN_SELECTOR, NULL);

  self->widget = widget;
  self->axis = axis;
  add_drag(self);
  return self;
}

static void append_part(GtkSnapshot *snapshot, const graphene_rect_t *area, double from, double to,
                        const GdkRGBA *color)
{
  from = CLAMP(from, 0, area->size.width);
  to = CLAMP(to, 0, area->size.width);
  if (to > from)
    gtk_snapshot_append_color(snapshot, color,
                              &GRAPHENE_RECT_INIT(area->origin.x + (float)from, area->origin.y,
                                                  (float)(to - from), area->size.height));
}

static void append_edge(GtkSnapshot *snapshot, const graphene_rect_t *area, double x, const GdkRGBA *color)
{
  float height = MIN(area->size.height / 2, 24);
  GskRoundedRect grip;

  if (x < -NEAR_EDGE || x > area->size.width + NEAR_EDGE)
    return;
  append_part(snapshot, area, x - 1, x + 1, color);
  gsk_rounded_rect_init_from_rect(&grip,
                                  &GRAPHENE_RECT_INIT(area->origin.x + (float)x - 3,
                                                      area->origin.y + (area->size.height - height) / 2, 6,
                                                      height),
                                  3);
  gtk_snapshot_push_rounded_clip(snapshot, &grip);
  gtk_snapshot_append_color(snapshot, color, &grip.bounds);
  gtk_snapshot_pop(snapshot);
}

/* What is not looked at steps back. */
static void append_beside(ViewerSpanSelector *self, GtkSnapshot *snapshot, const graphene_rect_t *area,
                          guint64 first, guint64 end)
{
  GdkRGBA color = viewer_time_draw_get_color(self->widget, "window_bg_color", "#fafafa");

  color.alpha = 0.65f;
  append_part(snapshot, area, -1, viewer_time_axis_get_x(self->axis, first), &color);
  append_part(snapshot, area, viewer_time_axis_get_x(self->axis, end), area->size.width + 1, &color);
}

void viewer_span_selector_snapshot(ViewerSpanSelector *self, GtkSnapshot *snapshot,
                                   const graphene_rect_t *area)
{
  GdkRGBA accent = viewer_time_draw_get_color(self->widget, "accent_bg_color", "#3584e4");
  guint64 first, end;

  if (viewer_span_selector_get_committed(self, &first, &end))
    append_beside(self, snapshot, area, first, end);
  if (!viewer_span_selector_get_preview(self, &first, &end))
    return;
  append_beside(self, snapshot, area, first, end);
  append_edge(snapshot, area, viewer_time_axis_get_x(self->axis, first), &accent);
  append_edge(snapshot, area, viewer_time_axis_get_x(self->axis, end), &accent);
}

static void viewer_span_selector_dispose(GObject *object)
{
  ViewerSpanSelector *self = VIEWER_SPAN_SELECTOR(object);

  g_clear_object(&self->of_query);
  g_clear_object(&self->of_document);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(viewer_span_selector_parent_class)->dispose(object);
}

static void viewer_span_selector_class_init(ViewerSpanSelectorClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_span_selector_dispose;
  signals[CHANGED] = g_signal_new("changed", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
}

static void viewer_span_selector_init(ViewerSpanSelector *self)
{
  self->of_query = g_signal_group_new(VIEWER_TYPE_QUERY);
  g_signal_group_connect_swapped(self->of_query, "changed", G_CALLBACK(notice_change), self);
  self->of_document = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->of_document, "capture-changed", G_CALLBACK(notice_change), self);
}
