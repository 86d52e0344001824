/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline-area.h"

#include "viewer/pages/timeline/timeline-wheel.h"
#include "viewer/time/time-draw.h"

struct _ViewerTimelineArea {
  GtkWidget parent;
  ViewerTimeline *timeline;
  ViewerSpanSelector *selector;
  int offset;
  double pointer; /* on the axis; negative: elsewhere */
};

G_DEFINE_FINAL_TYPE(ViewerTimelineArea, viewer_timeline_area, GTK_TYPE_WIDGET)

ViewerSpanSelector *viewer_timeline_area_get_selector(ViewerTimelineArea *self)
{
  return self->selector;
}

double viewer_timeline_area_get_pointer(ViewerTimelineArea *self)
{
  return self->pointer >= 0 ? self->pointer : viewer_timeline_get_axis(self->timeline)->width / 2;
}

static void set_pointer(ViewerTimelineArea *self, double x)
{
  self->pointer = x;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void notice_motion(GtkEventControllerMotion *controller, double x, double y, ViewerTimelineArea *self)
{
  set_pointer(self, x >= self->offset ? x - self->offset : -1);
}

static void notice_leave(GtkEventControllerMotion *controller, ViewerTimelineArea *self)
{
  set_pointer(self, -1);
}

static void viewer_timeline_area_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerTimelineArea *self = VIEWER_TIMELINE_AREA(widget);
  GdkRGBA line = viewer_time_draw_get_color(widget, "window_fg_color", "#000000");
  float width = (float)viewer_timeline_get_axis(self->timeline)->width;
  float height = (float)gtk_widget_get_height(widget);

  GTK_WIDGET_CLASS(viewer_timeline_area_parent_class)->snapshot(widget, snapshot);
  viewer_span_selector_snapshot(self->selector, snapshot,
                                &GRAPHENE_RECT_INIT((float)self->offset, 0, width, height));
  line.alpha *= 0.4f;
  if (self->pointer >= 0 && self->pointer < width)
    gtk_snapshot_append_color(snapshot, &line,
                              &GRAPHENE_RECT_INIT((float)(self->offset + (int)self->pointer), 0, 1, height));
}

static void viewer_timeline_area_dispose(GObject *object)
{
  ViewerTimelineArea *self = VIEWER_TIMELINE_AREA(object);
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));

  if (child)
    gtk_widget_unparent(child);
  g_clear_object(&self->selector);
  g_clear_object(&self->timeline);
  G_OBJECT_CLASS(viewer_timeline_area_parent_class)->dispose(object);
}

static void viewer_timeline_area_class_init(ViewerTimelineAreaClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_timeline_area_dispose;
  widget_class->snapshot = viewer_timeline_area_snapshot;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "timelinearea");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void viewer_timeline_area_init(ViewerTimelineArea *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new();

  self->pointer = -1;
  g_signal_connect_object(motion, "motion", G_CALLBACK(notice_motion), self, 0);
  g_signal_connect_object(motion, "leave", G_CALLBACK(notice_leave), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(self), motion);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *viewer_timeline_area_new(ViewerTimeline *timeline, GtkWidget *child, int offset)
{
  ViewerTimelineArea *self = g_object_new(VIEWER_TYPE_TIMELINE_AREA, NULL);

  self->timeline = g_object_ref(timeline);
  self->offset = offset;
  gtk_widget_set_parent(child, GTK_WIDGET(self));
  self->selector = viewer_span_selector_new(GTK_WIDGET(self), viewer_timeline_get_axis(timeline));
  viewer_span_selector_set_offset(self->selector, offset);
  viewer_timeline_wheel_add(timeline, GTK_WIDGET(self), offset, FALSE);
  g_signal_connect_object(timeline, "changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
