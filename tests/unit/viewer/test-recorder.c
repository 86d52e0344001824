/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings from the window's side, by a recorder that makes samples up. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/capture/capture.h"
#include "viewer/record/recorder.h"

typedef struct {
  char *directory;
  RecordingOptions *options;
  ViewerRecorder *recorder;
  GString *states; /* a digit each */
  guint n_progress;
} Fixture;

static void set_up(Fixture *f, gconstpointer behaviour)
{
  f->directory = g_dir_make_tmp("recorder-XXXXXX", NULL);
  f->options = recording_options_new();
  f->options->path = g_strdup(f->directory);
  f->states = g_string_new(NULL);
  g_setenv("FAKE_RECORDER", behaviour, TRUE);
}

/* Nothing but the capture, if there is one, may be left. */
static void tear_down(Fixture *f, gconstpointer behaviour)
{
  if (f->recorder && viewer_recorder_get_state(f->recorder) == VIEWER_RECORDER_DONE)
    g_assert_true(g_file_delete(viewer_recorder_get_file(f->recorder), NULL, NULL));
  g_assert_cmpint(g_rmdir(f->directory), ==, 0);
  recording_options_free(f->options);
  g_string_free(f->states, TRUE);
  g_free(f->directory);
  if (f->recorder)
    g_assert_finalize_object(f->recorder);
}

static void on_state(Fixture *f)
{
  g_string_append_printf(f->states, "%d", viewer_recorder_get_state(f->recorder));
}

static void on_progress(Fixture *f)
{
  f->n_progress++;
}

static void set_command(Fixture *f, const char *script)
{
  const char *argv[] = {"/bin/sh", "-c", script, NULL};

  f->options->command = g_strdupv((char **)argv);
}

static void start(Fixture *f)
{
  f->recorder = viewer_recorder_new(f->options);
  g_signal_connect_swapped(f->recorder, "state-changed", G_CALLBACK(on_state), f);
  g_signal_connect_swapped(f->recorder, "progress-changed", G_CALLBACK(on_progress), f);
  viewer_recorder_start(f->recorder);
}

static void wait_for(Fixture *f, ViewerRecorderState state)
{
  while (viewer_recorder_get_state(f->recorder) < state)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpint(viewer_recorder_get_state(f->recorder), ==, state);
}

static guint64 count_samples(Fixture *f)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_file_get_path(viewer_recorder_get_file(f->recorder));
  g_autoptr(ProfileCapture) capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);

  g_assert_no_error(error);
  return profile_capture_get_event(capture, 0)->n_samples;
}

static void test_command(Fixture *f, gconstpointer behaviour)
{
  RecordingProgress progress;

  set_command(f, "sleep 0.6");
  start(f);
  wait_for(f, VIEWER_RECORDER_DONE);
  g_assert_cmpstr(f->states->str, ==, "134"); /* recording, naming, done */
  g_assert_cmpuint(f->n_progress, >, 0);
  viewer_recorder_get_progress(f->recorder, &progress);
  g_assert_cmpuint(progress.samples, >, 0);
  g_assert_cmpuint(count_samples(f), ==, progress.samples);
  g_assert_cmpstr(viewer_recorder_get_title(f->recorder), ==, "/bin/sh -c sleep 0.6");
  g_assert_cmpstr(viewer_recorder_get_notes(f->recorder)[0], ==, "This is a note.");
  g_assert_null(viewer_recorder_get_error(f->recorder));
}

static void test_stop(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  wait_for(f, VIEWER_RECORDER_RECORDING);
  g_assert_true(g_file_query_exists(viewer_recorder_get_file(f->recorder), NULL));
  while (f->n_progress == 0)
    g_main_context_iteration(NULL, TRUE);
  viewer_recorder_stop(f->recorder);
  viewer_recorder_stop(f->recorder);
  wait_for(f, VIEWER_RECORDER_DONE);
  g_assert_cmpstr(f->states->str, ==, "1234");
  g_assert_cmpuint(count_samples(f), >, 0);
}

static void test_discard(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  wait_for(f, VIEWER_RECORDER_RECORDING);
  viewer_recorder_discard(f->recorder);
  viewer_recorder_discard(f->recorder);
  viewer_recorder_stop(f->recorder);
  wait_for(f, VIEWER_RECORDER_DISCARDED);
  g_assert_cmpstr(f->states->str, ==, "125");
}

/* Somebody has put another file in its place: that one is not ours to remove. */
static void test_discard_replaced(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  wait_for(f, VIEWER_RECORDER_RECORDING);
  g_autofree char *path = g_file_get_path(viewer_recorder_get_file(f->recorder));
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_true(g_file_set_contents(path, "precious", -1, NULL));
  viewer_recorder_discard(f->recorder);
  wait_for(f, VIEWER_RECORDER_DISCARDED);
  g_assert_cmpint(g_unlink(path), ==, 0);
}

static void test_stop_before_begin(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  viewer_recorder_stop(f->recorder);
  wait_for(f, VIEWER_RECORDER_DISCARDED);
}

static void assert_failed(Fixture *f, const char *word)
{
  wait_for(f, VIEWER_RECORDER_FAILED);
  const GError *error = viewer_recorder_get_error(f->recorder);
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, word));
}

static void test_not_found(Fixture *f, gconstpointer behaviour)
{
  const char *argv[] = {"no-such-program", NULL};

  f->options->command = g_strdupv((char **)argv);
  start(f);
  assert_failed(f, "no-such-program");
}

static void test_refused(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  f->options->via = RECORDING_VIA_DIRECT;
  start(f);
  assert_failed(f, "");
}

static void test_no_place(Fixture *f, gconstpointer behaviour)
{
  g_free(f->options->path);
  f->options->path = g_strdup("/proc/nowhere");
  f->options->system_wide = TRUE;
  start(f);
  assert_failed(f, "/proc/nowhere");
}

/* Two recordings of one second get two names. */
static void test_names(Fixture *f, gconstpointer behaviour)
{
  const char *argv[] = {"/usr/bin/.odd\nname", NULL};

  f->options->command = g_strdupv((char **)argv);
  g_autoptr(ViewerRecorder) first = viewer_recorder_new(f->options);
  g_autofree char *path = g_file_get_path(viewer_recorder_get_file(first));
  g_autofree char *name = g_path_get_basename(path);
  g_assert_true(g_str_has_prefix(name, "odd_name 2"));
  g_assert_true(g_str_has_suffix(name, ".capture"));
  g_assert_true(g_str_has_prefix(path, f->directory));
}

static void test_long_name(Fixture *f, gconstpointer behaviour)
{
  g_autoptr(GString) name = g_string_new("/");
  char *argv[] = {NULL, NULL};

  while (name->len < 240)
    g_string_append(name, "ä");
  argv[0] = name->str;
  f->options->command = g_strdupv(argv);
  g_autoptr(ViewerRecorder) recorder = viewer_recorder_new(f->options);
  g_autofree char *base = g_file_get_basename(viewer_recorder_get_file(recorder));
  g_assert_cmpuint(strlen(base), <, 140);
  g_assert_true(g_utf8_validate(base, -1, NULL));
}

static void assert_words(const char *text, const char *first, const char *second)
{
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) argv = viewer_recorder_parse_command(text, &error);

  g_assert_no_error(error);
  g_assert_cmpstr(argv[0], ==, first);
  g_assert_cmpstr(argv[1], ==, second);
}

static void assert_no_words(const char *text, const char *word)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(viewer_recorder_parse_command(text, &error));
  g_assert_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, word));
}

static void test_parse(void)
{
  assert_words("ls", "ls", NULL);
  assert_words("  gcc 'a b.c'", "gcc", "a b.c");
  assert_words("\"/a b/c\" \\$x", "/a b/c", "$x");
  assert_no_words("", "no command");
  assert_no_words("   ", "no command");
  assert_no_words("echo 'x", "quotes");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(path, behaviour, function)                                                                       \
  g_test_add("/viewer/recorder/" path, Fixture, behaviour, set_up, function, tear_down)
  ADD("command", "normal", test_command);
  ADD("stop", "normal", test_stop);
  ADD("discard", "normal", test_discard);
  ADD("discard-replaced", "normal", test_discard_replaced);
  ADD("stop-before-begin", "normal", test_stop_before_begin);
  ADD("not-found", "normal", test_not_found);
  ADD("refused", "refuse", test_refused);
  ADD("no-place", "normal", test_no_place);
  ADD("names", "normal", test_names);
  ADD("long-name", "normal", test_long_name);
  g_test_add_func("/viewer/recorder/parse", test_parse);
  return g_test_run();
}
