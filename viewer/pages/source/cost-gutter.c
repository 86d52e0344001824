/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/cost-gutter.h"

#include "viewer/kit/format.h"
#include "viewer/kit/heat.h"

enum { PADDING = 6, DOT = 1 };

struct _ViewerCostGutter {
  GtkSourceGutterRenderer parent;
  gboolean is_total;
  const ViewerSource *source;
  ViewerScheme scheme; /* while a frame is drawn, as the next */
  GdkRGBA color;
};

G_DEFINE_FINAL_TYPE(ViewerCostGutter, viewer_cost_gutter, GTK_SOURCE_TYPE_GUTTER_RENDERER)

/* The same for every function, so that text does not move. */
static void viewer_cost_gutter_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                       int *minimum, int *natural, int *minimum_baseline,
                                       int *natural_baseline)
{
  int width = 0;

  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    g_autofree char *widest = viewer_format_share(1, 1);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, widest);
    pango_layout_get_pixel_size(layout, &width, NULL);
    width += 2 * PADDING;
  }
  *minimum = *natural = width;
}

static void viewer_cost_gutter_begin(GtkSourceGutterRenderer *renderer, GtkSourceGutterLines *lines)
{
  ViewerCostGutter *self = VIEWER_COST_GUTTER(renderer);
  GtkWidget *view = GTK_WIDGET(gtk_source_gutter_renderer_get_view(renderer));

  self->scheme = viewer_scheme_get_current();
  gtk_style_context_get_color(gtk_widget_get_style_context(view), &self->color);
}

/* As below boxes of functions that were inlined: here some were. */
static void draw_dots(const ViewerCostGutter *self, GtkSnapshot *snapshot, int y, int width)
{
  for (int x = PADDING; x + DOT < width - PADDING; x += 2 * DOT)
    gtk_snapshot_append_color(snapshot, &self->color, &GRAPHENE_RECT_INIT((float)x, (float)y, DOT, DOT));
}

static void viewer_cost_gutter_snapshot_line(GtkSourceGutterRenderer *renderer, GtkSnapshot *snapshot,
                                             GtkSourceGutterLines *lines, guint line)
{
  ViewerCostGutter *self = VIEWER_COST_GUTTER(renderer);
  const ProfileAnnotationLine *found = self->source ? viewer_source_get_line(self->source, line + 1) : NULL;
  GtkWidget *widget = GTK_WIDGET(self);
  int y, height, text_width, text_height, width = gtk_widget_get_width(widget);

  if (!found)
    return;
  ProfileWeight weight = self->is_total ? found->total : found->self;
  if (weight.count == 0)
    return;
  /* What newer releases want instead, 5.6 has not. */
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_source_gutter_lines_get_line_yrange(lines, line, GTK_SOURCE_GUTTER_RENDERER_ALIGNMENT_MODE_CELL, &y,
                                          &height);
  G_GNUC_END_IGNORE_DEPRECATIONS
  GdkRGBA ground = viewer_heat_get_color(viewer_source_get_heat(self->source, weight), self->scheme);
  if (!self->is_total)
    gtk_snapshot_append_color(snapshot, &ground,
                              &GRAPHENE_RECT_INIT(0, (float)y, (float)width, (float)height));
  g_autofree char *text = viewer_source_format_share(self->source, weight);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
  pango_layout_get_pixel_size(layout, &text_width, &text_height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)(width - PADDING - text_width),
                                                        (float)(y + (height - text_height) / 2)));
  gtk_snapshot_append_layout(snapshot, layout, &self->color);
  gtk_snapshot_restore(snapshot);
  if (self->is_total && found->n_inlined > 0)
    draw_dots(self, snapshot, y + height - DOT, width);
}

/* A click goes to the line. */
static gboolean viewer_cost_gutter_query_activatable(GtkSourceGutterRenderer *renderer, GtkTextIter *iter,
                                                     GdkRectangle *area)
{
  return TRUE;
}

static void viewer_cost_gutter_activate(GtkSourceGutterRenderer *renderer, GtkTextIter *iter,
                                        GdkRectangle *area, guint button, GdkModifierType state, int n)
{
  gtk_text_buffer_place_cursor(GTK_TEXT_BUFFER(gtk_source_gutter_renderer_get_buffer(renderer)), iter);
}

static void viewer_cost_gutter_class_init(ViewerCostGutterClass *class)
{
  GtkSourceGutterRendererClass *renderer_class = GTK_SOURCE_GUTTER_RENDERER_CLASS(class);

  GTK_WIDGET_CLASS(class)->measure = viewer_cost_gutter_measure;
  renderer_class->begin = viewer_cost_gutter_begin;
  renderer_class->snapshot_line = viewer_cost_gutter_snapshot_line;
  renderer_class->query_activatable = viewer_cost_gutter_query_activatable;
  renderer_class->activate = viewer_cost_gutter_activate;
}

static void viewer_cost_gutter_init(ViewerCostGutter *self)
{
}

GtkSourceGutterRenderer *viewer_cost_gutter_new(gboolean is_total)
{
  ViewerCostGutter *self = g_object_new(VIEWER_TYPE_COST_GUTTER, NULL);

  self->is_total = is_total;
  return GTK_SOURCE_GUTTER_RENDERER(self);
}

void viewer_cost_gutter_set_source(ViewerCostGutter *self, const ViewerSource *source)
{
  self->source = source;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
