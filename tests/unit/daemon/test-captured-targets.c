/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "daemon/captured-targets.h"
#include "tests/unit/descriptors.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

static pid_t start_sleeper(void)
{
  pid_t pid = fork();

  if (pid == 0)
    for (;;)
      pause();
  return pid;
}

static void end(pid_t pid)
{
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

/* Takes the descriptor. */
static void assert_refused(int fd, CapturedError code)
{
  g_autoptr(GUnixFDList) fds = g_unix_fd_list_new_from_array(&fd, 1);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(fd, >=, 0);
  g_assert_null(captured_targets_new((gint32[]){0}, 1, fds, &error));
  g_assert_error(error, CAPTURED_ERROR, (int)code);
}

static void test_pidfds(void)
{
  pid_t pids[] = {getpid(), start_sleeper()};
  int pidfds[] = {pidfd_open(pids[0], 0), pidfd_open(pids[1], 0)};
  g_autoptr(GUnixFDList) fds = g_unix_fd_list_new_from_array(pidfds, 2);
  g_autoptr(GError) error = NULL;
  g_autoptr(CapturedTargets) targets = captured_targets_new((gint32[]){1, 0}, 2, fds, &error);
  g_autofree char *described = NULL, *expected = g_strdup_printf("%d %d", (int)pids[1], (int)pids[0]);

  g_assert_no_error(error);
  g_assert_cmpint(targets->pids[0], ==, pids[1]);
  g_assert_cmpint(targets->pids[1], ==, pids[0]);
  described = captured_targets_describe(targets);
  g_assert_cmpstr(described, ==, expected);
  g_assert_true(captured_targets_check_alive(targets, &error));
  end(pids[1]);
  g_assert_false(captured_targets_check_alive(targets, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_TARGET_GONE);
}

/* Also what used to pass for a pidfd: the process's directory in /proc. */
static void test_others(void)
{
  int pipes[2];

  g_assert_cmpint(pipe(pipes), ==, 0);
  close(pipes[1]);
  assert_refused(pipes[0], CAPTURED_ERROR_INVALID_TARGET);
  assert_refused(open("/proc/self", O_RDONLY | O_DIRECTORY), CAPTURED_ERROR_INVALID_TARGET);
  assert_refused(open("/proc/self", O_PATH), CAPTURED_ERROR_INVALID_TARGET);
  assert_refused(open("/dev/null", O_RDWR), CAPTURED_ERROR_INVALID_TARGET);
  assert_refused(open("/proc/self/fdinfo/0", O_RDONLY), CAPTURED_ERROR_INVALID_TARGET);
  assert_refused(eventfd(0, 0), CAPTURED_ERROR_INVALID_TARGET);
}

static void test_thread(void)
{
  int fd = pidfd_open(getpid(), PIDFD_THREAD);

  if (fd >= 0) /* a kernel that knows them */
    assert_refused(fd, CAPTURED_ERROR_INVALID_TARGET);
}

static void test_ended(void)
{
  pid_t pid = start_sleeper();
  int zombie = pidfd_open(pid, 0), reaped = pidfd_open(pid, 0);
  siginfo_t info;

  kill(pid, SIGKILL);
  waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
  assert_refused(zombie, CAPTURED_ERROR_TARGET_GONE);
  waitpid(pid, NULL, 0);
  assert_refused(reaped, CAPTURED_ERROR_TARGET_GONE);
}

static void test_handles(void)
{
  static const gint32 handles[][2] = {{0, 0}, {0, 1}, {0, -1}, {0, G_MAXINT32}, {G_MININT32, 0}};
  int fd = pidfd_open(getpid(), 0);
  g_autoptr(GUnixFDList) fds = g_unix_fd_list_new_from_array(&fd, 1);

  for (guint i = 0; i < G_N_ELEMENTS(handles); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_null(captured_targets_new(handles[i], 2, fds, &error));
    g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_TARGET);
  }
  g_assert_null(captured_targets_new(handles[0], 1, NULL, NULL));
}

static void test_nothing_stays_open(void)
{
  guint before = count_descriptors();

  test_pidfds();
  test_others();
  test_handles();
  g_assert_cmpuint(count_descriptors(), ==, before);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/targets/pidfds", test_pidfds);
  g_test_add_func("/captured/targets/others", test_others);
  g_test_add_func("/captured/targets/thread", test_thread);
  g_test_add_func("/captured/targets/ended", test_ended);
  g_test_add_func("/captured/targets/handles", test_handles);
  g_test_add_func("/captured/targets/nothing-stays-open", test_nothing_stays_open);
  return g_test_run();
}
