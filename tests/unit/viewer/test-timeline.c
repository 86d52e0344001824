/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time line without its widgets: which tracks there are, what is counted, and what is not counted anew.
 */
#include <glib/gstdio.h>

#include "tests/unit/profile/capture-fixture.h"
#include "viewer/document/untimed.h"
#include "viewer/kit/latest.h"
#include "viewer/pages/timeline/timeline.h"
#include "viewer/pages/timeline/track-kind.h"

typedef struct {
  char *path;
  GArray *samples; /* TestSample */
  ViewerDocument *document;
  ViewerTimeline *timeline;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
  const TestPlan plan = {.n_samples = 3000, .n_streams = 1, .epochs = 1, .seed = 13};

  fixture->samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  fixture->path = test_capture_write(&plan, fixture->samples);
  g_autoptr(GFile) file = g_file_new_for_path(fixture->path);
  fixture->document = viewer_document_new(file);
  viewer_document_open(fixture->document);
  while (viewer_document_get_state(fixture->document) != VIEWER_DOCUMENT_READY)
    g_main_context_iteration(NULL, TRUE);
  fixture->timeline = viewer_timeline_new();
  viewer_timeline_set_document(fixture->timeline, fixture->document);
  viewer_timeline_set_width(fixture->timeline, 400);
  viewer_timeline_update(fixture->timeline);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_object(&fixture->timeline);
  viewer_document_cancel(fixture->document);
  while (g_main_context_iteration(NULL, FALSE))
    ;
  g_clear_object(&fixture->document);
  g_array_unref(fixture->samples);
  g_remove(fixture->path);
  g_free(fixture->path);
}

static void count_signal(guint *n)
{
  (*n)++;
}

/* Until what is asked for is there, and nothing more comes. */
static void wait_for_data(Fixture *fixture)
{
  const ViewerTimeAxis *axis = viewer_timeline_get_axis(fixture->timeline);

  for (;;) {
    const ViewerTimelineShown *shown = viewer_timeline_get_scene(fixture->timeline)->shown;
    guint64 first = 0, end = 0;
    if (shown)
      profile_density_get_span(shown->density, &first, &end);
    if (viewer_timeline_is_loaded(fixture->timeline) && first == axis->first && end == axis->end)
      return;
    g_main_context_iteration(NULL, TRUE);
  }
}

static ViewerTrack *get_track(Fixture *fixture, guint i)
{
  GListModel *tracks = viewer_timeline_get_tracks(fixture->timeline);
  g_autoptr(ViewerTrack) track = g_list_model_get_item(tracks, i);

  g_assert_nonnull(track);
  return track;
}

static guint64 count_pid(Fixture *fixture, int pid)
{
  guint64 n = 0;

  for (guint i = 0; i < fixture->samples->len; i++)
    n += g_array_index(fixture->samples, TestSample, i).pid == pid;
  return n;
}

/* Process 100 has two threads and more samples; its threads are shown, those of the other are not. */
static void test_tracks(Fixture *fixture, gconstpointer data)
{
  GListModel *tracks = viewer_timeline_get_tracks(fixture->timeline);

  wait_for_data(fixture);
  g_assert_cmpuint(g_list_model_get_n_items(tracks), ==, 4);
  ViewerTrack *first = get_track(fixture, 0), *second = get_track(fixture, 3);
  g_assert_cmpstr(viewer_track_get_title(first), ==, "first");
  g_assert_cmpstr(viewer_track_get_detail(first), ==, "Process 100 · 2 threads");
  g_assert_true(viewer_track_get_kind(get_track(fixture, 1)) == &viewer_track_thread);
  g_assert_cmpstr(viewer_track_get_title(get_track(fixture, 1)), ==, "worker");
  g_assert_cmpstr(viewer_track_get_title(second), ==, "second");
  g_assert_cmpuint(viewer_track_get_n_children(second), ==, 0);
  viewer_timeline_set_expanded(fixture->timeline, first, FALSE);
  g_assert_cmpuint(g_list_model_get_n_items(tracks), ==, 2);
  g_assert_true(get_track(fixture, 0) == first);
  g_assert_true(get_track(fixture, 1) == second);
  viewer_timeline_set_expanded(fixture->timeline, first, TRUE);
  g_assert_cmpuint(g_list_model_get_n_items(tracks), ==, 4);
}

static void test_counts(Fixture *fixture, gconstpointer data)
{
  wait_for_data(fixture);
  const ViewerTimelineShown *shown = viewer_timeline_get_scene(fixture->timeline)->shown;
  for (guint i = 0; i < 4; i += 3) {
    ViewerTrack *track = get_track(fixture, i);
    g_assert_cmpuint(profile_density_get_process_total(shown->density, viewer_track_get_index(track)), ==,
                     count_pid(fixture, i == 0 ? 100 : 101));
  }
  g_autofree char *text =
      viewer_track_describe(viewer_timeline_get_scene(fixture->timeline), get_track(fixture, 0));
  g_autofree char *time = g_strdup_printf(", %.1f ms", (double)count_pid(fixture, 100) * 0.25);
  g_assert_true(g_str_has_suffix(text, time));
}

/* A dragged span changes nothing that is counted here; a filter of threads does. */
static void test_time_is_not_counted(Fixture *fixture, gconstpointer data)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);
  g_autoptr(ViewerUntimed) untimed = viewer_untimed_new();
  const guint32 thread = 1;

  g_assert_true(viewer_untimed_update(untimed, fixture->document));
  g_assert_false(viewer_untimed_update(untimed, fixture->document));
  viewer_query_set_preview(query, 5000, 9000);
  g_assert_false(viewer_untimed_update(untimed, fixture->document));
  viewer_query_commit_preview(query, "span");
  g_assert_false(viewer_untimed_update(untimed, fixture->document));
  g_autoptr(ViewerStep) step = viewer_step_new_items(VIEWER_STEP_THREADS, &thread, 1, "thread");
  viewer_query_push(query, step);
  g_assert_true(viewer_untimed_update(untimed, fixture->document));
  g_assert_true(viewer_untimed_update(untimed, NULL));
  g_assert_null(viewer_untimed_get_capture(untimed));
}

static void test_filter(Fixture *fixture, gconstpointer data)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);

  wait_for_data(fixture);
  const guint32 process = viewer_track_get_index(get_track(fixture, 3));
  g_autoptr(ViewerStep) step = viewer_step_new_items(VIEWER_STEP_PROCESSES, &process, 1, "second");
  viewer_query_push(query, step);
  viewer_timeline_update(fixture->timeline);
  while (g_list_model_get_n_items(viewer_timeline_get_tracks(fixture->timeline)) != 1)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpstr(viewer_track_get_title(get_track(fixture, 0)), ==, "second");
}

static void test_zoom(Fixture *fixture, gconstpointer data)
{
  const ViewerTimeAxis *axis = viewer_timeline_get_axis(fixture->timeline);
  guint n_changed = 0;

  wait_for_data(fixture);
  g_signal_connect_swapped(fixture->timeline, "changed", G_CALLBACK(count_signal), &n_changed);
  viewer_timeline_zoom(fixture->timeline, 4, 200);
  g_assert_cmpuint(n_changed, ==, 1);
  g_assert_false(viewer_time_axis_shows_all(axis));
  wait_for_data(fixture);
  viewer_timeline_show_all(fixture->timeline);
  g_assert_true(viewer_time_axis_shows_all(axis));
  viewer_timeline_show_all(fixture->timeline);
  wait_for_data(fixture);
}

static gpointer make(gpointer request)
{
  return g_strdup(request);
}

/* The last one of many requests wins, and those between are not made at all. */
static void test_latest(void)
{
  g_autoptr(ViewerLatest) latest = viewer_latest_new(make, g_free, g_free);
  guint n_ready = 0;

  g_signal_connect_swapped(latest, "ready", G_CALLBACK(count_signal), &n_ready);
  for (guint i = 0; i < 100; i++)
    viewer_latest_request(latest, g_strdup_printf("%u", i));
  while (g_strcmp0(viewer_latest_get(latest), "99") != 0)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(n_ready, ==, 2);
  viewer_latest_request(latest, g_strdup("unwanted"));
  viewer_latest_clear(latest);
  g_assert_null(viewer_latest_get(latest));
  viewer_latest_request(latest, g_strdup("wanted"));
  while (!viewer_latest_get(latest))
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpstr(viewer_latest_get(latest), ==, "wanted");
  g_assert_cmpuint(n_ready, ==, 3);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*function)(Fixture *fixture, gconstpointer data);
  } tests[] = {{"tracks", test_tracks},
               {"counts", test_counts},
               {"time-is-not-counted", test_time_is_not_counted},
               {"filter", test_filter},
               {"zoom", test_zoom}};

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/timeline/latest", test_latest);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_autofree char *path = g_strdup_printf("/viewer/timeline/%s", tests[i].name);
    g_test_add(path, Fixture, NULL, set_up, tests[i].function, tear_down);
  }
  return g_test_run();
}
