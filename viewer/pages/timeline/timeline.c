/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline.h"

#include "profile/capture/span.h"
#include "viewer/document/untimed.h"
#include "viewer/pages/timeline/timeline-tracks.h"

enum { PIXELS_A_BIN = 2 };

struct _ViewerTimeline {
  GObject parent;
  ViewerDocument *document;
  ViewerUntimed *untimed;
  ProfileFilter *filter; /* of that; NULL: no capture */
  ViewerTimeAxis axis;
  ViewerLatest *whole, *shown;
  ViewerTimelineScene scene; /* as it was last asked for */
  ViewerTimelineTracks *tracks;
  GListStore *store;
};

G_DEFINE_FINAL_TYPE(ViewerTimeline, viewer_timeline, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

ViewerDocument *viewer_timeline_get_document(ViewerTimeline *self)
{
  return self->document;
}

GListModel *viewer_timeline_get_tracks(ViewerTimeline *self)
{
  return G_LIST_MODEL(self->store);
}

const ViewerTimeAxis *viewer_timeline_get_axis(ViewerTimeline *self)
{
  return &self->axis;
}

ProfileCapture *viewer_timeline_get_capture(ViewerTimeline *self)
{
  return viewer_untimed_get_capture(self->untimed);
}

const ViewerTimelineScene *viewer_timeline_get_scene(ViewerTimeline *self)
{
  self->scene = (ViewerTimelineScene){.axis = &self->axis,
                                      .capture = viewer_timeline_get_capture(self),
                                      .whole = viewer_latest_get(self->whole),
                                      .shown = viewer_latest_get(self->shown)};
  return &self->scene;
}

gboolean viewer_timeline_is_loaded(ViewerTimeline *self)
{
  return viewer_latest_get(self->whole) != NULL;
}

static void request_shown(ViewerTimeline *self)
{
  if (self->filter && self->axis.width > 1)
    viewer_timeline_shown_request(self->shown, profile_filter_copy(self->filter), self->axis.first,
                                  self->axis.end, (guint)(self->axis.width / PIXELS_A_BIN));
}

/* Replaces what differs between the first and the last track that does, so that the others keep their rows.
 */
static void replace_tracks(GListStore *store, GPtrArray *tracks)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(store)), head = 0, tail = 0;

  for (; head < MIN(n, tracks->len); head++) {
    g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(store), head);
    if (item != tracks->pdata[head])
      break;
  }
  for (; tail < MIN(n, tracks->len) - head; tail++) {
    g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(store), n - 1 - tail);
    if (item != tracks->pdata[tracks->len - 1 - tail])
      break;
  }
  if (n - head - tail > 0 || tracks->len - head - tail > 0)
    g_list_store_splice(store, head, n - head - tail, tracks->pdata + head, tracks->len - head - tail);
}

static void build_tracks(ViewerTimeline *self)
{
  const ViewerTimelineWhole *whole = viewer_latest_get(self->whole);

  if (!whole || !self->filter)
    return;
  g_autoptr(GPtrArray) tracks = viewer_timeline_tracks_build(self->tracks, self->filter, whole);
  replace_tracks(self->store, tracks);
}

static void take_whole(ViewerTimeline *self)
{
  build_tracks(self);
  g_signal_emit(self, signals[CHANGED], 0);
}

static void take_shown(ViewerTimeline *self)
{
  g_signal_emit(self, signals[CHANGED], 0);
}

void viewer_timeline_set_expanded(ViewerTimeline *self, ViewerTrack *track, gboolean expanded)
{
  viewer_track_set_expanded(track, expanded);
  build_tracks(self);
}

static void timeline_forget(ViewerTimeline *self)
{
  viewer_latest_clear(self->whole);
  viewer_latest_clear(self->shown);
  g_list_store_remove_all(self->store);
  viewer_timeline_tracks_free(self->tracks);
  self->tracks = viewer_timeline_tracks_new();
}

void viewer_timeline_update(ViewerTimeline *self)
{
  guint64 first = 0, end = 1;

  if (!viewer_untimed_update(self->untimed, self->document))
    return;
  ProfileCapture *capture = viewer_timeline_get_capture(self);
  g_clear_pointer(&self->filter, profile_filter_free);
  if (capture) {
    self->filter = viewer_query_make_filter(viewer_document_get_query(self->document), capture, FALSE);
    profile_span_get(capture, &first, &end);
    viewer_timeline_whole_request(self->whole, profile_filter_copy(self->filter), first, end);
  }
  viewer_time_axis_set_limits(&self->axis, first, end);
  request_shown(self);
  g_signal_emit(self, signals[CHANGED], 0);
}

void viewer_timeline_set_document(ViewerTimeline *self, ViewerDocument *document)
{
  double width = self->axis.width;

  if (!g_set_object(&self->document, document))
    return;
  timeline_forget(self);
  viewer_untimed_update(self->untimed, NULL);
  g_clear_pointer(&self->filter, profile_filter_free);
  viewer_time_axis_init(&self->axis, 0, 1);
  viewer_time_axis_set_width(&self->axis, width);
}

static void notice_axis(ViewerTimeline *self)
{
  request_shown(self);
  g_signal_emit(self, signals[CHANGED], 0);
}

void viewer_timeline_set_width(ViewerTimeline *self, double width)
{
  if (width == self->axis.width)
    return;
  viewer_time_axis_set_width(&self->axis, width);
  notice_axis(self);
}

void viewer_timeline_show(ViewerTimeline *self, guint64 first, guint64 end)
{
  if (viewer_time_axis_show(&self->axis, first, end))
    notice_axis(self);
}

void viewer_timeline_show_all(ViewerTimeline *self)
{
  viewer_timeline_show(self, self->axis.low, self->axis.high);
}

void viewer_timeline_zoom(ViewerTimeline *self, double factor, double x)
{
  if (viewer_time_axis_zoom(&self->axis, factor, x))
    notice_axis(self);
}

void viewer_timeline_pan(ViewerTimeline *self, double pixels)
{
  if (viewer_time_axis_pan(&self->axis, pixels))
    notice_axis(self);
}

static void viewer_timeline_dispose(GObject *object)
{
  ViewerTimeline *self = VIEWER_TIMELINE(object);

  g_clear_object(&self->whole);
  g_clear_object(&self->shown);
  g_clear_object(&self->store);
  g_clear_object(&self->document);
  g_clear_pointer(&self->untimed, viewer_untimed_free);
  g_clear_pointer(&self->filter, profile_filter_free);
  g_clear_pointer(&self->tracks, viewer_timeline_tracks_free);
  G_OBJECT_CLASS(viewer_timeline_parent_class)->dispose(object);
}

static void viewer_timeline_class_init(ViewerTimelineClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_timeline_dispose;
  signals[CHANGED] = g_signal_new("changed", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
}

static void viewer_timeline_init(ViewerTimeline *self)
{
  self->untimed = viewer_untimed_new();
  self->tracks = viewer_timeline_tracks_new();
  self->store = g_list_store_new(VIEWER_TYPE_TRACK);
  self->whole = viewer_timeline_whole_new();
  self->shown = viewer_timeline_shown_new();
  g_signal_connect_object(self->whole, "ready", G_CALLBACK(take_whole), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->shown, "ready", G_CALLBACK(take_shown), self, G_CONNECT_SWAPPED);
  viewer_time_axis_init(&self->axis, 0, 1);
}

ViewerTimeline *viewer_timeline_new(void)
{
  return g_object_new(VIEWER_TYPE_TIMELINE, NULL);
}
