/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline-tracks.h"

#include "viewer/pages/timeline/track-kind.h"

enum { EXPAND_UP_TO = 12 /* what belongs to a process that is expanded from the beginning */ };

struct _ViewerTimelineTracks {
  GHashTable *known; /* guint64 → ViewerTrack */
};

typedef struct {
  ViewerTimelineTracks *self;
  ProfileCapture *capture;
  const ViewerTimelineWhole *whole;
  GHashTable *counters; /* process → GArray of guint32: counters; 0: the machine's */
  GHashTable *done;     /* processes that have a track */
  GPtrArray *tracks;
  gboolean everything; /* no threads or processes are left out */
} Build;

ViewerTimelineTracks *viewer_timeline_tracks_new(void)
{
  ViewerTimelineTracks *self = g_new0(ViewerTimelineTracks, 1);

  self->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_object_unref);
  return self;
}

void viewer_timeline_tracks_free(ViewerTimelineTracks *self)
{
  g_hash_table_unref(self->known);
  g_free(self);
}

/* A number for a kind and an index, different from that of all others. */
static guint64 make_key(const ViewerTrackKind *kind, guint32 index)
{
  guint64 number = 0;

  while (viewer_track_kind_get((guint)number) != kind)
    number++;
  return number << 32 | index;
}

static ViewerTrack *get_track(Build *build, const ViewerTrackKind *kind, guint32 index, gboolean *ret_is_new)
{
  guint64 key = make_key(kind, index);
  ViewerTrack *track = g_hash_table_lookup(build->self->known, &key);

  *ret_is_new = !track;
  if (!track) {
    track = viewer_track_new(kind, index);
    g_hash_table_insert(build->self->known, g_memdup2(&key, sizeof key), track);
  }
  return track;
}

static GHashTable *group_counters(ProfileCapture *capture, const GArray *moved)
{
  GHashTable *groups = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);

  for (guint i = 0; i < moved->len && g_array_index(moved, guint32, i) < n; i++) {
    guint32 index = g_array_index(moved, guint32, i);
    gpointer process = GUINT_TO_POINTER(counters[index].process);
    GArray *group = g_hash_table_lookup(groups, process);
    if (!group) {
      group = g_array_new(FALSE, FALSE, sizeof(guint32));
      g_hash_table_insert(groups, process, group);
    }
    g_array_append_val(group, index);
  }
  return groups;
}

/* Of all kinds that belong to a head, in their order. */
static guint find_children(const ViewerTrackFamily *family, GPtrArray *kinds, GArray *indices,
                           gboolean *ret_notable)
{
  const ViewerTrackKind *kind;

  *ret_notable = FALSE;
  for (guint i = 0; (kind = viewer_track_kind_get(i)) != NULL; i++) {
    if (!kind->is_head)
      kind->find(family, indices);
    *ret_notable |= kind->is_notable && indices->len > kinds->len;
    while (kinds->len < indices->len)
      g_ptr_array_add(kinds, (gpointer)kind);
  }
  return indices->len;
}

/* Marks and counters are worth seeing at once; so are the threads of what was sampled most. */
static gboolean should_expand(const Build *build, const ViewerTrackFamily *family, guint n_children,
                              gboolean notable)
{
  return family->head == &viewer_track_process && n_children <= EXPAND_UP_TO &&
         (notable || g_hash_table_size(build->done) == 1);
}

static void add_family(Build *build, const ViewerTrackFamily *family)
{
  g_autoptr(GArray) heads = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) indices = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GPtrArray) kinds = g_ptr_array_new();
  gboolean is_new, notable;

  family->head->find(family, heads);
  ViewerTrack *track = get_track(build, family->head, g_array_index(heads, guint32, 0), &is_new);
  guint n = find_children(family, kinds, indices, &notable);
  family->head->name(family, track);
  viewer_track_set_n_children(track, n);
  if (is_new)
    viewer_track_set_expanded(track, should_expand(build, family, n, notable));
  g_ptr_array_add(build->tracks, g_object_ref(track));
  for (guint i = 0; i < n && viewer_track_get_expanded(track); i++) {
    ViewerTrack *child = get_track(build, kinds->pdata[i], g_array_index(indices, guint32, i), &is_new);
    viewer_track_get_kind(child)->name(family, child);
    g_ptr_array_add(build->tracks, g_object_ref(child));
  }
}

static const GArray *get_counters(const Build *build, guint32 process)
{
  return g_hash_table_lookup(build->counters, GUINT_TO_POINTER(process));
}

static void add_machine(Build *build)
{
  const ViewerTrackFamily family = {.head = &viewer_track_machine,
                                    .capture = build->capture,
                                    .whole = build->whole,
                                    .counters = get_counters(build, 0)};

  if (family.counters && build->everything)
    add_family(build, &family);
}

/* threads: those of it with samples. */
static void add_process(Build *build, guint32 process, const guint32 *threads, guint n_threads)
{
  const ViewerTrackFamily family = {.head = &viewer_track_process,
                                    .capture = build->capture,
                                    .whole = build->whole,
                                    .process = process,
                                    .threads = threads,
                                    .n_threads = n_threads,
                                    .counters = process > 0 ? get_counters(build, process) : NULL};

  if (g_hash_table_add(build->done, GUINT_TO_POINTER(process)))
    add_family(build, &family);
}

/* What was idle comes last. */
static gboolean is_idle(const Build *build, guint32 process)
{
  guint n;

  return process > 0 && profile_capture_get_processes(build->capture, &n)[process].pid == 0;
}

static void add_sampled(Build *build, gboolean idle)
{
  guint n, n_threads, end;
  const guint32 *order = profile_density_get_threads(build->whole->density, &n);
  const ProfileThread *threads = profile_capture_get_threads(build->capture, &n_threads);

  for (guint begin = 0; begin < n; begin = end) {
    guint32 process = threads[order[begin]].process;
    for (end = begin; end < n && threads[order[end]].process == process;)
      end++;
    if (is_idle(build, process) == idle)
      add_process(build, process, order + begin, end - begin);
  }
}

/* Processes that told something, but were not sampled. */
static void add_told(Build *build)
{
  guint n, n_processes;
  const guint32 *with_marks = profile_mark_lanes_get_processes(build->whole->lanes, &n);

  for (guint i = 0; i < n; i++)
    add_process(build, with_marks[i], NULL, 0);
  profile_capture_get_processes(build->capture, &n_processes);
  for (guint32 process = 1; build->everything && process < n_processes; process++)
    if (get_counters(build, process))
      add_process(build, process, NULL, 0);
}

GPtrArray *viewer_timeline_tracks_build(ViewerTimelineTracks *self, const ProfileFilter *filter,
                                        const ViewerTimelineWhole *whole)
{
  Build build = {.self = self,
                 .capture = profile_filter_get_capture(filter),
                 .whole = whole,
                 .tracks = g_ptr_array_new_with_free_func(g_object_unref),
                 .everything = !profile_filter_get_threads(filter)};

  build.counters = group_counters(build.capture, whole->counters);
  build.done = g_hash_table_new(NULL, NULL);
  add_machine(&build);
  add_sampled(&build, FALSE);
  add_told(&build);
  add_sampled(&build, TRUE);
  g_hash_table_unref(build.counters);
  g_hash_table_unref(build.done);
  return build.tracks;
}
