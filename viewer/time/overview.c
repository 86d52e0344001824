/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/time/overview.h"

#include <glib/gi18n.h>

#include "profile/capture/span.h"
#include "viewer/document/untimed.h"
#include "viewer/kit/accessible.h"
#include "viewer/kit/format.h"
#include "viewer/time/densities.h"
#include "viewer/time/span-selector.h"
#include "viewer/time/time-axis.h"
#include "viewer/time/time-draw.h"

enum {
  GRAPH_HEIGHT = 38,
  TICKS_HEIGHT = 18,
  PIXELS_A_BIN = 2,
  MIN_SAMPLES = 4, /* a bin */
  ROOM_FOR_LABEL = 70
};

struct _ViewerOverview {
  GtkWidget parent;
  GtkWidget *zoom;
  ViewerDocument *document;
  GSignalGroup *of_query, *of_document;
  ViewerUntimed *untimed;
  ProfileFilter *filter; /* of that; NULL: no capture */
  ViewerLatest *densities;
  ViewerSpanSelector *selector;
  ViewerTimeAxis axis;
  guint n_bins; /* last asked for */
};

G_DEFINE_FINAL_TYPE(ViewerOverview, viewer_overview, GTK_TYPE_WIDGET)

static guint count_bins(ViewerOverview *self)
{
  return (guint)MAX(self->axis.width / PIXELS_A_BIN, 1);
}

static void request_density(ViewerOverview *self)
{
  if (!self->filter)
    return;
  self->n_bins = count_bins(self);
  viewer_densities_request(self->densities, profile_filter_copy(self->filter), self->axis.low,
                           self->axis.high, self->n_bins, MIN_SAMPLES);
}

static void overview_update(ViewerOverview *self)
{
  guint64 first = 0, end = 1;

  if (!viewer_untimed_update(self->untimed, self->document))
    return;
  ProfileCapture *capture = viewer_untimed_get_capture(self->untimed);
  g_clear_pointer(&self->filter, profile_filter_free);
  if (capture) {
    self->filter = viewer_query_make_filter(viewer_document_get_query(self->document), capture, FALSE);
    profile_span_get(capture, &first, &end);
  }
  viewer_time_axis_init(&self->axis, first, end);
  viewer_time_axis_set_width(&self->axis, gtk_widget_get_width(GTK_WIDGET(self)));
  request_density(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void notice_selection(ViewerOverview *self)
{
  guint64 first, end;
  gboolean selected = viewer_span_selector_get_preview(self->selector, &first, &end);

  gtk_widget_set_visible(self->zoom, selected && !viewer_span_selector_is_dragging(self->selector));
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

static void overview_commit(ViewerOverview *self)
{
  viewer_span_selector_commit(self->selector);
}

/* In the middle of what is selected, or beside it where there is no room. */
static void place_zoom(ViewerOverview *self, int width)
{
  GtkRequisition size;
  guint64 first, end;
  GtkAllocation place;

  if (!gtk_widget_get_visible(self->zoom) || !viewer_span_selector_get_preview(self->selector, &first, &end))
    return;
  gtk_widget_get_preferred_size(self->zoom, &size, NULL);
  double from = viewer_time_axis_get_x(&self->axis, first), to = viewer_time_axis_get_x(&self->axis, end);
  double x = to - from > size.width + 24     ? (from + to - size.width) / 2
             : to + size.width + 12 <= width ? to + 10
                                             : from - size.width - 10;
  place.x = (int)CLAMP(x, 0, MAX(width - size.width, 0));
  place.y = (GRAPH_HEIGHT - size.height) / 2;
  place.width = size.width;
  place.height = size.height;
  gtk_widget_size_allocate(self->zoom, &place, -1);
}

static void viewer_overview_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerOverview *self = VIEWER_OVERVIEW(widget);

  viewer_time_axis_set_width(&self->axis, width);
  if (count_bins(self) != self->n_bins)
    request_density(self);
  place_zoom(self, width);
}

static void viewer_overview_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                    int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? GRAPH_HEIGHT + TICKS_HEIGHT : 100;
}

static double get_top(const ProfileDensity *density)
{
  double top = 0;

  for (guint bin = 0; bin < profile_density_get_n_bins(density); bin++)
    top = MAX(top, profile_density_get_share(density, profile_density_get_busy(density)[bin]));
  return top * 1.05;
}

static void draw_graph(ViewerOverview *self, GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  const ProfileDensity *density = viewer_densities_get(self->densities);
  GdkRGBA color = viewer_time_draw_get_color(GTK_WIDGET(self), "accent_color", "#1c71d8");

  viewer_time_draw_grid(GTK_WIDGET(self), snapshot, &self->axis, area);
  if (density)
    viewer_time_draw_density(snapshot, &self->axis, density, profile_density_get_busy(density),
                             get_top(density), &color, area);
}

/* How long what is selected lasts, while there is room for it beside the button. */
static void draw_label(ViewerOverview *self, GtkSnapshot *snapshot)
{
  GdkRGBA color = viewer_time_draw_get_color(GTK_WIDGET(self), "window_fg_color", "#000000");
  GdkRGBA behind = viewer_time_draw_get_color(GTK_WIDGET(self), "window_bg_color", "#fafafa");
  guint64 first, end;
  GskRoundedRect pill;

  if (!viewer_span_selector_get_preview(self->selector, &first, &end))
    return;
  double from = viewer_time_axis_get_x(&self->axis, first), to = viewer_time_axis_get_x(&self->axis, end);
  g_autofree char *text = viewer_format_duration(end - first);
  if (to - from < 2.5 * ROOM_FOR_LABEL)
    return;
  behind.alpha = 0.85f;
  gsk_rounded_rect_init_from_rect(
      &pill, &GRAPHENE_RECT_INIT((float)from + 8, (GRAPH_HEIGHT - 20) / 2, ROOM_FOR_LABEL, 20), 10);
  gtk_snapshot_push_rounded_clip(snapshot, &pill);
  gtk_snapshot_append_color(snapshot, &behind, &pill.bounds);
  gtk_snapshot_pop(snapshot);
  viewer_time_draw_text(GTK_WIDGET(self), snapshot, text, from + 16, (GRAPH_HEIGHT - 16) / 2.0,
                        ROOM_FOR_LABEL - 10, &color);
}

static void viewer_overview_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerOverview *self = VIEWER_OVERVIEW(widget);
  float width = (float)gtk_widget_get_width(widget);
  graphene_rect_t graph = GRAPHENE_RECT_INIT(0, 0, width, GRAPH_HEIGHT);

  if (viewer_untimed_get_capture(self->untimed)) {
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, GRAPH_HEIGHT + TICKS_HEIGHT));
    draw_graph(self, snapshot, &graph);
    viewer_time_draw_ticks(widget, snapshot, &self->axis,
                           &GRAPHENE_RECT_INIT(0, GRAPH_HEIGHT, width, TICKS_HEIGHT));
    viewer_span_selector_snapshot(self->selector, snapshot, &graph);
    draw_label(self, snapshot);
    gtk_snapshot_pop(snapshot);
  }
  if (gtk_widget_has_visible_focus(widget))
    viewer_time_draw_focus(widget, snapshot);
  GTK_WIDGET_CLASS(viewer_overview_parent_class)->snapshot(widget, snapshot);
}

static gboolean viewer_overview_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                              GtkTooltip *tooltip)
{
  ViewerOverview *self = VIEWER_OVERVIEW(widget);
  const ProfileDensity *density = viewer_densities_get(self->densities);
  guint64 at = viewer_time_axis_get_time(&self->axis, x);
  guint bin;

  if (keyboard) {
    g_autofree char *text = viewer_span_selector_describe(self->selector);
    gtk_tooltip_set_text(tooltip, text);
    return TRUE;
  }
  if (!density || viewer_span_selector_is_dragging(self->selector) ||
      !profile_density_find_bin(density, at, &bin))
    return FALSE;
  g_autofree char *time = viewer_time_axis_format_exactly(&self->axis, at);
  g_autofree char *amount = viewer_densities_format(density, profile_density_get_busy(density)[bin]);
  g_autofree char *text = g_strdup_printf("%s\n%s", time, amount);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

void viewer_overview_set_document(ViewerOverview *self, ViewerDocument *document)
{
  if (g_set_object(&self->document, document))
    viewer_latest_clear(self->densities);
  g_signal_group_set_target(self->of_document, document);
  g_signal_group_set_target(self->of_query, document ? viewer_document_get_query(document) : NULL);
  overview_update(self);
  viewer_span_selector_set_document(self->selector, document);
}

static void viewer_overview_dispose(GObject *object)
{
  ViewerOverview *self = VIEWER_OVERVIEW(object);

  g_clear_object(&self->of_query);
  g_clear_object(&self->of_document);
  g_clear_object(&self->selector);
  g_clear_object(&self->densities);
  g_clear_object(&self->document);
  g_clear_pointer(&self->untimed, viewer_untimed_free);
  g_clear_pointer(&self->filter, profile_filter_free);
  g_clear_pointer(&self->zoom, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_overview_parent_class)->dispose(object);
}

static void viewer_overview_class_init(ViewerOverviewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_overview_dispose;
  widget_class->measure = viewer_overview_measure;
  widget_class->size_allocate = viewer_overview_size_allocate;
  widget_class->snapshot = viewer_overview_snapshot;
  widget_class->query_tooltip = viewer_overview_query_tooltip;
  gtk_widget_class_set_css_name(widget_class, "overview");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void add_zoom(ViewerOverview *self)
{
  self->zoom = gtk_button_new_from_icon_name("zoom-in-symbolic");
  gtk_widget_add_css_class(self->zoom, "circular");
  gtk_widget_add_css_class(self->zoom, "suggested-action");
  gtk_widget_set_tooltip_text(self->zoom, _("Zoom into Selection"));
  viewer_accessible_set_name(self->zoom, _("Zoom into Selection"));
  gtk_widget_set_visible(self->zoom, FALSE);
  gtk_widget_set_cursor_from_name(self->zoom, "default");
  gtk_widget_set_parent(self->zoom, GTK_WIDGET(self));
  g_signal_connect_swapped(self->zoom, "clicked", G_CALLBACK(overview_commit), self);
}

static void viewer_overview_init(ViewerOverview *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  gtk_widget_set_focusable(widget, TRUE);
  gtk_widget_set_has_tooltip(widget, TRUE);
  viewer_time_axis_init(&self->axis, 0, 1);
  self->untimed = viewer_untimed_new();
  self->densities = viewer_densities_new();
  g_signal_connect_object(self->densities, "ready", G_CALLBACK(gtk_widget_queue_draw), self,
                          G_CONNECT_SWAPPED);
  self->of_query = g_signal_group_new(VIEWER_TYPE_QUERY);
  g_signal_group_connect_swapped(self->of_query, "changed", G_CALLBACK(overview_update), self);
  self->of_document = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->of_document, "capture-changed", G_CALLBACK(overview_update), self);
  add_zoom(self);
  self->selector = viewer_span_selector_new(widget, &self->axis);
  viewer_span_selector_take_keys(self->selector);
  g_signal_connect_object(self->selector, "changed", G_CALLBACK(notice_selection), self, G_CONNECT_SWAPPED);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Selected Span of Time"), -1);
}

GtkWidget *viewer_overview_new(void)
{
  return g_object_new(VIEWER_TYPE_OVERVIEW, NULL);
}
