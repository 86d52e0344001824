/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each test is a process of its own: a filter stays. Root or not: what the filter refuses it refuses both. */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/captured-filter.h"

static long call(const long *arguments)
{
  return syscall(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static void assert_errno(const long *arguments, int expected)
{
  pid_t pid = fork();
  int status;

  if (pid == 0) {
    g_autoptr(GError) error = NULL;
    if (!captured_filter_install(&error))
      _exit(255);
    _exit(call(arguments) < 0 ? errno : 0);
  }
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, expected);
}

static void test_root(void)
{
  static const long calls[][6] = {
      {SYS_setuid, 0},
      {SYS_setgid, 0},
      {SYS_setresuid, 65534, 0, 65534},
      {SYS_setresuid, 65534, 65534, 0},
      {SYS_setresuid, -1, -1, 0},
      {SYS_setresgid, 0, 65534, 65534},
      {SYS_setreuid, -1, 0},
      {SYS_setregid, 0, -1},
      /* the kernel looks at 32 bits */
      {SYS_setuid, 0x100000000},
      {SYS_setfsuid, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
    assert_errno(calls[i], EPERM);
}

static void test_others(void)
{
  static const long calls[][6] = {
#ifndef __SANITIZE_ADDRESS__ /* whose leak detector needs it */
      {SYS_ptrace, PTRACE_TRACEME},
#endif
      {SYS_process_vm_writev, 1},      {SYS_mount, 0, 0, 0, 0},
      {SYS_umount2, 0, MNT_DETACH},    {SYS_chroot, 0},
      {SYS_finit_module, -1},          {SYS_reboot, 0},
      {SYS_open_by_handle_at, -1},     {SYS_syslog, 3},
      {SYS_unshare, CLONE_NEWUSER},    {SYS_unshare, CLONE_NEWNS},
      {SYS_clone, CLONE_NEWUSER | 17}, {SYS_setns, -1},
  };

  for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
    assert_errno(calls[i], EPERM);
  assert_errno((const long[6]){SYS_clone3}, ENOSYS);
}

/* What helpers need: it fails for other reasons than the filter, or not at all. */
static void test_permitted(void)
{
  assert_errno((const long[6]){SYS_perf_event_open, 0}, EFAULT);
  assert_errno((const long[6]){SYS_getpid}, 0);
  if (geteuid() == 0) {
    assert_errno((const long[6]){SYS_bpf, -1}, EINVAL);
    assert_errno((const long[6]){SYS_setresuid, 65534, 65534, 65534}, 0);
    assert_errno((const long[6]){SYS_setresgid, 65534, 65534, 65534}, 0);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/filter/root", test_root);
  g_test_add_func("/captured/filter/others", test_others);
  g_test_add_func("/captured/filter/permitted", test_permitted);
  return g_test_run();
}
