/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/mark-walk.h"

#include "viewer/canvas/canvas-peers.h"
#include "viewer/pages/timeline/track-kind.h"
#include "viewer/pages/timeline/track-marks.h"
#include "viewer/time/time-draw.h"

/* A mark's number for its peer. */
#define ID(lane, item) ((guint64)(lane) << 40 | (item))
#define ID_LANE(id)    ((guint)((id) >> 40))
#define ID_ITEM(id)    ((gsize)((id) & ((G_GUINT64_CONSTANT(1) << 40) - 1)))

struct _ViewerMarkWalk {
  GObject parent;
  GtkWidget *canvas; /* owns this */
  ViewerTimeline *timeline;
  ViewerTrack *track; /* of marks; NULL none */
  ViewerCanvasPeers *peers;
  guint lane;
  gsize item;
};

G_DEFINE_FINAL_TYPE(ViewerMarkWalk, viewer_mark_walk, G_TYPE_OBJECT)

static const ProfileMarkItem *get_items(ViewerMarkWalk *self, guint lane, gsize *n)
{
  const ViewerTimelineWhole *whole = viewer_timeline_get_scene(self->timeline)->whole;

  *n = 0;
  if (!self->track || !whole)
    return NULL;
  return profile_mark_lanes_get(whole->lanes, viewer_track_get_index(self->track), lane, n);
}

static void add_item(ViewerMarkWalk *self, GArray *found, GPtrArray *names, guint lane, gsize item)
{
  gsize n;
  const ProfileMarkItem *items = get_items(self, lane, &n);

  if (item >= n)
    return;
  ViewerCanvasItem one = {
      .id = ID(lane, item),
      .name = viewer_track_marks_describe(viewer_timeline_get_scene(self->timeline), &items[item]),
      .bounds = viewer_track_marks_get_bounds(viewer_timeline_get_scene(self->timeline), lane, &items[item])};
  g_ptr_array_add(names, (char *)one.name);
  g_array_append_val(found, one);
}

/* In another lane: the first that ends at that time or later, else its last. */
static gsize find_beside(ViewerMarkWalk *self, guint lane, guint64 time)
{
  gsize n;
  const ProfileMarkItem *items = get_items(self, lane, &n);
  gsize item = profile_mark_lanes_find(items, n, time);

  return n > 0 && item == n ? n - 1 : item;
}

void viewer_mark_walk_update(ViewerMarkWalk *self)
{
  g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(ViewerCanvasItem));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  gsize n;
  const ProfileMarkItem *items = get_items(self, self->lane, &n);

  if (n == 0 && self->lane > 0) {
    self->lane = 0;
    items = get_items(self, 0, &n);
  }
  if (n > 0) {
    self->item = MIN(self->item, n - 1);
    add_item(self, found, names, self->lane, self->item);
    if (self->item > 0)
      add_item(self, found, names, self->lane, self->item - 1);
    add_item(self, found, names, self->lane, self->item + 1);
    if (self->lane > 0)
      add_item(self, found, names, self->lane - 1,
               find_beside(self, self->lane - 1, items[self->item].first));
    add_item(self, found, names, self->lane + 1, find_beside(self, self->lane + 1, items[self->item].first));
  }
  viewer_canvas_peers_show(self->peers, (const ViewerCanvasItem *)found->data, found->len);
}

/* What has the focus is to be seen. */
static void mark_walk_reveal(ViewerMarkWalk *self)
{
  const ViewerTimeAxis *axis = viewer_timeline_get_axis(self->timeline);
  gsize n;
  const ProfileMarkItem *items = get_items(self, self->lane, &n);
  double x = viewer_time_axis_get_x(axis, items[self->item].first);

  if (x < 0 || x >= axis->width)
    viewer_timeline_pan(self->timeline, x - axis->width / 2);
}

static gboolean go_to(ViewerMarkWalk *self, guint lane, gsize item)
{
  gsize n;

  get_items(self, lane, &n);
  if (item >= n)
    return FALSE;
  self->lane = lane;
  self->item = item;
  mark_walk_reveal(self);
  viewer_mark_walk_update(self);
  gtk_widget_queue_draw(self->canvas);
  return TRUE;
}

static void take_focused(ViewerCanvasPeers *peers, guint64 id, ViewerMarkWalk *self)
{
  go_to(self, ID_LANE(id), ID_ITEM(id));
}

static gboolean select_mark(ViewerMarkWalk *self, const ProfileMarkItem *item)
{
  ViewerDocument *document = viewer_timeline_get_document(self->timeline);

  if (item->first == item->end)
    return FALSE;
  viewer_query_set_preview(viewer_document_get_query(document), item->first, item->end);
  return TRUE;
}

static gboolean press_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                          ViewerMarkWalk *self)
{
  gsize n;
  const ProfileMarkItem *items = get_items(self, self->lane, &n);

  if (n == 0 || state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK) ||
      !viewer_canvas_peers_have_focus(self->peers))
    return FALSE;
  switch (key) {
  case GDK_KEY_Left:
    return self->item > 0 && go_to(self, self->lane, self->item - 1);
  case GDK_KEY_Right:
    return go_to(self, self->lane, self->item + 1);
  case GDK_KEY_Home:
    return go_to(self, self->lane, 0);
  case GDK_KEY_End:
    return go_to(self, self->lane, n - 1);
  case GDK_KEY_Up:
    return self->lane > 0 &&
           go_to(self, self->lane - 1, find_beside(self, self->lane - 1, items[self->item].first));
  case GDK_KEY_Down:
    return go_to(self, self->lane + 1, find_beside(self, self->lane + 1, items[self->item].first));
  case GDK_KEY_space:
    return select_mark(self, &items[self->item]);
  default:
    return FALSE;
  }
}

void viewer_mark_walk_set_track(ViewerMarkWalk *self, ViewerTrack *track)
{
  if (track && viewer_track_get_kind(track) != &viewer_track_marks)
    track = NULL;
  if (!g_set_object(&self->track, track))
    return;
  self->lane = 0;
  self->item = 0;
  viewer_mark_walk_update(self);
}

void viewer_mark_walk_allocate(ViewerMarkWalk *self)
{
  viewer_canvas_peers_allocate(self->peers);
}

gboolean viewer_mark_walk_grab_focus(ViewerMarkWalk *self)
{
  return viewer_canvas_peers_grab_focus(self->peers);
}

gboolean viewer_mark_walk_focus(ViewerMarkWalk *self)
{
  return viewer_canvas_peers_focus(self->peers);
}

void viewer_mark_walk_snapshot(ViewerMarkWalk *self, GtkSnapshot *snapshot)
{
  GdkRGBA color = viewer_time_draw_get_color(self->canvas, "window_fg_color", "#000000");
  GskRoundedRect outline;
  gsize n;
  const ProfileMarkItem *items = get_items(self, self->lane, &n);

  if (self->item >= n || !viewer_canvas_peers_have_focus(self->peers))
    return;
  graphene_rect_t bounds = viewer_track_marks_get_bounds(viewer_timeline_get_scene(self->timeline),
                                                         self->lane, &items[self->item]);
  graphene_rect_inset(&bounds, -2, -1);
  gsk_rounded_rect_init_from_rect(&outline, &bounds, 3);
  gtk_snapshot_append_border(snapshot, &outline, (float[4]){2, 2, 2, 2},
                             (GdkRGBA[4]){color, color, color, color});
}

static void viewer_mark_walk_dispose(GObject *object)
{
  ViewerMarkWalk *self = VIEWER_MARK_WALK(object);

  if (self->peers)
    g_object_run_dispose(G_OBJECT(self->peers));
  g_clear_object(&self->peers);
  g_clear_object(&self->track);
  g_clear_object(&self->timeline);
  G_OBJECT_CLASS(viewer_mark_walk_parent_class)->dispose(object);
}

static void viewer_mark_walk_class_init(ViewerMarkWalkClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_mark_walk_dispose;
}

static void viewer_mark_walk_init(ViewerMarkWalk *self)
{
}

ViewerMarkWalk *viewer_mark_walk_new(GtkWidget *canvas, ViewerTimeline *timeline)
{
  ViewerMarkWalk *self = g_object_new(VIEWER_TYPE_MARK_WALK, NULL);
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkEventController *focus = gtk_event_controller_focus_new();

  self->canvas = canvas;
  self->timeline = g_object_ref(timeline);
  self->peers = viewer_canvas_peers_new(canvas, GTK_ACCESSIBLE_ROLE_LIST_ITEM);
  g_signal_connect_object(self->peers, "focused", G_CALLBACK(take_focused), self, 0);
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(press_key), self, 0);
  gtk_widget_add_controller(canvas, keys);
  g_signal_connect_object(focus, "enter", G_CALLBACK(gtk_widget_queue_draw), canvas, G_CONNECT_SWAPPED);
  g_signal_connect_object(focus, "leave", G_CALLBACK(gtk_widget_queue_draw), canvas, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(canvas, focus);
  return self;
}
