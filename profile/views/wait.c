/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/wait.h"

#include <string.h>

#include "profile/base/memory.h"

enum { NAME_MAX_LENGTH = 64 };

/* Kernel functions in which waits are made, of Linux 5.15 to 6.18; sorted by name. */
static const struct {
  const char *name;
  ProfileWait wait;
} table[] = {
    {"__alloc_pages_direct_compact", PROFILE_WAIT_MEMORY},
    {"__blkdev_direct_IO", PROFILE_WAIT_DISK},
    {"__do_semtimedop", PROFILE_WAIT_MESSAGE},
    {"__do_sys_pause", PROFILE_WAIT_SIGNAL},
    {"__do_wait", PROFILE_WAIT_CHILD},
    {"__down_common", PROFILE_WAIT_LOCK},
    {"__folio_lock", PROFILE_WAIT_DISK},
    {"__futex_wait", PROFILE_WAIT_FUTEX},
    {"__inet_stream_connect", PROFILE_WAIT_SOCKET},
    {"__iomap_dio_rw", PROFILE_WAIT_DISK},
    {"__mutex_lock", PROFILE_WAIT_LOCK},
    {"__percpu_down_read", PROFILE_WAIT_LOCK},
    {"__rt_mutex_slowlock", PROFILE_WAIT_LOCK},
    {"__skb_recv_datagram", PROFILE_WAIT_SOCKET},
    {"__skb_wait_for_more_packets", PROFILE_WAIT_SOCKET},
    {"__wait_on_buffer", PROFILE_WAIT_DISK},
    {"__x64_sys_pause", PROFILE_WAIT_SIGNAL},
    {"anon_pipe_read", PROFILE_WAIT_PIPE},
    {"anon_pipe_write", PROFILE_WAIT_PIPE},
    {"balance_dirty_pages", PROFILE_WAIT_DISK},
    {"bit_wait_io", PROFILE_WAIT_DISK},
    {"blk_io_schedule", PROFILE_WAIT_DISK},
    {"blk_mq_get_tag", PROFILE_WAIT_DISK},
    {"blkdev_issue_flush", PROFILE_WAIT_DISK},
    {"common_nsleep", PROFILE_WAIT_SLEEP},
    {"compaction_alloc", PROFILE_WAIT_MEMORY},
    {"do_epoll_wait", PROFILE_WAIT_POLL},
    {"do_fsync", PROFILE_WAIT_DISK},
    {"do_msgrcv", PROFILE_WAIT_MESSAGE},
    {"do_msgsnd", PROFILE_WAIT_MESSAGE},
    {"do_nanosleep", PROFILE_WAIT_SLEEP},
    {"do_poll", PROFILE_WAIT_POLL},
    {"do_select", PROFILE_WAIT_POLL},
    {"do_semtimedop", PROFILE_WAIT_MESSAGE},
    {"do_sigtimedwait", PROFILE_WAIT_SIGNAL},
    {"do_sys_poll", PROFILE_WAIT_POLL},
    {"do_wait", PROFILE_WAIT_CHILD},
    {"ep_poll", PROFILE_WAIT_POLL},
    {"eventfd_read", PROFILE_WAIT_EVENT},
    {"ext4_sync_file", PROFILE_WAIT_DISK},
    {"fcntl_setlk", PROFILE_WAIT_LOCK},
    {"fifo_open", PROFILE_WAIT_PIPE},
    {"filemap_read", PROFILE_WAIT_DISK},
    {"filemap_write_and_wait_range", PROFILE_WAIT_DISK},
    {"folio_wait_bit", PROFILE_WAIT_DISK},
    {"folio_wait_bit_common", PROFILE_WAIT_DISK},
    {"folio_wait_writeback", PROFILE_WAIT_DISK},
    {"futex_lock_pi", PROFILE_WAIT_FUTEX},
    {"futex_wait", PROFILE_WAIT_FUTEX},
    {"futex_wait_multiple", PROFILE_WAIT_FUTEX},
    {"futex_wait_queue", PROFILE_WAIT_FUTEX},
    {"futex_wait_queue_me", PROFILE_WAIT_FUTEX},
    {"futex_wait_requeue_pi", PROFILE_WAIT_FUTEX},
    {"hrtimer_nanosleep", PROFILE_WAIT_SLEEP},
    {"inet_csk_accept", PROFILE_WAIT_SOCKET},
    {"inotify_read", PROFILE_WAIT_EVENT},
    {"io_cqring_wait", PROFILE_WAIT_IO_URING},
    {"io_schedule", PROFILE_WAIT_DISK},
    {"io_schedule_timeout", PROFILE_WAIT_DISK},
    {"io_wq_worker", PROFILE_WAIT_IDLE},
    {"iomap_dio_rw", PROFILE_WAIT_DISK},
    {"irq_thread", PROFILE_WAIT_IDLE},
    {"jbd2_log_wait_commit", PROFILE_WAIT_DISK},
    {"kcompactd", PROFILE_WAIT_IDLE},
    {"kernel_clone", PROFILE_WAIT_CHILD},
    {"kernel_wait4", PROFILE_WAIT_CHILD},
    {"khugepaged", PROFILE_WAIT_IDLE},
    {"kjournald2", PROFILE_WAIT_IDLE},
    {"kswapd", PROFILE_WAIT_IDLE},
    {"kthread", PROFILE_WAIT_IDLE},
    {"kthread_worker_fn", PROFILE_WAIT_IDLE},
    {"kthreadd", PROFILE_WAIT_IDLE},
    {"locks_lock_inode_wait", PROFILE_WAIT_LOCK},
    {"msleep", PROFILE_WAIT_SLEEP},
    {"msleep_interruptible", PROFILE_WAIT_SLEEP},
    {"n_tty_read", PROFILE_WAIT_TERMINAL},
    {"n_tty_write", PROFILE_WAIT_TERMINAL},
    {"oom_reaper", PROFILE_WAIT_IDLE},
    {"percpu_rwsem_wait", PROFILE_WAIT_LOCK},
    {"pipe_read", PROFILE_WAIT_PIPE},
    {"pipe_wait_readable", PROFILE_WAIT_PIPE},
    {"pipe_wait_writable", PROFILE_WAIT_PIPE},
    {"pipe_write", PROFILE_WAIT_PIPE},
    {"poll_schedule_timeout", PROFILE_WAIT_POLL},
    {"rcu_gp_fqs_loop", PROFILE_WAIT_IDLE},
    {"rcu_gp_kthread", PROFILE_WAIT_IDLE},
    {"read_events", PROFILE_WAIT_DISK},
    {"reclaim_throttle", PROFILE_WAIT_MEMORY},
    {"request_wait_answer", PROFILE_WAIT_DISK},
    {"rescuer_thread", PROFILE_WAIT_IDLE},
    {"rpc_wait_bit_killable", PROFILE_WAIT_DISK},
    {"rq_qos_wait", PROFILE_WAIT_DISK},
    {"rwsem_down_read_slowpath", PROFILE_WAIT_LOCK},
    {"rwsem_down_write_slowpath", PROFILE_WAIT_LOCK},
    {"signalfd_dequeue", PROFILE_WAIT_EVENT},
    {"sigsuspend", PROFILE_WAIT_SIGNAL},
    {"sk_stream_wait_memory", PROFILE_WAIT_SOCKET},
    {"sk_wait_data", PROFILE_WAIT_SOCKET},
    {"smpboot_thread_fn", PROFILE_WAIT_IDLE},
    {"sock_alloc_send_pskb", PROFILE_WAIT_SOCKET},
    {"sock_recvmsg", PROFILE_WAIT_SOCKET},
    {"submit_bio_wait", PROFILE_WAIT_DISK},
    {"sync_inodes_sb", PROFILE_WAIT_DISK},
    {"throttle_direct_reclaim", PROFILE_WAIT_MEMORY},
    {"timerfd_read", PROFILE_WAIT_EVENT},
    {"timerfd_read_iter", PROFILE_WAIT_EVENT},
    {"try_to_free_pages", PROFILE_WAIT_MEMORY},
    {"unix_accept", PROFILE_WAIT_SOCKET},
    {"unix_stream_data_wait", PROFILE_WAIT_SOCKET},
    {"unix_stream_read_generic", PROFILE_WAIT_SOCKET},
    {"unix_wait_for_peer", PROFILE_WAIT_SOCKET},
    {"usleep_range_state", PROFILE_WAIT_SLEEP},
    {"vfs_fsync_range", PROFILE_WAIT_DISK},
    {"wait_for_completion_io", PROFILE_WAIT_DISK},
    {"wait_for_partner", PROFILE_WAIT_PIPE},
    {"wait_for_vfork_done", PROFILE_WAIT_CHILD},
    {"wait_on_page_bit", PROFILE_WAIT_DISK},
    {"wait_on_page_bit_common", PROFILE_WAIT_DISK},
    {"worker_thread", PROFILE_WAIT_IDLE},
    {"wq_sleep", PROFILE_WAIT_MESSAGE},
    {"xlog_wait_on_iclog", PROFILE_WAIT_DISK},
};

/* Through which a fault enters the kernel; sorted by name. */
static const char *const faults[] = {"asm_exc_page_fault", "do_mem_abort",   "do_page_fault",
                                     "do_user_addr_fault", "exc_page_fault", "faultin_page",
                                     "handle_mm_fault"};

static const char *const names[PROFILE_WAITS] = {
    [PROFILE_WAIT_UNKNOWN] = "unknown",
    [PROFILE_WAIT_CPU] = "cpu",
    [PROFILE_WAIT_STOPPED] = "stopped",
    [PROFILE_WAIT_SLEEP] = "sleep",
    [PROFILE_WAIT_FUTEX] = "futex",
    [PROFILE_WAIT_POLL] = "poll",
    [PROFILE_WAIT_PIPE] = "pipe",
    [PROFILE_WAIT_SOCKET] = "socket",
    [PROFILE_WAIT_TERMINAL] = "terminal",
    [PROFILE_WAIT_EVENT] = "event",
    [PROFILE_WAIT_IO_URING] = "io_uring",
    [PROFILE_WAIT_DISK] = "disk",
    [PROFILE_WAIT_PAGE_FAULT] = "page-fault",
    [PROFILE_WAIT_MEMORY] = "memory",
    [PROFILE_WAIT_LOCK] = "lock",
    [PROFILE_WAIT_CHILD] = "child",
    [PROFILE_WAIT_SIGNAL] = "signal",
    [PROFILE_WAIT_MESSAGE] = "message",
    [PROFILE_WAIT_IDLE] = "idle",
    [PROFILE_WAIT_OTHER] = "other",
};

static const char *const reasons[] = {"unknown", "preempted", "sleeping", "blocked", "io", "stopped"};

struct _ProfileWaits {
  ProfileCapture *capture;
  const guint32 *functions; /* of nodes */
  const guint32 *parent;
  guint8 *
      tells; /* one a function: 1 + what it tells by itself, TELLS_FAULT, TELLS_NOT_KERNEL; 0 not looked at */
};

enum { TELLS_FAULT = 0x40, TELLS_NOT_KERNEL = 0x80 };

const char *profile_wait_get_name(ProfileWait wait)
{
  return names[wait];
}

const char *profile_reason_get_name(guint reason)
{
  return reasons[reason < G_N_ELEMENTS(reasons) ? reason : CAPTURE_OFF_CPU_UNKNOWN];
}

/* Without what compilers add. False when it is longer than any that is known. */
static gboolean wait_strip(const char *name, char *stripped)
{
  gsize length = strcspn(name, ".");

  if (length >= NAME_MAX_LENGTH)
    return FALSE;
  memcpy(stripped, name, length);
  stripped[length] = '\0';
  return TRUE;
}

static int compare_entry(const void *name, const void *entry)
{
  return strcmp(name, *(const char *const *)entry);
}

ProfileWait profile_wait_of_function(const char *name)
{
  char stripped[NAME_MAX_LENGTH];

  if (!wait_strip(name, stripped))
    return PROFILE_WAIT_UNKNOWN;
  G_STATIC_ASSERT(G_STRUCT_OFFSET(typeof(table[0]), name) == 0);
  const typeof(table[0]) *entry =
      bsearch(stripped, table, G_N_ELEMENTS(table), sizeof table[0], compare_entry);
  return entry ? entry->wait : PROFILE_WAIT_UNKNOWN;
}

static gboolean is_fault(const char *name)
{
  char stripped[NAME_MAX_LENGTH];

  return wait_strip(name, stripped) &&
         bsearch(stripped, faults, G_N_ELEMENTS(faults), sizeof faults[0], compare_entry);
}

/* What needs no stack: UNKNOWN when it needs one. */
static ProfileWait get_wait_of_reason(guint reason)
{
  if (reason == CAPTURE_OFF_CPU_PREEMPTED)
    return PROFILE_WAIT_CPU;
  return reason == CAPTURE_OFF_CPU_STOPPED ? PROFILE_WAIT_STOPPED : PROFILE_WAIT_UNKNOWN;
}

/* What the functions together say; any: whether there were any. */
static ProfileWait wait_conclude(guint reason, ProfileWait innermost, gboolean faulted, gboolean any)
{
  if (innermost == PROFILE_WAIT_UNKNOWN && reason == CAPTURE_OFF_CPU_IO)
    innermost = PROFILE_WAIT_DISK;
  if (faulted && (innermost == PROFILE_WAIT_DISK || innermost == PROFILE_WAIT_UNKNOWN))
    return PROFILE_WAIT_PAGE_FAULT;
  if (innermost == PROFILE_WAIT_UNKNOWN && any)
    return PROFILE_WAIT_OTHER;
  return innermost;
}

ProfileWait profile_wait_of_names(guint reason, const char *const *function_names, gsize n)
{
  ProfileWait wait = get_wait_of_reason(reason), innermost = PROFILE_WAIT_UNKNOWN;
  gboolean faulted = FALSE;

  if (wait != PROFILE_WAIT_UNKNOWN)
    return wait;
  for (gsize i = 0; i < n; i++) {
    if (innermost == PROFILE_WAIT_UNKNOWN)
      innermost = profile_wait_of_function(function_names[i]);
    faulted |= is_fault(function_names[i]);
  }
  return wait_conclude(reason, innermost, faulted, n > 0);
}

ProfileWaits *profile_waits_new(ProfileCapture *capture)
{
  ProfileWaits *self = g_new0(ProfileWaits, 1);
  const guint32 *frame;
  gsize n_nodes, n_functions;

  self->capture = capture;
  self->functions = profile_capture_get_node_functions(capture);
  profile_capture_get_nodes(capture, &self->parent, &frame, &n_nodes);
  profile_capture_get_functions(capture, &n_functions);
  self->tells = profile_new0(guint8, n_functions);
  return self;
}

void profile_waits_free(ProfileWaits *self)
{
  g_free(self->tells);
  g_free(self);
}

static guint8 get_tells(ProfileWaits *self, guint32 function)
{
  guint8 *tells = &self->tells[function];

  if (*tells)
    return *tells;
  if (!profile_capture_function_is_kernel(self->capture, function)) {
    *tells = TELLS_NOT_KERNEL;
  } else {
    const char *name = profile_capture_get_function_name(self->capture, function);
    *tells = (guint8)(1 + profile_wait_of_function(name)) | (is_fault(name) ? TELLS_FAULT : 0);
  }
  return *tells;
}

ProfileWait profile_waits_get(ProfileWaits *self, guint reason, guint32 leaf)
{
  ProfileWait wait = get_wait_of_reason(reason), innermost = PROFILE_WAIT_UNKNOWN;
  gboolean faulted = FALSE, any = FALSE;

  if (wait != PROFILE_WAIT_UNKNOWN)
    return wait;
  for (guint32 node = leaf; node; node = self->parent[node]) {
    guint8 tells = get_tells(self, self->functions[node]);
    if (tells == TELLS_NOT_KERNEL)
      break;
    any = TRUE;
    faulted |= (tells & TELLS_FAULT) != 0;
    if (innermost == PROFILE_WAIT_UNKNOWN)
      innermost = (ProfileWait)((tells & ~TELLS_FAULT) - 1);
  }
  return wait_conclude(reason, innermost, faulted, any);
}
