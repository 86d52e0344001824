/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-minimap.h"

#include <glib/gi18n.h>
#include <math.h>

enum { HEIGHT = 48, MAX_ROW = 4 };

struct _ViewerFlameMinimap {
  GtkWidget parent_instance;
  ViewerFlameGraph *graph;
  double grip; /* where the shown part was taken hold of, as a share of its width */
};

G_DEFINE_FINAL_TYPE(ViewerFlameMinimap, viewer_flame_minimap, GTK_TYPE_WIDGET)

static void draw_boxes(ViewerFlameMinimap *self, GtkSnapshot *snapshot, ProfileFlame *flame)
{
  ViewerPalette *palette = viewer_flame_graph_get_palette(self->graph);
  int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  double row = MIN((double)height / profile_flame_get_n_rows(flame), MAX_ROW);
  gboolean from_bottom = viewer_flame_graph_is_from_bottom(self->graph);
  guint n;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);

  for (guint i = 0; i < n; i++) {
    const ProfileFlameBox *box = &boxes[i];
    double y = from_bottom ? height - (box->depth + 1) * row : box->depth * row;
    graphene_rect_t at = GRAPHENE_RECT_INIT(box->start * (float)width, (float)y,
                                            (box->end - box->start) * (float)width, (float)row);
    gtk_snapshot_append_color(snapshot, &viewer_palette_get(palette, box->function)->fill, &at);
  }
}

/* What is not shown steps back. */
static void draw_part(ViewerFlameMinimap *self, GtkSnapshot *snapshot)
{
  float width = (float)gtk_widget_get_width(GTK_WIDGET(self));
  float height = (float)gtk_widget_get_height(GTK_WIDGET(self));
  ViewerViewport part = viewer_flame_graph_get_part(self->graph);
  float first = (float)part.first * width, end = MAX((float)part.end * width, first + 2);
  ViewerScheme scheme = viewer_palette_get_scheme(viewer_flame_graph_get_palette(self->graph));
  float ground = scheme.dark ? 0.1f : 1;
  GdkRGBA veil = {ground, ground, ground, 0.6f}, line;
  GskRoundedRect frame;

  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &line);
  gtk_snapshot_append_color(snapshot, &veil, &GRAPHENE_RECT_INIT(0, 0, first, height));
  gtk_snapshot_append_color(snapshot, &veil, &GRAPHENE_RECT_INIT(end, 0, width - end, height));
  gsk_rounded_rect_init_from_rect(&frame, &GRAPHENE_RECT_INIT(first, 0, end - first, height), 0);
  gtk_snapshot_append_border(snapshot, &frame, (float[4]){1, 1, 1, 1}, (GdkRGBA[4]){line, line, line, line});
}

static void flame_minimap_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerFlameMinimap *self = VIEWER_FLAME_MINIMAP(widget);
  ProfileFlame *flame = self->graph ? viewer_flame_graph_get_overview(self->graph) : NULL;

  if (!flame || !viewer_flame_graph_get_palette(self->graph))
    return;
  draw_boxes(self, snapshot, flame);
  draw_part(self, snapshot);
}

static void flame_minimap_measure(GtkWidget *widget, GtkOrientation orientation, int size, int *minimum,
                                  int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : 1;
}

static void move_to(ViewerFlameMinimap *self, double x)
{
  ViewerViewport part = viewer_flame_graph_get_part(self->graph);
  double at = x / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1), width = viewer_viewport_get_width(part);

  viewer_flame_graph_show_part(
      self->graph, viewer_viewport_move(part, (at - self->grip * width - part.first) / MAX(width, 1e-9)));
}

static void drag_begin(GtkGestureDrag *gesture, double x, double y, ViewerFlameMinimap *self)
{
  ViewerViewport part = viewer_flame_graph_get_part(self->graph);
  double at = x / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1), width = viewer_viewport_get_width(part);

  self->grip = at >= part.first && at < part.end ? (at - part.first) / width : 0.5;
  if (at < part.first || at >= part.end)
    move_to(self, x);
}

static void drag_update(GtkGestureDrag *gesture, double dx, double dy, ViewerFlameMinimap *self)
{
  double x, y;

  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  move_to(self, x + dx);
}

static void viewer_flame_minimap_dispose(GObject *object)
{
  g_clear_weak_pointer(&VIEWER_FLAME_MINIMAP(object)->graph);
  G_OBJECT_CLASS(viewer_flame_minimap_parent_class)->dispose(object);
}

static void viewer_flame_minimap_class_init(ViewerFlameMinimapClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = viewer_flame_minimap_dispose;
  widget_class->snapshot = flame_minimap_snapshot;
  widget_class->measure = flame_minimap_measure;
  gtk_widget_class_set_css_name(widget_class, "flameminimap");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void viewer_flame_minimap_init(ViewerFlameMinimap *self)
{
  GtkGesture *drag = gtk_gesture_drag_new();

  g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(drag_update), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Map of the whole flame graph"), -1);
}

GtkWidget *viewer_flame_minimap_new(void)
{
  return g_object_new(VIEWER_TYPE_FLAME_MINIMAP, NULL);
}

void viewer_flame_minimap_set_graph(ViewerFlameMinimap *self, ViewerFlameGraph *graph)
{
  g_set_weak_pointer(&self->graph, graph);
  g_signal_connect_object(graph, "shown", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}
