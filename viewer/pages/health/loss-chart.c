/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/health/loss-chart.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"
#include "viewer/kit/palette.h"

enum { BINS = 120, HEIGHT = 72, LABEL_GAP = 4 };

struct _ViewerLossChart {
  GtkWidget parent_instance;

  guint64 bins[BINS];
  guint64 span; /* time of all bins */
  guint64 most; /* of the bins */
};

G_DEFINE_FINAL_TYPE(ViewerLossChart, viewer_loss_chart, GTK_TYPE_WIDGET)

static char *format_time(const ViewerLossChart *self, guint bin)
{
  return viewer_format_time((guint64)((double)self->span * bin / BINS), self->span / BINS);
}

/* Of what steps back; with high contrast it hardly does. */
static GdkRGBA get_color(GtkWidget *widget, float alpha)
{
  GdkRGBA color;

  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  color.alpha *= viewer_scheme_get_current().high_contrast ? MIN(3 * alpha, 1) : alpha;
  return color;
}

static int get_text_height(GtkWidget *widget)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, "0");
  int height;

  pango_layout_get_pixel_size(layout, NULL, &height);
  return height;
}

/* As near to that middle as there is room. */
static void draw_text(ViewerLossChart *self, GtkSnapshot *snapshot, const char *text, float middle, float y)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  GdkRGBA color = get_color(GTK_WIDGET(self), 0.75f);
  int width;

  pango_layout_get_pixel_size(layout, &width, NULL);
  float last = (float)(gtk_widget_get_width(GTK_WIDGET(self)) - width);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot,
                         &GRAPHENE_POINT_INIT(CLAMP(middle - (float)width / 2, 0, MAX(last, 0)), y));
  gtk_snapshot_append_layout(snapshot, layout, &color);
  gtk_snapshot_restore(snapshot);
}

/* The colour that the theme warns with. */
static GdkRGBA get_bar_color(GtkWidget *widget)
{
  GdkRGBA color = {0.9f, 0.6f, 0, 1};

  gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), "warning_color", &color);
  return color;
}

static void draw_bars(ViewerLossChart *self, GtkSnapshot *snapshot)
{
  GdkRGBA color = get_bar_color(GTK_WIDGET(self));
  float width = (float)gtk_widget_get_width(GTK_WIDGET(self)) / BINS;

  for (guint i = 0; i < BINS; i++) {
    float height = self->most ? (float)((double)self->bins[i] / (double)self->most * HEIGHT) : 0;
    if (self->bins[i] > 0)
      gtk_snapshot_append_color(
          snapshot, &color,
          &GRAPHENE_RECT_INIT((float)i * width, HEIGHT - MAX(height, 2), MAX(width - 1, 1), MAX(height, 2)));
  }
}

static guint find_worst(const ViewerLossChart *self)
{
  guint worst = 0;

  for (guint i = 1; i < BINS; i++)
    if (self->bins[i] > self->bins[worst])
      worst = i;
  return worst;
}

/* The highest bar says what its height means. */
static void viewer_loss_chart_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerLossChart *self = VIEWER_LOSS_CHART(widget);
  g_autofree char *from = format_time(self, 0), *to = format_time(self, BINS),
                  *most = viewer_format_samples(self->most);
  GdkRGBA line = get_color(widget, 0.3f);
  float width = (float)gtk_widget_get_width(widget);
  int top = get_text_height(widget) + LABEL_GAP;

  draw_text(self, snapshot, most, ((float)find_worst(self) + 0.5f) * width / BINS, 0);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(0, (float)top));
  draw_bars(self, snapshot);
  gtk_snapshot_append_color(snapshot, &line, &GRAPHENE_RECT_INIT(0, HEIGHT, width, 1));
  draw_text(self, snapshot, from, 0, HEIGHT + LABEL_GAP);
  draw_text(self, snapshot, to, width, HEIGHT + LABEL_GAP);
}

static void viewer_loss_chart_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                      int *minimum, int *natural, int *minimum_baseline,
                                      int *natural_baseline)
{
  *minimum =
      orientation == GTK_ORIENTATION_HORIZONTAL ? BINS : HEIGHT + 2 * (LABEL_GAP + get_text_height(widget));
  *natural = *minimum;
}

static gboolean on_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                                 gpointer data)
{
  ViewerLossChart *self = VIEWER_LOSS_CHART(widget);
  int width = MAX(gtk_widget_get_width(widget), 1);
  guint bin = MIN((guint)MAX(x, 0) * BINS / (guint)width, BINS - 1);
  g_autofree char *time = format_time(self, bin), *samples = viewer_format_samples(self->bins[bin]);
  g_autofree char *text = NULL;

  if (keyboard || self->bins[bin] == 0)
    return FALSE;
  /* TRANSLATORS: A time after the recording began, and a number of samples. */
  text = g_strdup_printf(_("%s: %s lost"), time, samples);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void viewer_loss_chart_class_init(ViewerLossChartClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  widget_class->snapshot = viewer_loss_chart_snapshot;
  widget_class->measure = viewer_loss_chart_measure;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name(widget_class, "loss-chart");
}

static void viewer_loss_chart_init(ViewerLossChart *self)
{
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_query_tooltip), NULL);
}

static void loss_chart_describe(ViewerLossChart *self)
{
  g_autofree char *time = format_time(self, find_worst(self)), *samples = viewer_format_samples(self->most);
  g_autofree char *text = g_strdup_printf(_("Losses over time: most at %s, %s"), time, samples);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

void viewer_loss_chart_show(ViewerLossChart *self, const ProfileHealth *health)
{
  guint64 first = 0, end = 0;
  g_autofree guint64 *bins = profile_health_make_losses(health, BINS, &first, &end);

  self->span = end - first;
  self->most = 0;
  for (guint i = 0; i < BINS; i++) {
    self->bins[i] = bins ? bins[i] : 0;
    self->most = MAX(self->most, self->bins[i]);
  }
  loss_chart_describe(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
