/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers that were taken over: whatever they say is an error of that one recording, and nothing of it stays.
 */
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "daemon/captured-recorder.h"
#include "tests/unit/descriptors.h"

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref(result);
}

static GAsyncResult *await(GAsyncResult **result)
{
  while (!*result)
    g_main_context_iteration(NULL, TRUE);
  return *result;
}

/* Children are killed a second after they are hung up on; to reap them is the main loop's. */
static void wait_for_children(void)
{
  siginfo_t info;

  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    g_main_context_iteration(NULL, TRUE);
}

/* Windows are looked at once a second. */
static void check_nothing_stays(guint before)
{
  wait_for_children();
  for (guint i = 0; count_descriptors() > before && i < 1000; i++) {
    while (g_main_context_iteration(NULL, FALSE))
      ;
    g_usleep(10000);
  }
  g_assert_cmpuint(count_descriptors(), ==, before);
}

/* For all tests: to see windows go takes a descriptor. */
static CapturedLedger *ledger;

static CapturedEntry *enter(GError **error)
{
  return captured_ledger_enter(ledger, 0, 1, error);
}

static CapturedRecorder *configure(const char *how, GError **error)
{
  g_autoptr(GVariant) wish = g_variant_ref_sink(
      g_variant_new_parsed("{'system-wide': <true>, 'events': <[(%s, @t 100, @t 0)]>}", how));
  g_autoptr(CapturedOptions) options = captured_options_new(wish, error);
  g_autoptr(CapturedTargets) targets = captured_targets_new(NULL, 0, NULL, error);
  g_autoptr(CapturedEntry) entry = enter(error);
  g_autoptr(CapturedRecorder) recorder = captured_recorder_new(CAPTURED_SCOPE_SYSTEM, error);
  g_autoptr(GAsyncResult) result = NULL;

  g_assert_no_error(*error);
  captured_recorder_charge(recorder, entry, NULL);
  captured_recorder_configure_async(recorder, options, targets, NULL, on_done, &result);
  captured_recorder_configure_finish(recorder, await(&result), error);
  return g_steal_pointer(&recorder);
}

/* GLib opens what it needs to wait for children when it first does. */
static void warm_up(void)
{
  g_autoptr(CapturedIdle) idle = captured_idle_new(0);
  g_autoptr(GError) error = NULL;

  ledger = captured_ledger_new(idle, &error);
  g_assert_no_error(error);

  g_object_unref(configure("short", &error));
  wait_for_children();
}

static void test_refused(gconstpointer how)
{
  guint before = count_descriptors();
  g_autoptr(GError) error = NULL;
  CapturedRecorder *recorder = configure(how, &error);

  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
  g_assert_true(g_utf8_validate(error->message, -1, NULL));
  g_object_unref(recorder);
  check_nothing_stays(before);
}

static void test_unterminated(void)
{
  guint before = count_descriptors();
  g_autoptr(GError) error = NULL;
  CapturedRecorder *recorder = configure("ready-unterminated", &error);

  g_assert_no_error(error);
  const struct recorder_ready *ready = captured_recorder_get_ready(recorder);
  g_assert_cmpuint(strlen(ready->events[0]), ==, RECORDER_EVENT_NAME_MAX - 1);
  g_assert_cmpuint(strlen(ready->notes), ==, RECORDER_TEXT_MAX - 1);
  g_object_unref(recorder);
  check_nothing_stays(before);
}

static CapturedRecorder *start(const char *how, GError **error)
{
  CapturedRecorder *recorder = configure(how, error);
  g_autoptr(GAsyncResult) result = NULL;

  g_assert_no_error(*error);
  captured_recorder_start_async(recorder, on_done, &result);
  captured_recorder_start_finish(recorder, await(&result), error);
  return recorder;
}

static void test_ready_twice(void)
{
  guint before = count_descriptors();
  g_autoptr(GError) error = NULL;
  CapturedRecorder *recorder = start("ready-twice", &error);

  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
  g_object_unref(recorder);
  check_nothing_stays(before);
}

/* Who never stops talking does not keep the service from its other work. */
static void test_flood(void)
{
  guint before = count_descriptors();
  g_autoptr(GError) error = NULL;
  CapturedRecorder *recorder = start("flood", &error);

  g_assert_no_error(error);
  for (guint i = 0; i < 10; i++)
    captured_recorder_update(recorder);
  g_object_unref(recorder);
  check_nothing_stays(before);
}

static pid_t start_target(const char *name)
{
  pid_t pid = fork();

  if (pid == 0) {
    prctl(PR_SET_NAME, name);
    for (;;)
      pause();
  }
  g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)pid);
  g_autofree char *expected = g_strconcat(name, "\n", NULL);
  g_autofree char *text = NULL;
  while (g_strcmp0(text, expected) != 0) {
    g_clear_pointer(&text, g_free);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  }
  return pid;
}

static void test_proof(gconstpointer name)
{
  if (geteuid() != 0) {
    g_test_skip("to become somebody takes root");
    return;
  }
  guint before = count_descriptors();
  gid_t group = getegid();
  CapturedAccount account = {.uid = geteuid(), .gid = group, .n_groups = 1, .groups = &group};
  pid_t target = start_target(name);
  int pidfd = pidfd_open(target, 0);
  g_autoptr(GError) error = NULL;
  GUnixFDList *fds = g_unix_fd_list_new_from_array(&pidfd, 1);
  CapturedTargets *targets = captured_targets_new((gint32[]){0}, 1, fds, &error);
  g_autoptr(GAsyncResult) result = NULL;
  CapturedOpener *opener = captured_opener_new(&account, &error);

  g_assert_no_error(error);
  captured_opener_prove_async(opener, target, targets, on_done, &result);
  gboolean proven = captured_opener_prove_finish(opener, await(&result), &error);
  g_assert_cmpint(proven, ==, g_str_equal(name, "orderly"));
  if (!proven)
    g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
  g_clear_object(&result);
  g_object_unref(opener);
  captured_targets_free(targets);
  g_object_unref(fds);
  kill(target, SIGKILL);
  waitpid(target, NULL, 0);
  check_nothing_stays(before);
}

int main(int argc, char **argv)
{
  static const char *const refused[] = {"short",
                                        "large",
                                        "lies",
                                        "half",
                                        "unknown",
                                        "status-with-fds",
                                        "started",
                                        "ended",
                                        "ready-many-events",
                                        "ready-one-fd",
                                        "ready-200-fds",
                                        "ready-unwind",
                                        NULL};
  static const char *const proofs[] = {"orderly", "dies",        "short", "lies",     "type",
                                       "kind",    "descriptors", "error", "negative", NULL};

  g_test_init(&argc, &argv, NULL);
  warm_up();
  for (guint i = 0; refused[i]; i++) {
    g_autofree char *path = g_strconcat("/captured/recorder/", refused[i], NULL);
    g_test_add_data_func(path, refused[i], test_refused);
  }
  g_test_add_func("/captured/recorder/unterminated", test_unterminated);
  g_test_add_func("/captured/recorder/ready-twice", test_ready_twice);
  g_test_add_func("/captured/recorder/flood", test_flood);
  for (guint i = 0; proofs[i]; i++) {
    g_autofree char *path = g_strconcat("/captured/opener/", proofs[i], NULL);
    g_test_add_data_func(path, proofs[i], test_proof);
  }
  return g_test_run();
}
