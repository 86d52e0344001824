/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/mark-lanes.h"

#include <stdlib.h>

struct _ProfileMarkLanes {
  GArray *processes; /* guint32 */
  GArray *n_marks;   /* guint64, for each of those */
  GPtrArray *lanes;  /* and a GPtrArray of lanes: GArray of ProfileMarkItem */
};

static guint64 get_end(const ProfileMark *mark)
{
  guint64 end;

  if (!mark->is_span)
    return mark->time;
  return __builtin_add_overflow(mark->time, mark->duration, &end) ? G_MAXUINT64 : end;
}

typedef struct {
  guint32 process, mark;
  guint64 first, end;
} Place;

/* By process; what lasts longer before what begins with it. */
static int compare_places(const void *a, const void *b)
{
  const Place *left = a, *right = b;

  if (left->process != right->process)
    return left->process < right->process ? -1 : 1;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  if (left->end != right->end)
    return left->end > right->end ? -1 : 1;
  return left->mark < right->mark ? -1 : left->mark > right->mark;
}

static GArray *choose_marks(const ProfileFilter *filter)
{
  gsize n;
  guint n_threads;
  ProfileCapture *capture = profile_filter_get_capture(filter);
  const ProfileMark *marks = profile_capture_get_marks(capture, &n);
  const ProfileThread *threads = profile_capture_get_threads(capture, &n_threads);
  const guint8 *passes = profile_filter_get_threads(filter);
  GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));

  for (gsize i = 0; i < MIN(n, G_MAXUINT32); i++) {
    Place place = {threads[marks[i].thread].process, (guint32)i, marks[i].time, get_end(&marks[i])};
    if (!passes || passes[marks[i].thread])
      g_array_append_val(places, place);
  }
  if (places->len > 0)
    qsort(places->data, places->len, sizeof(Place), compare_places);
  return places;
}

static guint64 get_lane_end(const GArray *lane)
{
  return g_array_index(lane, ProfileMarkItem, lane->len - 1).end;
}

/* The first lane that is free then. */
static GArray *find_lane(GPtrArray *lanes, guint64 first, guint max_lanes)
{
  for (guint i = 0; i < lanes->len; i++)
    if (get_lane_end(lanes->pdata[i]) <= first)
      return lanes->pdata[i];
  if (lanes->len == max_lanes)
    return NULL;
  g_ptr_array_add(lanes, g_array_new(FALSE, FALSE, sizeof(ProfileMarkItem)));
  return lanes->pdata[lanes->len - 1];
}

static void add_mark(GPtrArray *lanes, const Place *place, guint max_lanes)
{
  GArray *lane = find_lane(lanes, place->first, max_lanes);
  ProfileMarkItem item = {place->first, place->end, place->mark, 1};

  if (lane) {
    g_array_append_val(lane, item);
    return;
  }
  lane = lanes->pdata[lanes->len - 1];
  ProfileMarkItem *last = &g_array_index(lane, ProfileMarkItem, lane->len - 1);
  last->end = MAX(last->end, place->end);
  last->n++;
}

ProfileMarkLanes *profile_mark_lanes_new(const ProfileFilter *filter, guint max_lanes)
{
  ProfileMarkLanes *self = g_new0(ProfileMarkLanes, 1);
  g_autoptr(GArray) places = choose_marks(filter);
  GPtrArray *lanes = NULL;

  self->processes = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->n_marks = g_array_new(FALSE, TRUE, sizeof(guint64));
  self->lanes = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < places->len; i++) {
    const Place *place = &g_array_index(places, Place, i);
    if (i == 0 || place->process != place[-1].process) {
      lanes = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
      g_ptr_array_add(self->lanes, lanes);
      g_array_append_val(self->processes, place->process);
      g_array_set_size(self->n_marks, self->processes->len);
    }
    g_array_index(self->n_marks, guint64, self->n_marks->len - 1)++;
    add_mark(lanes, place, MAX(max_lanes, 1));
  }
  return self;
}

void profile_mark_lanes_free(ProfileMarkLanes *self)
{
  g_array_unref(self->processes);
  g_array_unref(self->n_marks);
  g_ptr_array_unref(self->lanes);
  g_free(self);
}

const guint32 *profile_mark_lanes_get_processes(const ProfileMarkLanes *self, guint *ret_n)
{
  *ret_n = self->processes->len;
  return (const guint32 *)self->processes->data;
}

static int compare_processes(const void *a, const void *b)
{
  guint32 left = *(const guint32 *)a, right = *(const guint32 *)b;

  return left < right ? -1 : left > right;
}

static gboolean find_process(const ProfileMarkLanes *self, guint32 process, guint *ret_at)
{
  return g_array_binary_search(self->processes, &process, compare_processes, ret_at);
}

static const GPtrArray *get_lanes(const ProfileMarkLanes *self, guint32 process)
{
  guint at;

  return find_process(self, process, &at) ? self->lanes->pdata[at] : NULL;
}

guint64 profile_mark_lanes_count_marks(const ProfileMarkLanes *self, guint32 process)
{
  guint at;

  return find_process(self, process, &at) ? g_array_index(self->n_marks, guint64, at) : 0;
}

guint profile_mark_lanes_get_n_lanes(const ProfileMarkLanes *self, guint32 process)
{
  const GPtrArray *lanes = get_lanes(self, process);

  return lanes ? lanes->len : 0;
}

const ProfileMarkItem *profile_mark_lanes_get(const ProfileMarkLanes *self, guint32 process, guint lane,
                                              gsize *ret_n)
{
  const GPtrArray *lanes = get_lanes(self, process);

  *ret_n = 0;
  if (!lanes || lane >= lanes->len)
    return NULL;
  const GArray *items = lanes->pdata[lane];
  *ret_n = items->len;
  return (const ProfileMarkItem *)items->data;
}

gsize profile_mark_lanes_find(const ProfileMarkItem *items, gsize n, guint64 time)
{
  gsize low = 0, high = n;

  while (low < high) {
    gsize middle = low + (high - low) / 2;
    if (items[middle].end < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
