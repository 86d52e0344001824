/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "viewer/canvas/box-canvas-private.h"

#define WHEEL_ZOOM 1.25

/* No tooltip over the menu, until the pointer moves again. */
static void emit_menu(ViewerBoxCanvas *self, double x, double y)
{
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), FALSE);
  g_signal_emit_by_name(self, "menu", x, y);
}

void viewer_box_canvas_open_menu(ViewerBoxCanvas *self, guint box)
{
  graphene_rect_t at = viewer_box_canvas_get_bounds(self, box);

  emit_menu(self, at.origin.x + at.size.width / 2, at.origin.y + at.size.height);
}

static gboolean get_way(ViewerBoxCanvas *self, guint key, ViewerBoxWay *ret_way)
{
  switch (key) {
  case GDK_KEY_Up:
  case GDK_KEY_KP_Up:
    *ret_way = self->from_bottom ? VIEWER_BOX_CALLEE : VIEWER_BOX_CALLER;
    return TRUE;
  case GDK_KEY_Down:
  case GDK_KEY_KP_Down:
    *ret_way = self->from_bottom ? VIEWER_BOX_CALLER : VIEWER_BOX_CALLEE;
    return TRUE;
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
    *ret_way = VIEWER_BOX_BEFORE;
    return TRUE;
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
    *ret_way = VIEWER_BOX_AFTER;
    return TRUE;
  default:
    return FALSE;
  }
}

static void box_canvas_input_walk(ViewerBoxCanvas *self, guint from, ViewerBoxWay way)
{
  guint box = VIEWER_BOX_CANVAS_GET_CLASS(self)->get_next(self, from, way);

  if (box != VIEWER_NO_BOX)
    VIEWER_BOX_CANVAS_GET_CLASS(self)->choose(self, box);
}

static gboolean is_enter(guint key)
{
  return key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_ISO_Enter;
}

/* Keys begin at a box that need not be selected yet. */
static void activate_box(ViewerBoxCanvas *self, guint box)
{
  if (box != self->selected)
    VIEWER_BOX_CANVAS_GET_CLASS(self)->choose(self, box);
  g_signal_emit_by_name(self, "activate");
}

void viewer_box_canvas_zoom_to_selected(ViewerBoxCanvas *self)
{
  if (self->selected != VIEWER_NO_BOX)
    VIEWER_BOX_CANVAS_GET_CLASS(self)->zoom_to_box(self, self->selected);
}

static gboolean press_plain_key(ViewerBoxCanvas *self, guint key)
{
  const ViewerBoxCanvasClass *class = VIEWER_BOX_CANVAS_GET_CLASS(self);
  guint current = class->get_current(self);
  ViewerBoxWay way;

  if (current != VIEWER_NO_BOX && get_way(self, key, &way))
    box_canvas_input_walk(self, current, way);
  else if (current != VIEWER_NO_BOX && is_enter(key))
    activate_box(self, current);
  else if (current != VIEWER_NO_BOX && key == GDK_KEY_z)
    class->zoom_to_box(self, current);
  else
    return class->press(self, key);
  return TRUE;
}

static gboolean key_pressed(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                            ViewerBoxCanvas *self)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!VIEWER_BOX_CANVAS_GET_CLASS(self)->get_stacks(self))
    return FALSE;
  if (key == GDK_KEY_Menu || (key == GDK_KEY_F10 && modifiers == GDK_SHIFT_MASK))
    return VIEWER_BOX_CANVAS_GET_CLASS(self)->press(self, GDK_KEY_Menu);
  if (modifiers == GDK_CONTROL_MASK && is_enter(key))
    return press_plain_key(self, GDK_KEY_z);
  return !(modifiers & ~GDK_SHIFT_MASK) && press_plain_key(self, key);
}

static void box_canvas_input_pressed(GtkGestureClick *gesture, int n, double x, double y,
                                     ViewerBoxCanvas *self)
{
  guint box;

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!viewer_box_canvas_get_box_at(self, x, y, &box))
    return;
  VIEWER_BOX_CANVAS_GET_CLASS(self)->choose(self, box);
  if (gdk_event_triggers_context_menu(gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(gesture))))
    emit_menu(self, x, y);
}

/* What leads away waits until nothing is pressed any more. */
static void box_canvas_input_released(GtkGestureClick *gesture, int n, double x, double y,
                                      ViewerBoxCanvas *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  guint box;

  if (n != 2 || gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture)) != GDK_BUTTON_PRIMARY ||
      !viewer_box_canvas_get_box_at(self, x, y, &box))
    return;
  if (state & GDK_CONTROL_MASK)
    VIEWER_BOX_CANVAS_GET_CLASS(self)->zoom_to_box(self, box);
  else
    activate_box(self, box);
}

static void drag_begin(GtkGestureDrag *gesture, double x, double y, ViewerBoxCanvas *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  self->drag_value = vertical ? gtk_adjustment_get_value(vertical) : 0;
  self->drag_view = self->target;
  self->dragged = FALSE;
}

static void drag_update(GtkGestureDrag *gesture, double x, double y, ViewerBoxCanvas *self)
{
  const ViewerBoxCanvasClass *class = VIEWER_BOX_CANVAS_GET_CLASS(self);
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];
  int width = MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1);

  if (!class->get_stacks(self))
    return;
  if (!self->dragged && !gtk_drag_check_threshold(GTK_WIDGET(self), 0, 0, (int)x, (int)y))
    return;
  self->dragged = TRUE;
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (vertical)
    gtk_adjustment_set_value(vertical, self->drag_value - y);
  class->set_view(self, viewer_viewport_move(self->drag_view, -x / width), FALSE);
}

/* With Ctrl the wheel zooms; sideways it pans; the rest is the scrolled window's. */
static gboolean box_canvas_input_scroll(GtkEventControllerScroll *controller, double dx, double dy,
                                        ViewerBoxCanvas *self)
{
  const ViewerBoxCanvasClass *class = VIEWER_BOX_CANVAS_GET_CLASS(self);
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
  double at = self->pointer / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1);

  if (!class->get_stacks(self))
    return FALSE;
  if (state & GDK_CONTROL_MASK) {
    class->set_view(self, viewer_viewport_zoom(self->target, CLAMP(at, 0, 1), pow(WHEEL_ZOOM, -dy)), FALSE);
    return TRUE;
  }
  if (state & GDK_SHIFT_MASK && dx == 0)
    dx = dy;
  else if (fabs(dx) <= fabs(dy))
    return FALSE;
  class->set_view(self, viewer_viewport_move(self->target, dx / 10), FALSE);
  return TRUE;
}

static void box_canvas_input_hover(ViewerBoxCanvas *self, guint box)
{
  if (self->hovered == box)
    return;
  self->hovered = box;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void box_canvas_input_moved(GtkEventControllerMotion *controller, double x, double y,
                                   ViewerBoxCanvas *self)
{
  guint box = VIEWER_NO_BOX;

  self->pointer = x;
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  viewer_box_canvas_get_box_at(self, x, y, &box);
  box_canvas_input_hover(self, box);
}

static void box_canvas_input_left(GtkEventControllerMotion *controller, ViewerBoxCanvas *self)
{
  box_canvas_input_hover(self, VIEWER_NO_BOX);
}

void viewer_box_canvas_add_controllers(ViewerBoxCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  GtkEventController *key = gtk_event_controller_key_new(), *motion = gtk_event_controller_motion_new();
  GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *focus = gtk_event_controller_focus_new();
  GtkGesture *click = gtk_gesture_click_new(), *drag = gtk_gesture_drag_new();

  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), 0);
  g_signal_connect(key, "key-pressed", G_CALLBACK(key_pressed), self);
  g_signal_connect(click, "pressed", G_CALLBACK(box_canvas_input_pressed), self);
  g_signal_connect(click, "released", G_CALLBACK(box_canvas_input_released), self);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(drag_update), self);
  g_signal_connect(wheel, "scroll", G_CALLBACK(box_canvas_input_scroll), self);
  g_signal_connect(motion, "motion", G_CALLBACK(box_canvas_input_moved), self);
  g_signal_connect(motion, "leave", G_CALLBACK(box_canvas_input_left), self);
  g_signal_connect_swapped(focus, "enter", G_CALLBACK(gtk_widget_queue_draw), self);
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(gtk_widget_queue_draw), self);
  gtk_widget_add_controller(widget, key);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_add_controller(widget, wheel);
  gtk_widget_add_controller(widget, motion);
  gtk_widget_add_controller(widget, focus);
}
