/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/time/time-draw.h"

#include <math.h>

#include "viewer/kit/palette.h"

enum {
  TICK_DISTANCE = 90,
  LABEL_GAP = 4, /* between a tick and its label */
  MAX_TICKS = 500,
  BEYOND = 100 /* pixels outside of the area that may be drawn to: cairo's numbers are small */
};

GdkRGBA viewer_time_draw_get_color(GtkWidget *widget, const char *name, const char *fallback)
{
  GdkRGBA color;

  if (!gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), name, &color))
    gdk_rgba_parse(&color, fallback);
  return color;
}

/* Of text and lines that step back; with high contrast they hardly do. */
static GdkRGBA get_text_color(GtkWidget *widget, float alpha)
{
  GdkRGBA color;

  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  color.alpha *= viewer_scheme_get_current().high_contrast ? MIN(3 * alpha, 1) : alpha;
  return color;
}

/* Begins at its place whatever it is written in: times run to the right also where one reads from the right.
 */
static PangoLayout *make_layout(GtkWidget *widget, const char *text, double width)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();

  pango_attr_list_insert(attributes, pango_attr_scale_new(PANGO_SCALE_SMALL));
  pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
  pango_context_set_base_dir(pango_layout_get_context(layout), pango_layout_get_direction(layout, 0));
  pango_layout_set_attributes(layout, attributes);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_width(layout, (int)(MAX(width, 1) * PANGO_SCALE));
  return layout;
}

static void append_layout(GtkSnapshot *snapshot, PangoLayout *layout, double x, double y,
                          const GdkRGBA *color)
{
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
  gtk_snapshot_append_layout(snapshot, layout, color);
  gtk_snapshot_restore(snapshot);
}

void viewer_time_draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double x, double y,
                           double width, const GdkRGBA *color)
{
  g_autoptr(PangoLayout) layout = make_layout(widget, text, width);

  append_layout(snapshot, layout, x, y, color);
}

static void append_line(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double height)
{
  gtk_snapshot_append_color(snapshot, color,
                            &GRAPHENE_RECT_INIT((float)floor(x), (float)y, 1, (float)height));
}

typedef void (*TickFunc)(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                         const graphene_rect_t *area, guint64 time, guint64 step);

static void for_each_tick(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                          const graphene_rect_t *area, TickFunc draw)
{
  guint64 step = viewer_time_axis_get_step(axis, TICK_DISTANCE);
  guint64 time = viewer_time_axis_get_first_tick(axis, step);

  for (guint n = 0; n < MAX_TICKS && time >= axis->first && time <= axis->end; n++) {
    draw(widget, snapshot, axis, area, time, step);
    if (__builtin_add_overflow(time, step, &time))
      return;
  }
}

/* Behind its tick, or left out where the area ends too early. */
static void draw_label(GtkWidget *widget, GtkSnapshot *snapshot, const graphene_rect_t *area, double x,
                       const char *text)
{
  g_autoptr(PangoLayout) layout = make_layout(widget, text, TICK_DISTANCE - 2 * LABEL_GAP);
  GdkRGBA color = get_text_color(widget, 0.75f);
  PangoRectangle place;
  double left = x + LABEL_GAP;

  pango_layout_get_pixel_extents(layout, NULL, &place);
  if (left + place.width > area->origin.x + area->size.width)
    return;
  append_layout(snapshot, layout, left - place.x, area->origin.y + 1, &color);
}

static void draw_tick(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                      const graphene_rect_t *area, guint64 time, guint64 step)
{
  GdkRGBA line = get_text_color(widget, 0.35f);
  double x = area->origin.x + viewer_time_axis_get_x(axis, time);
  g_autofree char *text = viewer_time_axis_format(axis, time, step);

  append_line(snapshot, &line, x, area->origin.y, area->size.height);
  draw_label(widget, snapshot, area, x, text);
}

void viewer_time_draw_ticks(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                            const graphene_rect_t *area)
{
  gtk_snapshot_push_clip(snapshot, area);
  for_each_tick(widget, snapshot, axis, area, draw_tick);
  gtk_snapshot_pop(snapshot);
}

static void draw_grid_line(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                           const graphene_rect_t *area, guint64 time, guint64 step)
{
  GdkRGBA color = get_text_color(widget, 0.08f);

  append_line(snapshot, &color, area->origin.x + viewer_time_axis_get_x(axis, time), area->origin.y,
              area->size.height);
}

void viewer_time_draw_grid(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                           const graphene_rect_t *area)
{
  for_each_tick(widget, snapshot, axis, area, draw_grid_line);
}

/* Boxes on whole pixels: cairo draws them many times faster than a curve. */
static void append_step(cairo_t *cairo, double left, double right, double top, double bottom)
{
  if (right > left && bottom > top)
    cairo_rectangle(cairo, left, top, right - left, bottom - top);
}

static void fill_steps(cairo_t *cairo, const double *edges, const double *y, guint n, gboolean caps,
                       const graphene_rect_t *area)
{
  double origin = area->origin.x, bottom = round(area->origin.y + area->size.height);

  for (guint i = 0; i < n; i++) {
    double top = round(bottom - CLAMP(y[i], 0, 1) * area->size.height);
    if (isnan(y[i]))
      continue;
    top = MIN(top, bottom - 1);
    append_step(cairo, round(origin + edges[i]), round(origin + edges[i + 1]), top, caps ? top + 1 : bottom);
  }
  cairo_fill(cairo);
}

void viewer_time_draw_steps(GtkSnapshot *snapshot, const double *edges, const double *y, guint n,
                            const GdkRGBA *color, const graphene_rect_t *area)
{
  cairo_t *cairo = gtk_snapshot_append_cairo(snapshot, area);

  cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
  cairo_set_source_rgba(cairo, color->red, color->green, color->blue, color->alpha * 0.5);
  fill_steps(cairo, edges, y, n, FALSE, area);
  gdk_cairo_set_source_rgba(cairo, color);
  fill_steps(cairo, edges, y, n, TRUE, area);
  cairo_destroy(cairo);
}

/* Those bins that the axis shows, with one more at each side: an eye follows the curve beyond the edge. */
static void get_shown_bins(const ViewerTimeAxis *axis, const ProfileDensity *density, guint *ret_begin,
                           guint *ret_end)
{
  guint n = profile_density_get_n_bins(density);
  guint64 first, end;

  profile_density_get_span(density, &first, &end);
  double lasts = MAX((double)(end - first) / n, 1e-9);
  double begin_bin = axis->first > first ? floor((double)(axis->first - first) / lasts) - 1 : 0;
  double end_bin = axis->end > first ? ceil((double)(axis->end - first) / lasts) + 1 : 0;
  *ret_begin = (guint)CLAMP(begin_bin, 0, n);
  *ret_end = (guint)CLAMP(end_bin, 0, n);
}

static double get_near_x(const ViewerTimeAxis *axis, guint64 time)
{
  return CLAMP(viewer_time_axis_get_x(axis, time), -BEYOND, axis->width + BEYOND);
}

void viewer_time_draw_density(GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                              const ProfileDensity *density, const guint64 *bins, double top,
                              const GdkRGBA *color, const graphene_rect_t *area)
{
  guint begin, end;

  get_shown_bins(axis, density, &begin, &end);
  if (!bins || begin >= end)
    return;
  g_autofree double *edges = g_new(double, (gsize)(end - begin) + 1);
  g_autofree double *y = g_new(double, end - begin);
  for (guint bin = begin; bin < end; bin++) {
    double share = profile_density_get_share(density, bins[bin]) / MAX(top, 1e-9);
    edges[bin - begin] = get_near_x(axis, profile_density_get_edge(density, bin));
    y[bin - begin] = bins[bin] > 0 ? share : NAN;
  }
  edges[end - begin] = get_near_x(axis, profile_density_get_edge(density, end));
  viewer_time_draw_steps(snapshot, edges, y, end - begin, color, area);
}

void viewer_time_draw_focus(GtkWidget *widget, GtkSnapshot *snapshot)
{
  GdkRGBA color = viewer_time_draw_get_color(widget, "accent_color", "#1c71d8");
  GskRoundedRect outline;

  color.alpha *= 0.6f;
  gsk_rounded_rect_init_from_rect(
      &outline,
      &GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget)),
      4);
  gtk_snapshot_append_border(snapshot, &outline, (float[4]){2, 2, 2, 2},
                             (GdkRGBA[4]){color, color, color, color});
}
