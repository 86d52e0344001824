/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline-data.h"

enum {
  MAX_CELLS = 1 << 22, /* of all counters together */
  MIN_SAMPLES_A_BIN = 2
};

typedef struct {
  ProfileFilter *filter;
  guint64 first, end;
  guint n_bins;
} Request;

static void request_free(gpointer data)
{
  Request *request = data;

  profile_filter_free(request->filter);
  g_free(request);
}

static void send_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end, guint n_bins)
{
  Request *request = g_new(Request, 1);

  *request = (Request){filter, first, end, n_bins};
  viewer_latest_request(self, request);
}

static gboolean has_moved(const ProfileCounter *counter)
{
  double resting = counter->totals && counter->n > 0 ? counter->value[0] : 0;

  for (gsize i = 0; i < counter->n; i++)
    if (counter->value[i] != resting)
      return TRUE;
  return FALSE;
}

static GArray *find_moved(ProfileCapture *capture)
{
  GArray *moved = g_array_new(FALSE, FALSE, sizeof(guint32));
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);

  for (guint32 i = 0; i < n; i++)
    if (has_moved(&counters[i]))
      g_array_append_val(moved, i);
  return moved;
}

static gpointer make_whole(gpointer data)
{
  const Request *request = data;
  ViewerTimelineWhole *whole = g_new(ViewerTimelineWhole, 1);

  whole->density = profile_density_new(request->filter, request->first, request->end, 1);
  whole->lanes = profile_mark_lanes_new(request->filter, VIEWER_TIMELINE_MAX_LANES);
  whole->counters = find_moved(profile_filter_get_capture(request->filter));
  return whole;
}

static void whole_free(gpointer data)
{
  ViewerTimelineWhole *whole = data;

  profile_density_free(whole->density);
  profile_mark_lanes_free(whole->lanes);
  g_array_unref(whole->counters);
  g_free(whole);
}

static GPtrArray *make_counters(const Request *request)
{
  guint n;
  const ProfileCounter *counters =
      profile_capture_get_counters(profile_filter_get_capture(request->filter), &n);
  GPtrArray *bins = g_ptr_array_new_with_free_func((GDestroyNotify)profile_counter_bins_free);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add(bins, profile_counter_bins_new(&counters[i], request->first, request->end,
                                                   MIN(request->n_bins, MAX_CELLS / n)));
  return bins;
}

static gpointer make_shown(gpointer data)
{
  const Request *request = data;
  ViewerTimelineShown *shown = g_new(ViewerTimelineShown, 1);

  shown->density = profile_density_new_readable(request->filter, request->first, request->end,
                                                request->n_bins, MIN_SAMPLES_A_BIN);
  shown->counters = make_counters(request);
  return shown;
}

static void shown_free(gpointer data)
{
  ViewerTimelineShown *shown = data;

  profile_density_free(shown->density);
  g_ptr_array_unref(shown->counters);
  g_free(shown);
}

ViewerLatest *viewer_timeline_whole_new(void)
{
  return viewer_latest_new(make_whole, request_free, whole_free);
}

ViewerLatest *viewer_timeline_shown_new(void)
{
  return viewer_latest_new(make_shown, request_free, shown_free);
}

void viewer_timeline_whole_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end)
{
  send_request(self, filter, first, end, 1);
}

void viewer_timeline_shown_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end,
                                   guint n_bins)
{
  send_request(self, filter, first, end, MAX(n_bins, 1));
}
