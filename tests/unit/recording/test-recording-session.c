/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcapture/file/capture-reader.h"
#include "profile/base/zstd.h"
#include "recording/session/session.h"

typedef struct {
  char *directory;
  RecordingOptions *options;
  RecordingSession *session;
  GMainLoop *loop;
  guint n_started, n_progress;
  const RecordingResult *result;
} Fixture;

static void set_up(Fixture *f, gconstpointer behaviour)
{
  f->directory = g_dir_make_tmp("recording-XXXXXX", NULL);
  f->options = recording_options_new();
  f->options->path = g_build_filename(f->directory, "a.capture", NULL);
  f->loop = g_main_loop_new(NULL, FALSE);
  g_setenv("FAKE_RECORDER", behaviour, TRUE);
}

static void tear_down(Fixture *f, gconstpointer behaviour)
{
  g_unlink(f->options->path);
  /* Nothing else may be left. */
  g_assert_cmpint(g_rmdir(f->directory), ==, 0);
  recording_options_free(f->options);
  g_clear_object(&f->session);
  g_main_loop_unref(f->loop);
  g_free(f->directory);
}

static void on_started(RecordingSession *session, gpointer data)
{
  Fixture *f = data;
  g_assert_cmpstr(recording_session_get_events(session)[0], ==, "fake");
  g_assert_cmpstr(recording_session_get_notes(session), ==, "This is a note.");
  g_assert_true(g_file_test(f->options->path, G_FILE_TEST_IS_REGULAR));
  f->n_started++;
}

static void on_progress(RecordingSession *session, gpointer data)
{
  ((Fixture *)data)->n_progress++;
}

static void on_finished(RecordingSession *session, gpointer data)
{
  Fixture *f = data;
  f->result = recording_session_get_result(session);
  g_main_loop_quit(f->loop);
}

static void start(Fixture *f)
{
  g_autoptr(GError) error = NULL;

  f->session = recording_session_new(f->options);
  g_signal_connect(f->session, "started", G_CALLBACK(on_started), f);
  g_signal_connect(f->session, "progress", G_CALLBACK(on_progress), f);
  g_signal_connect(f->session, "finished", G_CALLBACK(on_finished), f);
  recording_session_start(f->session, &error);
  g_assert_no_error(error);
}

static void record(Fixture *f)
{
  start(f);
  g_main_loop_run(f->loop);
}

static void set_command(Fixture *f, const char *script)
{
  const char *argv[] = {"/bin/sh", "-c", script, NULL};
  f->options->command = g_strdupv((char **)argv);
}

/* Reads the capture and checks that it holds what the result says. */
static void check_capture(Fixture *f, gboolean whole)
{
  struct capture_reader_options options = {.size = sizeof options, .decompress = profile_zstd_decompress};
  struct capture_file_header header;
  capture_reader *reader = NULL;
  guint64 samples = 0;
  void *buffer = NULL;
  size_t size = 0;

  int fd = open(f->options->path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(capture_reader_open(&reader, fd, &options), ==, 0);
  close(fd);
  g_assert_cmpint(capture_reader_has_index(reader), ==, whole);
  g_assert_cmpuint(capture_reader_end(reader), ==, capture_reader_size(reader));
  g_assert_cmpuint(capture_reader_size(reader), ==, f->result->progress.size);
  capture_reader_header(reader, &header);
  g_assert_cmpuint(header.ended.reason, ==, f->result->reason);
  g_assert_cmpint(header.ended.status, ==, f->result->status);
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);
    const uint8_t *content;
    size_t length;
    g_assert_cmpint(capture_reader_content(reader, i, &buffer, &size, &content, &length), ==, 0);
    if (part->header.kind == CAPTURE_WINDOW_SAMPLES)
      samples += length / part->header.entry_size;
  }
  g_assert_cmpuint(samples, ==, f->result->progress.samples);
  g_assert_cmpuint(samples, >, 0);
  free(buffer);
  capture_reader_close(reader);
}

static void test_exit(Fixture *f, gconstpointer behaviour)
{
  set_command(f, "sleep 2; exit 7");
  record(f);
  g_assert_no_error(f->result->error);
  g_assert_true(f->result->begun);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_EXITED);
  g_assert_true(f->result->command_exited);
  g_assert_cmpint(WEXITSTATUS(f->result->command_status), ==, 7);
  g_assert_cmpuint(f->n_started, ==, 1);
  g_assert_cmpuint(f->n_progress, >=, 2);
  check_capture(f, TRUE);
}

static void test_uncompressed(Fixture *f, gconstpointer behaviour)
{
  f->options->compress = FALSE;
  set_command(f, "sleep 0.2");
  record(f);
  check_capture(f, TRUE);
}

static void test_duration(Fixture *f, gconstpointer behaviour)
{
  f->options->duration = 200000000;
  set_command(f, "exec sleep 60");
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_DURATION);
  g_assert_true(WIFSIGNALED(f->result->command_status));
  g_assert_cmpint(WTERMSIG(f->result->command_status), ==, SIGTERM);
  g_assert_cmpuint(f->result->progress.elapsed, >=, 200000000);
  check_capture(f, TRUE);
}

static gboolean stop(gpointer data)
{
  recording_session_stop(data, SIGINT);
  return G_SOURCE_REMOVE;
}

static void stop_soon(RecordingSession *session)
{
  g_timeout_add(200, stop, session);
}

static void test_stop(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  g_signal_connect(f->session, "started", G_CALLBACK(stop_soon), NULL);
  g_main_loop_run(f->loop);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_INTERRUPTED);
  g_assert_cmpint(f->result->status, ==, SIGINT);
  g_assert_no_error(f->result->error);
  check_capture(f, TRUE);
}

static gboolean leave(gpointer data)
{
  recording_session_stop(data, SIGINT);
  recording_session_leave(data);
  return G_SOURCE_REMOVE;
}

static void leave_soon(RecordingSession *session)
{
  g_timeout_add(200, leave, session);
}

static void test_leave(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  g_signal_connect(f->session, "started", G_CALLBACK(leave_soon), NULL);
  g_main_loop_run(f->loop);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_INTERRUPTED);
  check_capture(f, TRUE);
}

static void test_stop_before_begin(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  start(f);
  recording_session_stop(f->session, SIGINT);
  g_main_loop_run(f->loop);
  if (f->result->begun)
    g_assert_cmpint(f->result->reason, ==, CAPTURE_END_INTERRUPTED);
  else
    g_assert_error(f->result->error, RECORDING_ERROR, RECORDING_ERROR_CANCELLED);
}

static void test_died(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_RECORDER_DIED);
  g_assert_cmpint(WTERMSIG(f->result->status), ==, SIGKILL);
  g_assert_error(f->result->error, RECORDING_ERROR, RECORDING_ERROR_RECORDER);
  /* Everything that was committed, although the recorder is gone: ten rounds of ten samples. */
  g_assert_cmpuint(f->result->progress.samples, ==, 100);
  check_capture(f, TRUE);
}

static void test_gone(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_TARGETS_GONE);
  g_assert_no_error(f->result->error);
  check_capture(f, TRUE);
}

static void test_failed(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_FAILED);
  g_assert_cmpint(f->result->status, ==, EIO);
  g_assert_cmpstr(f->result->error->message, ==, "The machine is on fire.");
  check_capture(f, TRUE);
}

static void test_garbage(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_FAILED);
  g_assert_cmpint(f->result->status, ==, EPROTO);
  check_capture(f, TRUE);
}

static void test_mute(Fixture *f, gconstpointer behaviour)
{
  f->options->duration = 100000000;
  f->options->system_wide = TRUE;
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_RECORDER_DIED);
  check_capture(f, TRUE);
}

/* It takes longer than a silent one may, and says all the while that it is at work. */
static void test_slow_end(Fixture *f, gconstpointer behaviour)
{
  f->options->duration = 100000000;
  f->options->system_wide = TRUE;
  record(f);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_DURATION);
  g_assert_no_error(f->result->error);
  check_capture(f, TRUE);
}

static void test_lost(Fixture *f, gconstpointer behaviour)
{
  set_command(f, "sleep 0.2");
  record(f);
  g_assert_cmpuint(f->result->progress.lost, ==, 5);
  check_capture(f, TRUE);
}

static void assert_nothing(Fixture *f, RecordingError code, const char *message)
{
  g_assert_false(f->result->begun);
  g_assert_error(f->result->error, RECORDING_ERROR, (int)code);
  g_assert_nonnull(strstr(f->result->error->message, message));
  g_assert_false(g_file_test(f->options->path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint(f->n_started, ==, 0);
}

static void test_refused(Fixture *f, gconstpointer behaviour)
{
  g_autofree char *touched = g_build_filename(f->directory, "touched", NULL);
  g_autofree char *script = g_strdup_printf("touch %s", touched);

  set_command(f, script);
  record(f);
  assert_nothing(f, RECORDING_ERROR_RECORDER, "nonsense");
  g_assert_false(g_file_test(touched, G_FILE_TEST_EXISTS));
}

static void test_died_early(Fixture *f, gconstpointer behaviour)
{
  f->options->system_wide = TRUE;
  record(f);
  assert_nothing(f, RECORDING_ERROR_RECORDER, "status 3");
}

static void test_not_found(Fixture *f, gconstpointer behaviour)
{
  const char *argv[] = {"no-such-program", NULL};
  f->options->command = g_strdupv((char **)argv);
  record(f);
  assert_nothing(f, RECORDING_ERROR_NOT_FOUND, "no-such-program");
}

static void test_not_executable(Fixture *f, gconstpointer behaviour)
{
  const char *argv[] = {"/etc/passwd", NULL};
  f->options->command = g_strdupv((char **)argv);
  record(f);
  assert_nothing(f, RECORDING_ERROR_NOT_EXECUTABLE, "/etc/passwd");
}

static void test_directory(Fixture *f, gconstpointer behaviour)
{
  const char *argv[] = {"./program", NULL};
  g_autofree char *program = g_build_filename(f->directory, "program", NULL);

  g_assert_true(g_file_set_contents(program, "#!/bin/sh\nsleep 0.2\n[ -f ./program ] && exit 3\n", -1, NULL));
  g_assert_cmpint(g_chmod(program, 0700), ==, 0);
  f->options->command = g_strdupv((char **)argv);
  f->options->directory = g_strdup(f->directory);
  record(f);
  g_unlink(program);
  g_assert_no_error(f->result->error);
  g_assert_cmpint(WEXITSTATUS(f->result->command_status), ==, 3);
}

static void test_no_directory(Fixture *f, gconstpointer behaviour)
{
  set_command(f, "true");
  f->options->directory = g_strdup("/no/such/directory");
  record(f);
  assert_nothing(f, RECORDING_ERROR_FAILED, "/no/such/directory");
}

static void test_no_process(Fixture *f, gconstpointer behaviour)
{
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  waitpid(pid, NULL, 0);
  g_array_append_val(f->options->pids, pid);
  record(f);
  assert_nothing(f, RECORDING_ERROR_TARGET, "no process");
}

/* An older capture that someone has open keeps its content. */
static void test_replaced(Fixture *f, gconstpointer behaviour)
{
  char text[4] = "";

  g_assert_true(g_file_set_contents(f->options->path, "old", 3, NULL));
  int fd = open(f->options->path, O_RDONLY | O_CLOEXEC);
  set_command(f, "sleep 0.1");
  record(f);
  g_assert_cmpint(pread(fd, text, 3, 0), ==, 3);
  g_assert_cmpstr(text, ==, "old");
  close(fd);
  check_capture(f, TRUE);
}

static void test_full(Fixture *f, gconstpointer behaviour)
{
  struct rlimit old, small = {8192, RLIM_INFINITY};

  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  f->options->compress = FALSE;
  f->options->system_wide = TRUE;
  setrlimit(RLIMIT_FSIZE, &small);
  record(f);
  setrlimit(RLIMIT_FSIZE, &old);
  g_assert_cmpint(f->result->reason, ==, CAPTURE_END_OUTPUT);
  g_assert_cmpint(f->result->status, ==, EFBIG);
  g_assert_error(f->result->error, RECORDING_ERROR, RECORDING_ERROR_OUTPUT);
  check_capture(f, FALSE);
}

/* Unless descriptors are offered to it, the command inherits nothing that belongs to the recording, and the
 * limits of before. */
static void test_inherited(Fixture *f, gconstpointer behaviour)
{
  g_autofree char *seen = g_build_filename(f->directory, "seen", NULL);
  g_autofree char *script =
      g_strdup_printf("ls -l /proc/self/fd > %s; ulimit -n >> %s; sleep 0.1", seen, seen);
  g_autofree char *text = NULL;
  struct rlimit old, few;

  getrlimit(RLIMIT_NOFILE, &old);
  few = old;
  few.rlim_cur = 345;
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &few), ==, 0);
  set_command(f, script);
  f->options->sysprof = FALSE;
  record(f);
  setrlimit(RLIMIT_NOFILE, &old);
  g_assert_true(g_file_get_contents(seen, &text, NULL, NULL));
  g_unlink(seen);
  g_assert_nonnull(strstr(text, "\n345\n"));
  g_assert_null(strstr(text, "memfd"));
  g_assert_null(strstr(text, "capture"));
  g_assert_null(strstr(text, "pidfd"));
  g_assert_null(strstr(text, "eventfd"));
}

/* The variables that Sysprof's library looks for name descriptors that the command has. */
static void test_offered(Fixture *f, gconstpointer behaviour)
{
  g_autofree char *seen = g_build_filename(f->directory, "seen", NULL);
  g_autofree char *script = g_strdup_printf(
      "for n in $SYSPROF_TRACE_FD $GJS_TRACE_FD $SYSPROF_CONTROL_FD; do readlink /proc/self/fd/$n; done > %s",
      seen);
  g_autofree char *text = NULL;

  set_command(f, script);
  record(f);
  g_assert_true(g_file_get_contents(seen, &text, NULL, NULL));
  g_unlink(seen);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 4);
  g_assert_true(g_str_has_prefix(lines[0], "/memfd:"));
  g_assert_true(g_str_has_prefix(lines[1], "/memfd:"));
  g_assert_true(g_str_has_prefix(lines[2], "socket:"));
}

#define ADD(path, behaviour, function)                                                                       \
  g_test_add("/recording/session/" path, Fixture, behaviour, set_up, function, tear_down)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  /* First, because the limit is raised once. */
  ADD("inherited", "normal", test_inherited);
  ADD("offered", "normal", test_offered);
  ADD("exit", "normal", test_exit);
  ADD("uncompressed", "normal", test_uncompressed);
  ADD("duration", "normal", test_duration);
  ADD("stop", "normal", test_stop);
  ADD("leave", "mute", test_leave);
  ADD("stop-before-begin", "normal", test_stop_before_begin);
  ADD("recorder-died", "die", test_died);
  ADD("targets-gone", "gone", test_gone);
  ADD("recorder-failed", "fail", test_failed);
  ADD("recorder-garbage", "garbage", test_garbage);
  ADD("recorder-ready-again", "again", test_garbage);
  ADD("recorder-mute", "mute", test_mute);
  ADD("recorder-slow-end", "slow-end", test_slow_end);
  ADD("lost", "lose", test_lost);
  ADD("refused", "refuse", test_refused);
  ADD("died-early", "die-early", test_died_early);
  ADD("not-found", "normal", test_not_found);
  ADD("not-executable", "normal", test_not_executable);
  ADD("directory", "normal", test_directory);
  ADD("no-directory", "normal", test_no_directory);
  ADD("no-process", "normal", test_no_process);
  ADD("replaced", "normal", test_replaced);
  ADD("full", "normal", test_full);
  return g_test_run();
}
