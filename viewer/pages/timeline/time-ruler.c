/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/time-ruler.h"

#include <glib/gi18n.h>

#include "viewer/pages/timeline/timeline-wheel.h"
#include "viewer/time/span-selector.h"
#include "viewer/time/time-draw.h"

enum { HEIGHT = 28, TICKS_HEIGHT = 18 };

struct _ViewerTimeRuler {
  GtkWidget parent;
  ViewerTimeline *timeline;
  ViewerSpanSelector *selector;
};

G_DEFINE_FINAL_TYPE(ViewerTimeRuler, viewer_time_ruler, GTK_TYPE_WIDGET)

void viewer_time_ruler_set_document(ViewerTimeRuler *self, ViewerDocument *document)
{
  viewer_span_selector_set_document(self->selector, document);
}

static void viewer_time_ruler_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                      int *minimum, int *natural, int *minimum_baseline,
                                      int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : 100;
}

static void viewer_time_ruler_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  viewer_timeline_set_width(VIEWER_TIME_RULER(widget)->timeline, width);
}

static void viewer_time_ruler_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerTimeRuler *self = VIEWER_TIME_RULER(widget);
  float width = (float)gtk_widget_get_width(widget), height = (float)gtk_widget_get_height(widget);
  graphene_rect_t all = GRAPHENE_RECT_INIT(0, 0, width, height);

  gtk_snapshot_push_clip(snapshot, &all);
  viewer_time_draw_ticks(widget, snapshot, viewer_timeline_get_axis(self->timeline),
                         &GRAPHENE_RECT_INIT(0, height - TICKS_HEIGHT, width, TICKS_HEIGHT));
  viewer_span_selector_snapshot(self->selector, snapshot, &all);
  gtk_snapshot_pop(snapshot);
  if (gtk_widget_has_visible_focus(widget))
    viewer_time_draw_focus(widget, snapshot);
}

static void viewer_time_ruler_dispose(GObject *object)
{
  ViewerTimeRuler *self = VIEWER_TIME_RULER(object);

  g_clear_object(&self->selector);
  g_clear_object(&self->timeline);
  G_OBJECT_CLASS(viewer_time_ruler_parent_class)->dispose(object);
}

static void viewer_time_ruler_class_init(ViewerTimeRulerClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_time_ruler_dispose;
  widget_class->measure = viewer_time_ruler_measure;
  widget_class->size_allocate = viewer_time_ruler_size_allocate;
  widget_class->snapshot = viewer_time_ruler_snapshot;
  gtk_widget_class_set_css_name(widget_class, "timeruler");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void viewer_time_ruler_init(ViewerTimeRuler *self)
{
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Selected Span of Tracks"), -1);
}

GtkWidget *viewer_time_ruler_new(ViewerTimeline *timeline)
{
  ViewerTimeRuler *self = g_object_new(VIEWER_TYPE_TIME_RULER, NULL);

  self->timeline = g_object_ref(timeline);
  self->selector = viewer_span_selector_new(GTK_WIDGET(self), viewer_timeline_get_axis(timeline));
  viewer_span_selector_take_keys(self->selector);
  viewer_timeline_wheel_add(timeline, GTK_WIDGET(self), 0, TRUE);
  g_signal_connect_object(timeline, "changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
