/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "viewer/viewer-flame-graph-private.h"
#include "viewer/viewer-flame-text.h"

#define KEY_ZOOM   1.5
#define WHEEL_ZOOM 1.25

guint viewer_flame_graph_get_current(ViewerFlameGraph *self)
{
  if (!self->flame)
    return VIEWER_FLAME_NO_BOX;
  return self->selected != VIEWER_FLAME_NO_BOX ? self->selected : profile_flame_get_n_focus(self->flame);
}

guint viewer_flame_graph_get_heaviest_child(ViewerFlameGraph *self, guint box)
{
  guint n, first = profile_flame_get_children(self->flame, box, &n), heaviest = first;

  for (guint i = first; i < first + n; i++) {
    const ProfileFlameBox *item = viewer_flame_graph_get_box(self, i);
    const ProfileFlameBox *best = viewer_flame_graph_get_box(self, heaviest);
    if (item->end - item->start > best->end - best->start)
      heaviest = i;
  }
  return n > 0 ? heaviest : VIEWER_FLAME_NO_BOX;
}

guint viewer_flame_graph_get_beside(ViewerFlameGraph *self, guint box, int direction)
{
  guint n, first = profile_flame_get_row(self->flame, viewer_flame_graph_get_box(self, box)->depth, &n);

  if (direction < 0)
    return box > first ? box - 1 : VIEWER_FLAME_NO_BOX;
  return box + 1 < first + n ? box + 1 : VIEWER_FLAME_NO_BOX;
}

static guint get_heaviest_leaf(ViewerFlameGraph *self, guint box)
{
  for (guint child; (child = viewer_flame_graph_get_heaviest_child(self, box)) != VIEWER_FLAME_NO_BOX;)
    box = child;
  return box;
}

/* Where a key leads from a box; NO_BOX: nowhere. */
static guint walk(ViewerFlameGraph *self, guint box, guint key)
{
  gboolean down = key == GDK_KEY_Down || key == GDK_KEY_KP_Down;

  switch (key) {
  case GDK_KEY_Up:
  case GDK_KEY_KP_Up:
  case GDK_KEY_Down:
  case GDK_KEY_KP_Down:
    if (down != self->from_bottom)
      return viewer_flame_graph_get_heaviest_child(self, box);
    return box > 0 ? viewer_flame_graph_get_box(self, box)->parent : VIEWER_FLAME_NO_BOX;
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
    return viewer_flame_graph_get_beside(self, box, -1);
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
    return viewer_flame_graph_get_beside(self, box, 1);
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
    return 0;
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    return get_heaviest_leaf(self, box);
  default:
    return VIEWER_FLAME_NO_BOX;
  }
}

static gboolean is_walk_key(guint key)
{
  static const guint keys[] = {GDK_KEY_Up,   GDK_KEY_KP_Up,   GDK_KEY_Down,  GDK_KEY_KP_Down,
                               GDK_KEY_Left, GDK_KEY_KP_Left, GDK_KEY_Right, GDK_KEY_KP_Right,
                               GDK_KEY_Home, GDK_KEY_KP_Home, GDK_KEY_End,   GDK_KEY_KP_End};

  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    if (keys[i] == key)
      return TRUE;
  return FALSE;
}

/* No tooltip over the menu, until the pointer moves again. */
static void emit_menu(ViewerFlameGraph *self, double x, double y)
{
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), FALSE);
  g_signal_emit_by_name(self, "menu", x, y);
}

/* About the selected box where it is seen, else about the middle. */
static void zoom_about_selected(ViewerFlameGraph *self, double factor)
{
  double at = 0.5;

  if (self->selected != VIEWER_FLAME_NO_BOX && self->settled) {
    const ProfileFlameBox *box = viewer_flame_graph_get_box(self, self->selected);
    double middle = ((double)box->start + box->end) / 2;
    double place = (middle - self->target.first) / viewer_viewport_get_width(self->target);
    at = place >= 0 && place <= 1 ? place : at;
  }
  viewer_flame_graph_set_view(self, viewer_viewport_zoom(self->target, at, factor), TRUE);
}

static gboolean zoom_by_key(ViewerFlameGraph *self, guint key)
{
  guint current = viewer_flame_graph_get_current(self);

  switch (key) {
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
  case GDK_KEY_ISO_Enter:
    viewer_flame_graph_zoom_to_box(self, current);
    return TRUE;
  case GDK_KEY_BackSpace:
  case GDK_KEY_Escape:
    return viewer_flame_graph_zoom_back(self);
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    zoom_about_selected(self, KEY_ZOOM);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    zoom_about_selected(self, 1 / KEY_ZOOM);
    return TRUE;
  case GDK_KEY_0:
  case GDK_KEY_KP_0:
    viewer_flame_graph_zoom_reset(self);
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean key_pressed(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                            ViewerFlameGraph *self)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!self->flame)
    return FALSE;
  if (key == GDK_KEY_Menu || (key == GDK_KEY_F10 && modifiers == GDK_SHIFT_MASK)) {
    graphene_rect_t at = viewer_flame_graph_get_bounds(self, viewer_flame_graph_get_current(self));
    emit_menu(self, at.origin.x + at.size.width / 2, at.origin.y + at.size.height);
    return TRUE;
  }
  if (modifiers & ~GDK_SHIFT_MASK)
    return FALSE;
  if (!is_walk_key(key))
    return zoom_by_key(self, key);
  guint box = walk(self, viewer_flame_graph_get_current(self), key);
  if (box != VIEWER_FLAME_NO_BOX)
    viewer_flame_graph_choose(self, box);
  return TRUE;
}

static void pressed(GtkGestureClick *gesture, int n, double x, double y, ViewerFlameGraph *self)
{
  guint box, button = gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture));

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!viewer_flame_graph_get_box_at(self, x, y, &box))
    return;
  if (box != self->selected)
    viewer_flame_graph_choose(self, box);
  if (gdk_event_triggers_context_menu(gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(gesture))))
    emit_menu(self, x, y);
  else if (button == GDK_BUTTON_PRIMARY && n == 2)
    viewer_flame_graph_zoom_to_box(self, box);
}

static void drag_begin(GtkGestureDrag *gesture, double x, double y, ViewerFlameGraph *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  self->drag_value = vertical ? gtk_adjustment_get_value(vertical) : 0;
  self->drag_view = self->target;
  self->dragged = FALSE;
}

static void drag_update(GtkGestureDrag *gesture, double x, double y, ViewerFlameGraph *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (!self->flame)
    return;
  if (!self->dragged && !gtk_drag_check_threshold(GTK_WIDGET(self), 0, 0, (int)x, (int)y))
    return;
  self->dragged = TRUE;
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (vertical)
    gtk_adjustment_set_value(vertical, self->drag_value - y);
  viewer_flame_graph_set_view(
      self, viewer_viewport_move(self->drag_view, -x / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1)),
      FALSE);
}

/* With Ctrl the wheel zooms; sideways it pans; the rest is the scrolled window's. */
static gboolean scroll(GtkEventControllerScroll *controller, double dx, double dy, ViewerFlameGraph *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
  double at = self->pointer / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1);

  if (!self->flame)
    return FALSE;
  if (state & GDK_CONTROL_MASK) {
    viewer_flame_graph_zoom_by(self, CLAMP(at, 0, 1), pow(WHEEL_ZOOM, -dy));
    return TRUE;
  }
  if (state & GDK_SHIFT_MASK && dx == 0)
    dx = dy;
  else if (fabs(dx) <= fabs(dy))
    return FALSE;
  viewer_flame_graph_set_view(self, viewer_viewport_move(self->target, dx / 10), FALSE);
  return TRUE;
}

static void hover(ViewerFlameGraph *self, guint box)
{
  if (self->hovered == box)
    return;
  self->hovered = box;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void moved(GtkEventControllerMotion *controller, double x, double y, ViewerFlameGraph *self)
{
  guint box = VIEWER_FLAME_NO_BOX;

  self->pointer = x;
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  viewer_flame_graph_get_box_at(self, x, y, &box);
  hover(self, box);
}

static void left(GtkEventControllerMotion *controller, ViewerFlameGraph *self)
{
  hover(self, VIEWER_FLAME_NO_BOX);
}

gboolean viewer_flame_graph_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(widget);
  guint box = viewer_flame_graph_get_current(self);

  if (box == VIEWER_FLAME_NO_BOX || (!keyboard && !viewer_flame_graph_get_box_at(self, x, y, &box)))
    return FALSE;
  g_autofree char *text = viewer_flame_text_get_tooltip(self->flame, box);
  graphene_rect_t at = viewer_flame_graph_get_bounds(self, box);
  GdkRectangle area = {(int)at.origin.x, (int)at.origin.y, MAX(1, (int)at.size.width), (int)at.size.height};
  gtk_tooltip_set_markup(tooltip, text);
  gtk_tooltip_set_tip_area(tooltip, &area);
  return TRUE;
}

static void peer_focused(ViewerFlameGraph *self, guint64 id)
{
  guint box = self->flame ? viewer_flame_graph_find_neighbour(self, id) : VIEWER_FLAME_NO_BOX;

  if (box != VIEWER_FLAME_NO_BOX)
    viewer_flame_graph_choose(self, box);
}

void viewer_flame_graph_add_controllers(ViewerFlameGraph *self)
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
  g_signal_connect(wheel, "scroll", G_CALLBACK(scroll), self);
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
