/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline-wheel.h"

#include <math.h>

typedef struct {
  ViewerTimeline *timeline;
  double offset, x; /* of the pointer, on the axis */
  gboolean always;
} Wheel;

static const double factor = 1.25, pixels = 60;

static void notice_pointer(GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  Wheel *wheel = data;

  wheel->x = x - wheel->offset;
}

static gboolean timeline_wheel_turn(GtkEventControllerScroll *controller, double dx, double dy, gpointer data)
{
  Wheel *wheel = data;
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));

  if (state & GDK_SHIFT_MASK)
    viewer_timeline_pan(wheel->timeline, (dx + dy) * pixels);
  else if (dx != 0 && fabs(dx) > fabs(dy))
    viewer_timeline_pan(wheel->timeline, dx * pixels);
  else if (state & GDK_CONTROL_MASK || wheel->always)
    viewer_timeline_zoom(wheel->timeline, pow(factor, -dy), wheel->x);
  else
    return FALSE;
  return TRUE;
}

static void wheel_free(gpointer data, GClosure *closure)
{
  g_free(data);
}

void viewer_timeline_wheel_add(ViewerTimeline *timeline, GtkWidget *widget, double offset, gboolean always)
{
  GtkEventController *scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new();
  Wheel *wheel = g_new0(Wheel, 1);

  *wheel = (Wheel){.timeline = timeline, .offset = offset, .always = always};
  gtk_event_controller_set_propagation_phase(scroll, GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase(motion, GTK_PHASE_CAPTURE);
  g_signal_connect_data(scroll, "scroll", G_CALLBACK(timeline_wheel_turn), wheel, wheel_free, 0);
  g_signal_connect(motion, "motion", G_CALLBACK(notice_pointer), wheel);
  g_signal_connect(motion, "enter", G_CALLBACK(notice_pointer), wheel);
  gtk_widget_add_controller(widget, motion);
  gtk_widget_add_controller(widget, scroll);
}
