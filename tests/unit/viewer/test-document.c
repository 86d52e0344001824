/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A document and its query: that what pages get is what profile/ says of the same filter, whatever way one
 * came there. */
#include <glib/gstdio.h>

#include "profile/views/rows.h"
#include "tests/unit/profile/capture-fixture.h"
#include "viewer/document/document.h"

/* Long after the last sample. */
#define ENDED (G_GUINT64_CONSTANT(1) << 40)

typedef struct {
  char *path;
  GArray *samples; /* TestSample */
  ViewerDocument *document;
  guint n_weights; /* times that "weights-changed" came */
} Fixture;

static void on_weights(Fixture *fixture)
{
  fixture->n_weights++;
}

static void set_up(Fixture *fixture, gconstpointer data)
{
  const TestPlan plan = {
      .n_samples = 3000, .n_streams = 2, .epochs = 2, .compress = TRUE, .seed = 11, .ended = ENDED};
  g_autoptr(GFile) file = NULL;

  fixture->samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  fixture->path = test_capture_write(&plan, fixture->samples);
  file = g_file_new_for_path(fixture->path);
  fixture->document = viewer_document_new(file);
  g_signal_connect_swapped(fixture->document, "weights-changed", G_CALLBACK(on_weights), fixture);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  viewer_document_cancel(fixture->document);
  while (g_main_context_iteration(NULL, FALSE))
    ;
  g_clear_object(&fixture->document);
  g_array_unref(fixture->samples);
  g_remove(fixture->path);
  g_free(fixture->path);
}

/* Runs until `n` more weights came. */
static ProfileWeights *wait_for_weights(Fixture *fixture, guint n)
{
  guint wanted = fixture->n_weights + n;

  while (fixture->n_weights < wanted)
    g_main_context_iteration(NULL, TRUE);
  return viewer_document_get_weights(fixture->document);
}

/* Until the weights are those of the capture that stays. */
static ProfileWeights *open_document(Fixture *fixture)
{
  ProfileWeights *weights = NULL;

  viewer_document_open(fixture->document);
  while (viewer_document_get_state(fixture->document) != VIEWER_DOCUMENT_READY || !weights ||
         profile_weights_get_capture(weights) != viewer_document_get_capture(fixture->document)) {
    g_main_context_iteration(NULL, TRUE);
    weights = viewer_document_get_weights(fixture->document);
  }
  return weights;
}

static guint64 count_between(const Fixture *fixture, guint64 first, guint64 end)
{
  guint64 n = 0;

  for (guint i = 0; i < fixture->samples->len; i++) {
    guint64 time = g_array_index(fixture->samples, TestSample, i).time;
    n += time >= first && time < end;
  }
  return n;
}

static guint64 get_time(const Fixture *fixture, double share)
{
  guint64 first = g_array_index(fixture->samples, TestSample, 0).time;
  guint64 last = g_array_index(fixture->samples, TestSample, fixture->samples->len - 1).time;

  return first + (guint64)(share * (double)(last - first));
}

static void test_opens(Fixture *fixture, gconstpointer data)
{
  ProfileWeights *weights = open_document(fixture);

  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, fixture->samples->len);
  g_assert_null(viewer_document_get_activity(fixture->document));
}

static void test_missing(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GFile) file = g_file_new_for_path("/nonexistent/a.capture");
  g_autoptr(ViewerDocument) document = viewer_document_new(file);

  viewer_document_open(document);
  while (viewer_document_get_state(document) == VIEWER_DOCUMENT_LOADING)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpint(viewer_document_get_state(document), ==, VIEWER_DOCUMENT_FAILED);
  g_assert_error(viewer_document_get_error(document), G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_assert_null(viewer_document_get_capture(document));
}

static void assert_time(const Fixture *fixture, guint64 expected_first, guint64 expected_end)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);
  guint64 first, end;

  viewer_query_get_time(query, viewer_document_get_capture(fixture->document), &first, &end);
  g_assert_cmpuint(first, ==, expected_first);
  g_assert_cmpuint(end, ==, expected_end);
}

/* Spans lie in one another; a preview counts like a step and becomes one. */
static void test_time(Fixture *fixture, gconstpointer data)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);
  g_autoptr(ViewerStep) step = NULL;
  guint64 from = get_time(fixture, 0.2), to = get_time(fixture, 0.7), later = get_time(fixture, 0.5);
  ProfileWeights *weights;

  open_document(fixture);
  assert_time(fixture, TEST_BEGAN, ENDED + 1);
  step = viewer_step_new_time(from, to, "outer");
  viewer_query_push(query, step);
  assert_time(fixture, from, to);
  weights = wait_for_weights(fixture, 1);
  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, count_between(fixture, from, to));

  viewer_query_set_preview(query, later, get_time(fixture, 0.9));
  weights = wait_for_weights(fixture, 1);
  assert_time(fixture, later, to);
  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, count_between(fixture, later, to));
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(query)), ==, 1);

  viewer_query_commit_preview(query, "inner");
  weights = wait_for_weights(fixture, 1);
  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, count_between(fixture, later, to));
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(query)), ==, 2);
}

static void test_undo(Fixture *fixture, gconstpointer data)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);
  const guint32 thread = 1;
  g_autoptr(ViewerStep) time = viewer_step_new_time(get_time(fixture, 0.1), get_time(fixture, 0.4), "time");
  g_autoptr(ViewerStep) threads = viewer_step_new_items(VIEWER_STEP_THREADS, &thread, 1, "thread");

  open_document(fixture);
  g_assert_false(viewer_query_undo(query));
  viewer_query_push(query, time);
  viewer_query_push(query, threads);
  g_assert_true(viewer_query_undo(query));
  g_assert_true(viewer_query_can_redo(query));
  g_assert_true(viewer_query_redo(query));
  g_assert_false(viewer_query_redo(query));
  viewer_query_go_back_to(query, 0);
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(query)), ==, 0);
  viewer_query_push(query, threads);
  g_assert_false(viewer_query_can_redo(query));
  g_autoptr(ProfileFilter) filter = profile_filter_new(viewer_document_get_capture(fixture->document));
  profile_filter_add_thread(filter, thread);
  g_autoptr(ProfileWeights) wanted = profile_weights_new(filter);
  while (profile_weights_get_sum(wait_for_weights(fixture, 1)).count != profile_weights_get_sum(wanted).count)
    ;
}

/* Of many queries in a row the last one is answered, and fewer weights are made than were asked for. */
static void test_last_wins(Fixture *fixture, gconstpointer data)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);
  guint64 first = get_time(fixture, 0), end = 0;
  guint before;

  open_document(fixture);
  before = fixture->n_weights;
  for (guint i = 1; i <= 100; i++) {
    end = get_time(fixture, i / 101.0);
    viewer_query_set_preview(query, first, end);
  }
  while (profile_weights_get_sum(wait_for_weights(fixture, 1)).count != count_between(fixture, first, end))
    ;
  g_assert_cmpuint(fixture->n_weights - before, <=, 2);
}

static guint32 find_function(ProfileCapture *capture, ProfileWeights *weights)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);

  g_assert_cmpuint(profile_rows_get_n(rows), >, 0);
  return profile_rows_get(rows, 0).item;
}

static void test_transform(Fixture *fixture, gconstpointer data)
{
  ViewerQuery *query = viewer_document_get_query(fixture->document);
  ProfileWeights *weights = open_document(fixture);
  ProfileTransform transform = {.kind = PROFILE_TRANSFORM_DROP_FUNCTION,
                                .function =
                                    find_function(viewer_document_get_capture(fixture->document), weights)};
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
  guint64 dropped = profile_rows_get(rows, 0).total.count;
  g_autoptr(ViewerStep) step = viewer_step_new_transform(&transform, "Drop");

  viewer_query_push(query, step);
  weights = wait_for_weights(fixture, 1);
  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, fixture->samples->len - dropped);
  viewer_query_undo(query);
  weights = wait_for_weights(fixture, 1);
  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, fixture->samples->len);
}

static void count_up(guint *count)
{
  (*count)++;
}

static void test_selection(Fixture *fixture, gconstpointer data)
{
  const guint32 path[] = {3, 1, 2};
  guint n, told = 0;

  g_signal_connect_swapped(fixture->document, "selection-changed", G_CALLBACK(count_up), &told);
  viewer_document_select(fixture->document, path, 3);
  viewer_document_select(fixture->document, path, 3);
  g_assert_cmpuint(told, ==, 1);
  g_assert_cmpuint(viewer_document_get_selection(fixture->document, &n)[2], ==, 2);
  g_assert_cmpuint(n, ==, 3);
  viewer_document_select(fixture->document, NULL, 0);
  g_assert_cmpuint(told, ==, 2);
  viewer_document_get_selection(fixture->document, &n);
  g_assert_cmpuint(n, ==, 0);
}

static void add(const char *name, void (*test)(Fixture *, gconstpointer))
{
  g_test_add(name, Fixture, NULL, set_up, test, tear_down);
}

/* Processes and files may be called anything; what is shown of them is text, on one line. */
static void test_names(void)
{
  static const guint32 process = 1;
  g_autofree char *path = g_strconcat(g_get_tmp_dir(), "/b\xff\n.capture", NULL);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(ViewerDocument) document = viewer_document_new(file);
  g_autofree char *name = g_strnfill(5000, 'n');
  g_autoptr(ViewerStep) odd = viewer_step_new_items(VIEWER_STEP_PROCESSES, &process, 1, "a\xff\nb");
  g_autoptr(ViewerStep) lengthy = viewer_step_new_items(VIEWER_STEP_PROCESSES, &process, 1, name);

  g_assert_cmpstr(viewer_step_get_label(odd), ==, "a\uFFFD b");
  g_assert_cmpint(g_utf8_strlen(viewer_step_get_label(lengthy), -1), <=, 200);
  g_assert_cmpstr(viewer_document_get_title(document), ==, "b\uFFFD .capture");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/viewer/document/opens", test_opens);
  add("/viewer/document/missing", test_missing);
  add("/viewer/document/time", test_time);
  add("/viewer/document/undo", test_undo);
  add("/viewer/document/last-wins", test_last_wins);
  add("/viewer/document/transform", test_transform);
  add("/viewer/document/selection", test_selection);
  g_test_add_func("/viewer/document/names", test_names);
  return g_test_run();
}
