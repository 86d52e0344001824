/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/heat-strip.h"

#include <adwaita.h>
#include <math.h>

#include "viewer/kit/heat.h"

enum { WIDTH = 10, LEAST_HEIGHT = 2 };

struct _ViewerHeatStrip {
  GtkWidget parent;
  const ViewerSource *source;
};

G_DEFINE_FINAL_TYPE(ViewerHeatStrip, viewer_heat_strip, GTK_TYPE_WIDGET)

enum { CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Lines of a short file are no higher than this. */
static double get_line_height(const ViewerHeatStrip *self)
{
  return MIN(
      (double)gtk_widget_get_height(GTK_WIDGET((ViewerHeatStrip *)self)) / MAX(self->source->n_lines, 1), 20);
}

/* The hottest last, above the others. */
static void viewer_heat_strip_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerHeatStrip *self = VIEWER_HEAT_STRIP(widget);
  ViewerScheme scheme = viewer_scheme_get_current();

  if (!self->source)
    return;
  double height = get_line_height(self);
  for (guint i = self->source->n_ranked; i-- > 0;) {
    const ProfileAnnotationLine *line = self->source->ranked[i];
    double heat = viewer_source_get_heat(self->source, line->self);
    GdkRGBA color = viewer_heat_get_mark(heat, scheme);
    if (heat > 0 && line->line <= self->source->n_lines)
      gtk_snapshot_append_color(snapshot, &color,
                                &GRAPHENE_RECT_INIT(1, (float)floor((line->line - 1) * height), WIDTH - 2,
                                                    (float)MAX(ceil(height), LEAST_HEIGHT)));
  }
}

static void handle_pressed(GtkGestureClick *gesture, int n, double x, double y, ViewerHeatStrip *self)
{
  const ProfileAnnotationLine *nearest = NULL;

  if (!self->source)
    return;
  double at = y / get_line_height(self) + 0.5;
  for (guint i = 0; i < self->source->n_ranked; i++) {
    const ProfileAnnotationLine *line = self->source->ranked[i];
    if (line->self.count > 0 && (!nearest || fabs(line->line - at) < fabs(nearest->line - at)))
      nearest = line;
  }
  if (nearest)
    g_signal_emit(self, signals[CHOSEN], 0, nearest->line);
}

static void viewer_heat_strip_class_init(ViewerHeatStripClass *class)
{
  GTK_WIDGET_CLASS(class)->snapshot = viewer_heat_strip_snapshot;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "heatstrip");
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_PRESENTATION);
  signals[CHOSEN] = g_signal_new("chosen", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void viewer_heat_strip_init(ViewerHeatStrip *self)
{
  GtkGesture *click = gtk_gesture_click_new();
  AdwStyleManager *style = adw_style_manager_get_default();

  gtk_widget_set_size_request(GTK_WIDGET(self), WIDTH, -1);
  g_signal_connect(click, "pressed", G_CALLBACK(handle_pressed), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
  g_signal_connect_object(style, "notify::dark", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

void viewer_heat_strip_set_source(ViewerHeatStrip *self, const ViewerSource *source)
{
  self->source = source;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
