/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline-tracks.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

enum {
  NAME_LENGTH = 80,
  EXPAND_UP_TO = 12 /* what belongs to a process that is expanded from the beginning */
};

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

static ViewerTrack *get_track(Build *build, ViewerTrackKind kind, guint32 index, gboolean *ret_is_new)
{
  guint64 key = VIEWER_TRACK_KEY(kind, index);
  ViewerTrack *track = g_hash_table_lookup(build->self->known, &key);

  if (ret_is_new)
    *ret_is_new = !track;
  if (!track) {
    track = viewer_track_new(kind, index);
    g_hash_table_insert(build->self->known, g_memdup2(&key, sizeof key), track);
  }
  return track;
}

static void add_track(Build *build, ViewerTrack *track)
{
  g_ptr_array_add(build->tracks, g_object_ref(track));
}

static gboolean is_of_cpu(const ProfileCounter *counter)
{
  return strcmp(counter->category, "CPU") == 0;
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

static guint count_counters(const Build *build, guint32 process)
{
  const GArray *group = g_hash_table_lookup(build->counters, GUINT_TO_POINTER(process));

  return group ? group->len : 0;
}

static void add_counter(Build *build, const ProfileCounter *counter, guint32 index)
{
  ViewerTrack *track = get_track(build, VIEWER_TRACK_COUNTER, index, NULL);
  g_autofree char *title = viewer_format_name(counter->name, NAME_LENGTH);
  g_autofree char *detail = viewer_format_name(counter->category, NAME_LENGTH);

  viewer_track_set_texts(track, title, detail);
  add_track(build, track);
}

/* Those of processors first. */
static void add_counters(Build *build, guint32 process)
{
  const GArray *group = g_hash_table_lookup(build->counters, GUINT_TO_POINTER(process));
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(build->capture, &n);

  for (guint others = 0; group && others < 2; others++)
    for (guint i = 0; i < group->len; i++) {
      guint32 index = g_array_index(group, guint32, i);
      if (is_of_cpu(&counters[index]) != (others == 1))
        add_counter(build, &counters[index], index);
    }
}

/* How busy the processors were says most about a machine. */
static guint32 choose_counter(const ProfileCounter *counters, const GArray *group)
{
  for (guint i = 0; i < group->len; i++)
    if (is_of_cpu(&counters[g_array_index(group, guint32, i)]))
      return g_array_index(group, guint32, i);
  return g_array_index(group, guint32, 0);
}

static void add_machine(Build *build)
{
  const GArray *group = g_hash_table_lookup(build->counters, GUINT_TO_POINTER(0));
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(build->capture, &n);

  if (!group || !build->everything)
    return;
  guint32 index = choose_counter(counters, group);
  ViewerTrack *track = get_track(build, VIEWER_TRACK_MACHINE, index, NULL);
  g_autofree char *name = viewer_format_name(counters[index].name, NAME_LENGTH);
  g_autofree char *category = viewer_format_name(counters[index].category, NAME_LENGTH);
  /* TRANSLATORS: A counter's category and its name. */
  g_autofree char *detail = *category ? g_strdup_printf(_("%s: %s"), category, name) : g_strdup(name);
  viewer_track_set_texts(track, _("Counters"), detail);
  viewer_track_set_n_children(track, group->len > 1 ? group->len : 0);
  add_track(build, track);
  if (viewer_track_get_expanded(track))
    add_counters(build, 0);
}

static void add_marks(Build *build, guint32 process)
{
  ViewerTrack *track = get_track(build, VIEWER_TRACK_MARKS, process, NULL);

  viewer_track_set_texts(track, _("Marks"), "");
  add_track(build, track);
}

static void add_thread(Build *build, guint32 index)
{
  guint n;
  const ProfileThread *thread = &profile_capture_get_threads(build->capture, &n)[index];
  ViewerTrack *track = get_track(build, VIEWER_TRACK_THREAD, index, NULL);
  g_autofree char *title = viewer_format_name(thread->name ? thread->name : "", NAME_LENGTH);
  /* TRANSLATORS: The number of a thread. */
  g_autofree char *detail = g_strdup_printf(_("Thread %d"), thread->tid);

  viewer_track_set_texts(track, *title ? title : _("Not Known"), index > 0 ? detail : "");
  add_track(build, track);
}

static void describe_process(Build *build, ViewerTrack *track, guint32 index, guint n_threads)
{
  guint n;
  const ProfileProcess *process = &profile_capture_get_processes(build->capture, &n)[index];
  g_autofree char *title = viewer_format_name(process->name ? process->name : "", NAME_LENGTH);
  g_autofree char *number = g_strdup_printf(_("Process %d"), process->pid);
  g_autofree char *threads = g_strdup_printf(ngettext("%u thread", "%u threads", n_threads), n_threads);
  g_autofree char *detail = n_threads > 1 ? g_strdup_printf("%s · %s", number, threads) : g_strdup(number);

  viewer_track_set_texts(track, *title ? title : _("Not Known"), index > 0 ? detail : "");
}

/* Marks and counters are worth seeing at once; so are the threads of what was sampled most. */
static gboolean should_expand(const Build *build, guint n_children, guint n_told)
{
  return n_children <= EXPAND_UP_TO && (n_told > 0 || g_hash_table_size(build->done) == 1);
}

/* threads: those of it with samples. */
static void add_process(Build *build, guint32 process, const guint32 *threads, guint n_threads)
{
  gboolean has_marks = profile_mark_lanes_get_n_lanes(build->whole->lanes, process) > 0, is_new;
  guint n_counters = process > 0 ? count_counters(build, process) : 0;
  guint n_children = has_marks + n_counters + (n_threads > 1 ? n_threads : 0);
  ViewerTrack *track = get_track(build, VIEWER_TRACK_PROCESS, process, &is_new);

  if (!g_hash_table_add(build->done, GUINT_TO_POINTER(process)))
    return;
  describe_process(build, track, process, n_threads);
  viewer_track_set_n_children(track, n_children);
  if (is_new)
    viewer_track_set_expanded(track, should_expand(build, n_children, has_marks + n_counters));
  add_track(build, track);
  if (!viewer_track_get_expanded(track))
    return;
  if (has_marks)
    add_marks(build, process);
  if (n_counters > 0)
    add_counters(build, process);
  for (guint i = 0; n_threads > 1 && i < n_threads; i++)
    add_thread(build, threads[i]);
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
    if (count_counters(build, process) > 0)
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
