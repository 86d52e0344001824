/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An event for each thread and CPU takes many descriptors. */
#define FILES_WANTED (1u << 20)

static const int most[] = {CAP_PERFMON,        CAP_BPF,    CAP_IPC_LOCK,
                           CAP_SYS_PTRACE,     CAP_SYSLOG, CAP_CHECKPOINT_RESTORE,
                           CAP_DAC_READ_SEARCH};
static const int for_own[] = {CAP_PERFMON, CAP_BPF, CAP_IPC_LOCK, CAP_SYS_PTRACE};
#define N_FOR_OWN (sizeof for_own / sizeof for_own[0])
static const int for_root[] = {CAP_SETUID, CAP_SETGID, CAP_SETPCAP, CAP_SYS_CHROOT, CAP_KILL};

struct capabilities {
  struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

static struct __user_cap_header_struct header(void)
{
  return (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
}

static void add(struct capabilities *kept, const struct capabilities *had, const int *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint32_t word = CAP_TO_INDEX(list[i]), bit = CAP_TO_MASK(list[i]);
    kept->words[word].permitted |= had->words[word].permitted & bit;
    kept->words[word].effective |= had->words[word].permitted & bit;
  }
}

static int get(struct capabilities *ret)
{
  struct __user_cap_header_struct which = header();
  return syscall(SYS_capget, &which, ret->words) < 0 ? -errno : 0;
}

static int set(const struct capabilities *capabilities)
{
  struct __user_cap_header_struct which = header();
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
  int result = get(&had);
  if (result < 0)
    return result;
  add(&kept, &had, most, sizeof most / sizeof most[0]);
  if (geteuid() == 0)
    add(&kept, &had, for_root, sizeof for_root / sizeof for_root[0]);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
      prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
    return -errno;
  return set(&kept);
}

int recorder_rights_narrow(bool look_into_processes, struct recorder_error *error)
{
  struct capabilities had = {0}, kept = {0};
  int result = get(&had);
  if (result == 0) {
    add(&kept, &had, for_own, look_into_processes ? N_FOR_OWN : N_FOR_OWN - 1);
    result = set(&kept);
  }
  return result == 0 ? 0
                     : recorder_error_set(error, -result, "The recorder cannot give up its rights: %s.",
                                          strerror(-result));
}

bool recorder_rights_has(int capability)
{
  struct capabilities had = {0};
  return get(&had) == 0 && (had.words[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

bool recorder_rights_are_lent(void)
{
  return geteuid() != 0 && recorder_rights_has(CAP_PERFMON);
}
