/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters, and the machine, for which one of its counters stands. The index is a counter's. */
#include <glib/gi18n.h>
#include <math.h>

#include "viewer/kit/format.h"
#include "viewer/pages/timeline/track-draw.h"
#include "viewer/pages/timeline/track-kind.h"
#include "viewer/time/time-draw.h"

enum { MACHINE_HEIGHT = 40, COUNTER_HEIGHT = 36, NAME_LENGTH = 80, UNIT_LENGTH = 20 };

static const ProfileCounter *get_counter(ProfileCapture *capture, guint32 index)
{
  guint n = 0;
  const ProfileCounter *counters = capture ? profile_capture_get_counters(capture, &n) : NULL;

  return index < n ? &counters[index] : NULL;
}

/* NULL: none yet. */
static const ProfileCounterBins *get_bins(const ViewerTimelineScene *scene, guint32 index)
{
  const ViewerTimelineShown *shown = scene->shown;

  return shown && index < shown->counters->len ? shown->counters->pdata[index] : NULL;
}

/* "1.5 GB", "12.3 requests", of one that grows "3.2 MB/s". */
static char *format_value(const ProfileCounter *counter, double value)
{
  const char *unit = counter->unit ? counter->unit : "";
  g_autofree char *shown = viewer_format_name(unit, UNIT_LENGTH);
  g_autofree char *text = NULL;

  if ((g_ascii_strcasecmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0) && value >= 0 && value < 1e18)
    text = g_format_size((guint64)value);
  else if (*shown)
    /* TRANSLATORS: A number and its unit. */
    text = g_strdup_printf(_("%.*f %s"), fabs(value) < 100 ? 1 : 0, value, shown);
  else
    text = g_strdup_printf("%.*f", fabs(value) < 100 ? 1 : 0, value);
  if (!counter->totals)
    return g_steal_pointer(&text);
  /* TRANSLATORS: So much a second. */
  return g_strdup_printf(_("%s/s"), text);
}

static void track_counter_draw(const ViewerTimelineScene *scene, guint32 index, GtkWidget *widget,
                               GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  const ProfileCounterBins *bins = get_bins(scene, index);
  const ViewerTimeAxis *axis = scene->axis;
  GdkRGBA color = viewer_time_draw_get_color(widget, "success_color", "#26a269");
  graphene_rect_t inner = viewer_track_get_inner(area);
  guint64 first, end;
  double low, high;

  if (!bins || !profile_counter_bins_get_range(bins, &low, &high))
    return;
  guint n = profile_counter_bins_get_n(bins);
  g_autofree double *edges = g_new(double, (gsize)n + 1), *y = g_new(double, n);
  profile_counter_bins_get_span(bins, &first, &end);
  double left = viewer_time_axis_get_x(axis, first), right = viewer_time_axis_get_x(axis, end);
  for (guint bin = 0; bin <= n; bin++)
    edges[bin] = CLAMP(left + (right - left) * bin / n, -100, inner.size.width + 100);
  for (guint bin = 0; bin < n; bin++)
    y[bin] = high > low ? (profile_counter_bins_get(bins)[bin] - low) / (high - low) : 0;
  viewer_time_draw_steps(snapshot, edges, y, n, &color, &inner);
}

static char *describe_at(const ProfileCounter *counter, const ProfileCounterBins *bins, guint64 time)
{
  guint n = profile_counter_bins_get_n(bins);
  guint64 first, end;

  profile_counter_bins_get_span(bins, &first, &end);
  if (time < first || time >= end)
    return NULL;
  double at = (double)(time - first) / (double)(end - first) * n;
  double value = profile_counter_bins_get(bins)[MIN((guint)at, n - 1)];
  if (isnan(value))
    return NULL;
  g_autofree char *name = viewer_format_name(counter->name, 0);
  g_autofree char *amount = format_value(counter, value);
  /* TRANSLATORS: The name of a counter and its value. */
  return g_strdup_printf(_("%s: %s"), name, amount);
}

static char *describe_place(const ViewerTimelineScene *scene, guint32 index, double x, double y)
{
  const ProfileCounter *counter = get_counter(scene->capture, index);
  const ProfileCounterBins *bins = get_bins(scene, index);
  guint64 time = viewer_time_axis_get_time(scene->axis, x);

  return counter && bins ? viewer_track_add_time(scene, x, describe_at(counter, bins, time)) : NULL;
}

static char *track_counter_describe(const ViewerTimelineScene *scene, guint32 index)
{
  const ProfileCounter *counter = get_counter(scene->capture, index);
  const ProfileCounterBins *bins = get_bins(scene, index);
  double low, high;

  if (!counter || !bins || !profile_counter_bins_get_range(bins, &low, &high))
    return g_strdup(_("Nothing was counted"));
  g_autofree char *amount = format_value(counter, high);
  /* TRANSLATORS: The greatest value of a counter. */
  return g_strdup_printf(_("Up to %s"), amount);
}

static gboolean is_of_cpu(const ProfileCounter *counter)
{
  return strcmp(counter->category, "CPU") == 0;
}

/* How busy the processors were says most about a machine. */
static void machine_find(const ViewerTrackFamily *family, GArray *indices)
{
  const GArray *counters = family->counters;
  guint32 index = g_array_index(counters, guint32, 0);

  for (guint i = counters->len; i-- > 0;)
    if (is_of_cpu(get_counter(family->capture, g_array_index(counters, guint32, i))))
      index = g_array_index(counters, guint32, i);
  g_array_append_val(indices, index);
}

static void machine_name(const ViewerTrackFamily *family, ViewerTrack *track)
{
  const ProfileCounter *counter = get_counter(family->capture, viewer_track_get_index(track));
  g_autofree char *name = viewer_format_name(counter->name, NAME_LENGTH);
  g_autofree char *category = viewer_format_name(counter->category, NAME_LENGTH);
  /* TRANSLATORS: A counter's category and its name. */
  g_autofree char *detail = *category ? g_strdup_printf(_("%s: %s"), category, name) : g_strdup(name);

  viewer_track_set_texts(track, _("Counters"), detail);
}

const ViewerTrackKind viewer_track_machine = {
    .is_head = TRUE,
    .find = machine_find,
    .name = machine_name,
    .height = MACHINE_HEIGHT,
    .draw = track_counter_draw,
    .describe_place = describe_place,
    .describe = track_counter_describe,
};

/* Those of processors first. The machine shows its only one itself. */
static void counter_find(const ViewerTrackFamily *family, GArray *indices)
{
  const GArray *counters = family->counters;

  if (!counters || (family->head == &viewer_track_machine && counters->len == 1))
    return;
  for (guint others = 0; others < 2; others++)
    for (guint i = 0; i < counters->len; i++) {
      guint32 index = g_array_index(counters, guint32, i);
      if (is_of_cpu(get_counter(family->capture, index)) != (others == 1))
        g_array_append_val(indices, index);
    }
}

static void counter_name(const ViewerTrackFamily *family, ViewerTrack *track)
{
  const ProfileCounter *counter = get_counter(family->capture, viewer_track_get_index(track));
  g_autofree char *title = viewer_format_name(counter->name, NAME_LENGTH);
  g_autofree char *detail = viewer_format_name(counter->category, NAME_LENGTH);

  viewer_track_set_texts(track, title, detail);
}

const ViewerTrackKind viewer_track_counter = {
    .is_notable = TRUE,
    .find = counter_find,
    .name = counter_name,
    .height = COUNTER_HEIGHT,
    .draw = track_counter_draw,
    .describe_place = describe_place,
    .describe = track_counter_describe,
};
