/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-marks.h"

#include <glib/gi18n.h>
#include <math.h>

#include "viewer/kit/format.h"
#include "viewer/kit/palette.h"
#include "viewer/pages/timeline/track-kind.h"
#include "viewer/time/time-draw.h"

enum {
  LANE_HEIGHT = 18,
  LANE_GAP = 2,
  MARGIN = 4,
  INSTANT_WIDTH = 3,
  TEXT_FROM = 40, /* pixels */
  NAME_LENGTH = 120,
  MESSAGE_LENGTH = 400,
  REACH = 3 /* pixels beside a mark that still mean it */
};

static const ProfileMarkItem *get_items(const ViewerTimelineScene *scene, guint32 process, guint lane,
                                        gsize *n)
{
  const ViewerTimelineWhole *whole = scene->whole;

  *n = 0;
  return whole ? profile_mark_lanes_get(whole->lanes, process, lane, n) : NULL;
}

static guint count_lanes(const ViewerTimelineScene *scene, guint32 process)
{
  const ViewerTimelineWhole *whole = scene->whole;

  return whole ? profile_mark_lanes_get_n_lanes(whole->lanes, process) : 0;
}

static const ProfileMark *get_mark(const ViewerTimelineScene *scene, guint32 index)
{
  ProfileCapture *capture = scene->capture;
  gsize n = 0;
  const ProfileMark *marks = capture ? profile_capture_get_marks(capture, &n) : NULL;

  return index < n ? &marks[index] : NULL;
}

static int get_height(const ViewerTimelineScene *scene, guint32 process)
{
  return (int)MAX(count_lanes(scene, process), 1) * LANE_HEIGHT + 2 * MARGIN;
}

/* Pixels of an item, wide enough to be seen. */
static void get_extent(const ViewerTimeAxis *axis, const ProfileMarkItem *item, double *left, double *right)
{
  double from = viewer_time_axis_get_x(axis, item->first), to = viewer_time_axis_get_x(axis, item->end);

  if (item->first == item->end) {
    from -= INSTANT_WIDTH / 2.0;
    to = from + INSTANT_WIDTH;
  }
  *left = CLAMP(from, -1, axis->width + 1);
  *right = CLAMP(MAX(to, from + 1), -1, axis->width + 1);
}

static void append_outline(GtkSnapshot *snapshot, const graphene_rect_t *box, const GdkRGBA *color)
{
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect(&outline, box, 0);
  gtk_snapshot_append_border(snapshot, &outline, (float[4]){1, 1, 1, 1},
                             (GdkRGBA[4]){*color, *color, *color, *color});
}

static void draw_box(const ViewerTimelineScene *scene, GtkWidget *widget, GtkSnapshot *snapshot,
                     const ProfileMarkItem *item, double left, double right, double y)
{
  const ProfileMark *mark = get_mark(scene, item->mark);
  graphene_rect_t box =
      GRAPHENE_RECT_INIT((float)left, (float)y, (float)(right - left), LANE_HEIGHT - LANE_GAP);

  if (!mark)
    return;
  ViewerScheme scheme = viewer_scheme_get_current();
  ViewerColor color = viewer_palette_of_name(mark->name, scheme);
  gtk_snapshot_append_color(snapshot, &color.fill, &box);
  if (scheme.high_contrast)
    append_outline(snapshot, &box, &color.text);
  if (right - left < TEXT_FROM || item->n > 1)
    return;
  g_autofree char *name = viewer_format_name(mark->name, NAME_LENGTH);
  gtk_snapshot_push_clip(snapshot, &box);
  viewer_time_draw_text(widget, snapshot, name, left + 4, y, right - left - 6, &color.text);
  gtk_snapshot_pop(snapshot);
}

/* What follows a small item within a pixel and is as small becomes one box with it. Returns the first that
 * does not. */
static gsize join_small(const ViewerTimeAxis *axis, const ProfileMarkItem *items, gsize n, gsize at,
                        double *right)
{
  double next_left, next_right;

  while (at < n && *right < axis->width) {
    gsize next =
        at + profile_mark_lanes_find(items + at, n - at, viewer_time_axis_get_time(axis, *right + 1));
    if (next > at) {
      at = next;
      *right += 1;
      continue;
    }
    get_extent(axis, &items[at], &next_left, &next_right);
    if (next_left > *right + 1 || next_right - next_left > INSTANT_WIDTH)
      break;
    *right = MAX(*right, next_right);
    at++;
  }
  return at;
}

static void draw_lane(const ViewerTimelineScene *scene, GtkWidget *widget, GtkSnapshot *snapshot,
                      const ProfileMarkItem *items, gsize n, double y)
{
  const ViewerTimeAxis *axis = scene->axis;
  gsize at = profile_mark_lanes_find(items, n, axis->first);
  double left, right;

  while (at < n && items[at].first < axis->end) {
    const ProfileMarkItem *item = &items[at++];
    get_extent(axis, item, &left, &right);
    if (right - left <= INSTANT_WIDTH)
      at = join_small(axis, items, n, at, &right);
    draw_box(scene, widget, snapshot, item, left, right, y);
  }
}

static void track_marks_draw(const ViewerTimelineScene *scene, guint32 process, GtkWidget *widget,
                             GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  guint n_lanes = count_lanes(scene, process);
  gsize n;

  for (guint lane = 0; lane < n_lanes; lane++) {
    const ProfileMarkItem *items = get_items(scene, process, lane, &n);
    draw_lane(scene, widget, snapshot, items, n, area->origin.y + MARGIN + (int)lane * LANE_HEIGHT);
  }
}

gboolean viewer_track_marks_find(const ViewerTimelineScene *scene, guint32 process, double x, double y,
                                 ProfileMarkItem *ret_item)
{
  const ViewerTimeAxis *axis = scene->axis;
  double lane = floor((y - MARGIN) / LANE_HEIGHT), left, right, nearest = REACH + 1;
  gsize n;

  if (lane < 0 || lane >= count_lanes(scene, process))
    return FALSE;
  const ProfileMarkItem *items = get_items(scene, process, (guint)lane, &n);
  gsize at = profile_mark_lanes_find(items, n, viewer_time_axis_get_time(axis, x - REACH));
  for (; at < n && nearest > 0; at++) {
    get_extent(axis, &items[at], &left, &right);
    double distance = x < left ? left - x : x > right ? x - right : 0;
    if (left > x + REACH)
      break;
    if (distance < nearest) {
      *ret_item = items[at];
      nearest = distance;
    }
  }
  return nearest <= REACH;
}

graphene_rect_t viewer_track_marks_get_bounds(const ViewerTimelineScene *scene, guint lane,
                                              const ProfileMarkItem *item)
{
  double left, right;

  get_extent(scene->axis, item, &left, &right);
  return GRAPHENE_RECT_INIT((float)left, (float)(MARGIN + lane * LANE_HEIGHT), (float)(right - left),
                            LANE_HEIGHT - LANE_GAP);
}

char *viewer_track_marks_describe(const ViewerTimelineScene *scene, const ProfileMarkItem *item)
{
  const ProfileMark *mark = get_mark(scene, item->mark);
  GString *text = g_string_new(NULL);

  if (!mark)
    return g_string_free(text, FALSE);
  g_autofree char *name = viewer_format_name(mark->name, NAME_LENGTH);
  g_autofree char *category = viewer_format_name(mark->category, NAME_LENGTH);
  g_autofree char *time = viewer_time_axis_format_exactly(scene->axis, item->first);
  g_autofree char *lasts = viewer_format_duration(item->end - item->first);
  if (item->n > 1)
    g_string_append_printf(text, ngettext("%u mark", "%u marks", item->n), item->n);
  else if (*category)
    /* TRANSLATORS: A mark's category and its name. */
    g_string_append_printf(text, _("%s: %s"), category, name);
  else
    g_string_append(text, name);
  if (item->n == 1 && mark->message) {
    g_autofree char *message = viewer_format_name(mark->message, MESSAGE_LENGTH);
    g_string_append_printf(text, "\n%s", message);
  }
  if (item->first == item->end)
    g_string_append_printf(text, "\n%s", time);
  else
    /* TRANSLATORS: When a mark began and how long it lasted. */
    g_string_append_printf(text, _("\n%s for %s"), time, lasts);
  if (item->n == 1 && mark->is_unfinished)
    g_string_append_printf(text, "\n%s", _("Had not ended when the recording did"));
  return g_string_free(text, FALSE);
}

static void track_marks_find(const ViewerTrackFamily *family, GArray *indices)
{
  if (family->head == &viewer_track_process &&
      profile_mark_lanes_get_n_lanes(family->whole->lanes, family->process) > 0)
    g_array_append_val(indices, family->process);
}

static void track_marks_name(const ViewerTrackFamily *family, ViewerTrack *track)
{
  viewer_track_set_texts(track, _("Marks"), "");
}

static char *describe_place(const ViewerTimelineScene *scene, guint32 process, double x, double y)
{
  ProfileMarkItem item;

  return viewer_track_marks_find(scene, process, x, y, &item) ? viewer_track_marks_describe(scene, &item)
                                                              : NULL;
}

static char *track_marks_describe(const ViewerTimelineScene *scene, guint32 process)
{
  const ViewerTimelineWhole *whole = scene->whole;
  guint64 n_marks = profile_mark_lanes_count_marks(whole->lanes, process);
  g_autofree char *count = viewer_format_count(n_marks);

  return g_strdup_printf(ngettext("%s mark", "%s marks", n_marks), count);
}

static guint32 get_process(ProfileCapture *capture, guint32 process)
{
  return process;
}

/* The index is that of the process whose marks they are. */
const ViewerTrackKind viewer_track_marks = {
    .is_notable = TRUE,
    .find = track_marks_find,
    .name = track_marks_name,
    .get_height = get_height,
    .draw = track_marks_draw,
    .describe_place = describe_place,
    .describe = track_marks_describe,
    .get_process = get_process,
};
