/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "viewer/viewer-stack-chart-private.h"

#define ZOOM 1.25

static gboolean walk(ViewerStackChart *self, guint key)
{
  guint current = viewer_stack_chart_get_current(self), box = VIEWER_STACK_CHART_NO_BOX;

  if (current == VIEWER_STACK_CHART_NO_BOX)
    return FALSE;
  switch (key) {
  case GDK_KEY_Up:
    box = viewer_stack_chart_get_above(self, current, -1);
    break;
  case GDK_KEY_Down:
    box = viewer_stack_chart_get_above(self, current, 1);
    break;
  case GDK_KEY_Left:
    box = viewer_stack_chart_get_beside(self, current, -1);
    break;
  case GDK_KEY_Right:
    box = viewer_stack_chart_get_beside(self, current, 1);
    break;
  default:
    return FALSE;
  }
  if (box != VIEWER_STACK_CHART_NO_BOX)
    viewer_stack_chart_choose(self, box);
  return TRUE;
}

static void zoom_to_box(ViewerStackChart *self, guint box)
{
  guint n;
  const ProfileChartBox *item = &profile_chart_get_boxes(self->chart, &n)[box];

  viewer_stack_chart_zoom_to(self, item->start, item->end);
}

static gboolean zoom_by_key(ViewerStackChart *self, guint key)
{
  guint current = viewer_stack_chart_get_current(self);

  switch (key) {
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
  case GDK_KEY_ISO_Enter:
    if (current != VIEWER_STACK_CHART_NO_BOX)
      zoom_to_box(self, current);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    viewer_stack_chart_zoom_by(self, ZOOM * ZOOM);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    viewer_stack_chart_zoom_by(self, 1 / ZOOM / ZOOM);
    return TRUE;
  case GDK_KEY_BackSpace:
  case GDK_KEY_Escape:
    if (viewer_viewport_is_all(self->target))
      return FALSE;
    viewer_stack_chart_zoom_reset(self);
    return TRUE;
  case GDK_KEY_0:
  case GDK_KEY_KP_0:
    viewer_stack_chart_zoom_reset(self);
    return TRUE;
  case GDK_KEY_Page_Up:
    viewer_stack_chart_set_view(self, viewer_viewport_move(self->target, -0.9), TRUE);
    return TRUE;
  case GDK_KEY_Page_Down:
    viewer_stack_chart_set_view(self, viewer_viewport_move(self->target, 0.9), TRUE);
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean open_menu(ViewerStackChart *self)
{
  guint current = viewer_stack_chart_get_current(self);

  if (current == VIEWER_STACK_CHART_NO_BOX)
    return FALSE;
  graphene_rect_t at = viewer_stack_chart_get_bounds(self, current);
  viewer_stack_chart_choose(self, current);
  g_signal_emit_by_name(self, "menu", at.origin.x + at.size.width / 2, at.origin.y + at.size.height);
  return TRUE;
}

static gboolean key_pressed(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                            ViewerStackChart *self)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!self->chart)
    return FALSE;
  if (key == GDK_KEY_Menu || (key == GDK_KEY_F10 && modifiers == GDK_SHIFT_MASK))
    return open_menu(self);
  if (modifiers & ~GDK_SHIFT_MASK)
    return FALSE;
  if (walk(self, key))
    return TRUE;
  return zoom_by_key(self, key);
}

static void pressed(GtkGestureClick *gesture, int n, double x, double y, ViewerStackChart *self)
{
  guint box;

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!viewer_stack_chart_get_box_at(self, x, y, &box))
    return;
  viewer_stack_chart_choose(self, box);
  if (gdk_event_triggers_context_menu(gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(gesture))))
    g_signal_emit_by_name(self, "menu", x, y);
  else if (n == 2 && gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture)) == GDK_BUTTON_PRIMARY)
    zoom_to_box(self, box);
}

static void drag_begin(GtkGestureDrag *gesture, double x, double y, ViewerStackChart *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  self->drag_view = self->target;
  self->drag_value = vertical ? gtk_adjustment_get_value(vertical) : 0;
  self->dragged = FALSE;
}

static void drag_update(GtkGestureDrag *gesture, double x, double y, ViewerStackChart *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (!self->dragged && !gtk_drag_check_threshold(GTK_WIDGET(self), 0, 0, (int)x, (int)y))
    return;
  self->dragged = TRUE;
  if (vertical)
    gtk_adjustment_set_value(vertical, self->drag_value - y);
  viewer_stack_chart_set_view(
      self, viewer_viewport_move(self->drag_view, -x / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1)),
      FALSE);
}

static gboolean turn_wheel(GtkEventControllerScroll *controller, double dx, double dy, ViewerStackChart *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
  double at = self->pointer / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1);

  if (state & GDK_CONTROL_MASK)
    viewer_stack_chart_set_view(self, viewer_viewport_zoom(self->target, CLAMP(at, 0, 1), pow(ZOOM, -dy)),
                                FALSE);
  else if (state & GDK_SHIFT_MASK || fabs(dx) > fabs(dy))
    viewer_stack_chart_set_view(
        self, viewer_viewport_move(self->target, (dx + (state & GDK_SHIFT_MASK ? dy : 0)) / 10), FALSE);
  else
    return FALSE;
  return TRUE;
}

static void hover(ViewerStackChart *self, guint box)
{
  if (self->hovered == box)
    return;
  self->hovered = box;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void moved(GtkEventControllerMotion *controller, double x, double y, ViewerStackChart *self)
{
  guint box = VIEWER_STACK_CHART_NO_BOX;

  self->pointer = x;
  viewer_stack_chart_get_box_at(self, x, y, &box);
  hover(self, box);
}

static void left(GtkEventControllerMotion *controller, ViewerStackChart *self)
{
  hover(self, VIEWER_STACK_CHART_NO_BOX);
}

gboolean viewer_stack_chart_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(widget);
  guint box = viewer_stack_chart_get_current(self);

  if (box == VIEWER_STACK_CHART_NO_BOX || (!keyboard && !viewer_stack_chart_get_box_at(self, x, y, &box)))
    return FALSE;
  g_autofree char *name = viewer_stack_chart_get_name(self, box, 300);
  g_autofree char *numbers = viewer_stack_chart_describe_box(self, box);
  g_autofree char *text = g_markup_printf_escaped("<b>%s</b>\n%s", name, numbers);
  gtk_tooltip_set_markup(tooltip, text);
  return TRUE;
}

static void peer_focused(ViewerStackChart *self, guint64 id)
{
  ViewerStackChartNeighbours neighbours = viewer_stack_chart_get_neighbours(self);

  for (guint i = 0; i < neighbours.n; i++)
    if (viewer_stack_chart_get_id(self, neighbours.boxes[i]) == id) {
      viewer_stack_chart_choose(self, neighbours.boxes[i]);
      return;
    }
}

void viewer_stack_chart_add_controllers(ViewerStackChart *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  GtkEventController *key = gtk_event_controller_key_new(), *motion = gtk_event_controller_motion_new();
  GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *focus = gtk_event_controller_focus_new();
  GtkGesture *click = gtk_gesture_click_new(), *drag = gtk_gesture_drag_new();

  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), 0);
  g_signal_connect(key, "key-pressed", G_CALLBACK(key_pressed), self);
  g_signal_connect(click, "pressed", G_CALLBACK(pressed), self);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(drag_update), self);
  g_signal_connect(wheel, "scroll", G_CALLBACK(turn_wheel), self);
  g_signal_connect(motion, "motion", G_CALLBACK(moved), self);
  g_signal_connect(motion, "leave", G_CALLBACK(left), self);
  g_signal_connect_swapped(focus, "enter", G_CALLBACK(gtk_widget_queue_draw), self);
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(gtk_widget_queue_draw), self);
  g_signal_connect_swapped(self->peers, "focused", G_CALLBACK(peer_focused), self);
  gtk_widget_add_controller(widget, key);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_add_controller(widget, wheel);
  gtk_widget_add_controller(widget, motion);
  gtk_widget_add_controller(widget, focus);
}
