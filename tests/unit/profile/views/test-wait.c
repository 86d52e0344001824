/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What threads waited for, by the functions of stacks that kernels gave; durations as they are written. */
#include "profile/base/duration.h"
#include "profile/views/wait.h"

typedef struct {
  guint reason;
  ProfileWait wait;
  const char *stack; /* the innermost function first */
} Case;

static const Case cases[] = {
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_SLEEP,
     "__schedule schedule do_nanosleep hrtimer_nanosleep common_nsleep __x64_sys_clock_nanosleep "
     "do_syscall_64"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_FUTEX,
     "__schedule schedule futex_do_wait __futex_wait futex_wait do_futex __x64_sys_futex do_syscall_64"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_FUTEX,
     "__schedule schedule futex_wait_queue futex_wait.isra.0 do_futex __x64_sys_futex"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_POLL,
     "__schedule schedule schedule_hrtimeout_range_clock do_poll.constprop.0 do_sys_poll __x64_sys_poll"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_POLL,
     "__schedule schedule ep_poll do_epoll_wait __x64_sys_epoll_wait"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_PIPE,
     "__schedule schedule pipe_read vfs_read ksys_read do_syscall_64"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_PIPE, "__schedule schedule anon_pipe_read vfs_read ksys_read"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_SOCKET,
     "__schedule schedule schedule_timeout unix_stream_data_wait unix_stream_read_generic "
     "unix_stream_recvmsg"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_TERMINAL,
     "__schedule schedule schedule_timeout wait_woken n_tty_read tty_read"},
    {CAPTURE_OFF_CPU_IO, PROFILE_WAIT_DISK,
     "__schedule schedule io_schedule folio_wait_bit_common filemap_get_pages filemap_read "
     "ext4_file_read_iter"},
    {CAPTURE_OFF_CPU_BLOCKED, PROFILE_WAIT_DISK,
     "__schedule schedule jbd2_log_wait_commit ext4_sync_file do_fsync __x64_sys_fsync"},
    {CAPTURE_OFF_CPU_IO, PROFILE_WAIT_DISK, "__schedule schedule some_driver_that_nobody_knows"},
    {CAPTURE_OFF_CPU_IO, PROFILE_WAIT_PAGE_FAULT,
     "__schedule schedule io_schedule folio_wait_bit_common __folio_lock_or_retry filemap_fault __do_fault "
     "handle_mm_fault "
     "do_user_addr_fault exc_page_fault asm_exc_page_fault"},
    /* Who holds the lock is what is waited for, fault or not. */
    {CAPTURE_OFF_CPU_BLOCKED, PROFILE_WAIT_LOCK,
     "__schedule schedule schedule_preempt_disabled rwsem_down_read_slowpath down_read do_user_addr_fault "
     "exc_page_fault"},
    {CAPTURE_OFF_CPU_BLOCKED, PROFILE_WAIT_LOCK,
     "__schedule schedule schedule_preempt_disabled __mutex_lock.constprop.0 pipe_write vfs_write"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_CHILD, "__schedule schedule do_wait kernel_wait4 __do_sys_wait4"},
    {CAPTURE_OFF_CPU_BLOCKED, PROFILE_WAIT_CHILD,
     "__schedule schedule schedule_timeout wait_for_completion_state wait_for_vfork_done kernel_clone"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_IDLE, "__schedule schedule worker_thread kthread ret_from_fork"},
    {CAPTURE_OFF_CPU_BLOCKED, PROFILE_WAIT_CHILD,
     "__schedule schedule wait_for_completion_state kernel_clone __x64_sys_vfork"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_IDLE, "kauditd_thread kthread ret_from_fork ret_from_fork_asm"},
    {CAPTURE_OFF_CPU_BLOCKED, PROFILE_WAIT_DISK,
     "__schedule schedule io_schedule jbd2_journal_commit_transaction kthread"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_SIGNAL, "__schedule schedule sigsuspend __x64_sys_rt_sigsuspend"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_OTHER, "__schedule schedule something_new"},
    /* Reasons that need no stack. */
    {CAPTURE_OFF_CPU_PREEMPTED, PROFILE_WAIT_CPU, "__schedule schedule pipe_read"},
    {CAPTURE_OFF_CPU_STOPPED, PROFILE_WAIT_STOPPED, "__schedule schedule do_signal_stop get_signal"},
    {CAPTURE_OFF_CPU_SLEEPING, PROFILE_WAIT_UNKNOWN, ""},
    {CAPTURE_OFF_CPU_UNKNOWN, PROFILE_WAIT_FUTEX, "futex_wait_queue"},
};

static void test_stacks(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(GStrv) names = g_strsplit(cases[i].stack, " ", -1);
    ProfileWait wait =
        profile_wait_of_names(cases[i].reason, (const char *const *)names, g_strv_length(names));
    g_test_message("%s", cases[i].stack);
    g_assert_cmpstr(profile_wait_get_name(wait), ==, profile_wait_get_name(cases[i].wait));
  }
}

/* The table is searched by halves: each of its kinds is found from its beginning, middle and end. */
static void test_functions(void)
{
  static const char *const known[] = {"__alloc_pages_direct_compact",
                                      "__do_wait",
                                      "futex_wait",
                                      "io_schedule",
                                      "pipe_read",
                                      "wq_sleep",
                                      "xlog_wait_on_iclog"};
  static const char *const unknown[] = {"", "schedule", "futex", "futex_waitx", ".isra.0", "zzz", "__a"};
  g_autofree char *endless = g_strnfill(1000, 'f');

  for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
    g_assert_cmpint(profile_wait_of_function(known[i]), !=, PROFILE_WAIT_UNKNOWN);
  for (gsize i = 0; i < G_N_ELEMENTS(unknown); i++)
    g_assert_cmpint(profile_wait_of_function(unknown[i]), ==, PROFILE_WAIT_UNKNOWN);
  g_assert_cmpint(profile_wait_of_function(endless), ==, PROFILE_WAIT_UNKNOWN);
  g_assert_cmpint(profile_wait_of_function("pipe_read.cold"), ==, PROFILE_WAIT_PIPE);
}

static void test_names(void)
{
  for (guint i = 0; i < PROFILE_WAITS; i++)
    for (guint j = 0; j < i; j++)
      g_assert_cmpstr(profile_wait_get_name(i), !=, profile_wait_get_name(j));
  g_assert_cmpstr(profile_reason_get_name(CAPTURE_OFF_CPU_PREEMPTED), ==, "preempted");
  g_assert_cmpstr(profile_reason_get_name(CAPTURE_OFF_CPU_STOPPED), ==, "stopped");
  g_assert_cmpstr(profile_reason_get_name(99), ==, "unknown");
}

static void test_durations(void)
{
  static const struct {
    guint64 nanoseconds;
    const char *text;
  } durations[] = {{0, "0 ns"},
                   {999, "999 ns"},
                   {1000, "1.000 µs"},
                   {9999, "9.999 µs"},
                   {12345, "12.35 µs"},
                   {999949, "999.9 µs"},
                   {999950, "1.000 ms"},
                   {99995000, "100.0 ms"},
                   {1234567890, "1.235 s"},
                   {G_GUINT64_CONSTANT(86400000000000), "86400 s"}};

  for (gsize i = 0; i < G_N_ELEMENTS(durations); i++) {
    g_autofree char *text = profile_duration_to_string(durations[i].nanoseconds);
    g_assert_cmpstr(text, ==, durations[i].text);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/wait/stacks", test_stacks);
  g_test_add_func("/profile/wait/functions", test_functions);
  g_test_add_func("/profile/wait/names", test_names);
  g_test_add_func("/profile/wait/durations", test_durations);
  return g_test_run();
}
