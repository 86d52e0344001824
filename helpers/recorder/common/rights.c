/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/common/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/text-file.h"

/* An event for each thread and CPU takes many descriptors. */
#define FILES_WANTED (1u << 20)

static const int most[] = {CAP_PERFMON,        CAP_BPF,    CAP_IPC_LOCK,
                           CAP_SYS_PTRACE,     CAP_SYSLOG, CAP_CHECKPOINT_RESTORE,
                           CAP_DAC_READ_SEARCH};
/* Since 254 systemd gives it to every program of a user at the seat, and without SYS_PTRACE the kernel lets
 * nobody look into a process that has a capability which they lack. */
static const int to_look[] = {CAP_WAKE_ALARM};
static const int for_own[] = {CAP_PERFMON, CAP_BPF, CAP_IPC_LOCK};
static const int until_events_are_open[] = {CAP_SYS_PTRACE};
static const int for_root[] = {CAP_SETUID, CAP_SETGID, CAP_SETPCAP, CAP_SYS_CHROOT, CAP_KILL};

/* Kernels of Debian and Ubuntu refuse perf_event_open to all without it while perf_event_paranoid is above 2.
 * It is permitted then, and effective for that system call alone. */
static const int to_open_events[] = {CAP_SYS_ADMIN};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct capabilities {
  struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

static struct __user_cap_header_struct rights_header(void)
{
  return (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
}

static void rights_permit(struct capabilities *kept, const struct capabilities *had, const int *list,
                          size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint32_t word = CAP_TO_INDEX(list[i]), bit = CAP_TO_MASK(list[i]);
    kept->words[word].permitted |= had->words[word].permitted & bit;
  }
}

static void rights_add(struct capabilities *kept, const struct capabilities *had, const int *list,
                       size_t count)
{
  rights_permit(kept, had, list, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t word = CAP_TO_INDEX(list[i]), bit = CAP_TO_MASK(list[i]);
    kept->words[word].effective |= kept->words[word].permitted & bit;
  }
}

static int rights_get(struct capabilities *ret)
{
  struct __user_cap_header_struct which = rights_header();
  return syscall(SYS_capget, &which, ret->words) < 0 ? -errno : 0;
}

static int rights_set(const struct capabilities *capabilities)
{
  struct __user_cap_header_struct which = rights_header();
  return syscall(SYS_capset, &which, capabilities->words) < 0 ? -errno : 0;
}

static void raise_file_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return;
  struct rlimit more = {FILES_WANTED, FILES_WANTED};
  if (limit.rlim_max >= more.rlim_max || setrlimit(RLIMIT_NOFILE, &more) < 0)
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){limit.rlim_max, limit.rlim_max});
}

int recorder_rights_begin(void)
{
  struct capabilities had = {0}, kept = {0};
  raise_file_limit();
  int result = rights_get(&had);
  if (result < 0)
    return result;
  rights_add(&kept, &had, most, COUNT(most));
  if (geteuid() == 0)
    rights_add(&kept, &had, for_root, COUNT(for_root));
  if (!recorder_rights_has(CAP_SYS_PTRACE))
    rights_add(&kept, &had, to_look, COUNT(to_look));
  if (recorder_rights_paranoid() > 2)
    rights_permit(&kept, &had, to_open_events, COUNT(to_open_events));
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
      prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
    return -errno;
  return rights_set(&kept);
}

int recorder_rights_narrow(bool open_events, struct recorder_error *error)
{
  struct capabilities had = {0}, kept = {0};
  int result = rights_get(&had);
  if (result == 0) {
    rights_add(&kept, &had, for_own, COUNT(for_own));
    if (open_events) {
      rights_add(&kept, &had, until_events_are_open, COUNT(until_events_are_open));
      rights_permit(&kept, &had, to_open_events, COUNT(to_open_events));
    }
    result = rights_set(&kept);
  }
  return result == 0 ? 0
                     : recorder_error_set(error, -result, "The recorder cannot give up its rights: %s.",
                                          strerror(-result));
}

int recorder_rights_open_event(const struct perf_event_attr *attr, int32_t tid, int cpu)
{
  struct capabilities had = {0}, raised;
  bool raise = rights_get(&had) == 0 &&
               (had.words[CAP_TO_INDEX(CAP_SYS_ADMIN)].permitted & CAP_TO_MASK(CAP_SYS_ADMIN));
  raised = had;
  rights_add(&raised, &had, to_open_events, COUNT(to_open_events));
  if (raise)
    rights_set(&raised);
  int fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  int result = fd < 0 ? -errno : fd;
  if (raise)
    rights_set(&had);
  return result;
}

int recorder_rights_paranoid(void)
{
  return (int)text_file_number("/proc/sys/kernel/perf_event_paranoid", 2);
}

bool recorder_rights_has(int capability)
{
  struct capabilities had = {0};
  return rights_get(&had) == 0 &&
         (had.words[CAP_TO_INDEX(capability)].permitted & CAP_TO_MASK(capability)) != 0;
}

bool recorder_rights_are_lent(void)
{
  return geteuid() != 0 && recorder_rights_has(CAP_PERFMON);
}
