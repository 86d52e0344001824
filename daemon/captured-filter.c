/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-filter.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>

#include "daemon/captured-error.h"

#define NAMESPACES                                                                                           \
  (CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWTIME |              \
   CLONE_NEWUSER | CLONE_NEWUTS)

/* A list of what is refused, not of what is permitted: NSS, libbpf and C libraries to come bring calls of
 * their own. */
static const int refused[] = {
#ifndef __SANITIZE_ADDRESS__ /* whose leak detector attaches to its own process */
    SCMP_SYS(ptrace),
#endif
    /* other processes; recorders read the stacks of threads that are off the CPU */
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(migrate_pages),
    SCMP_SYS(move_pages),
    /* file systems and namespaces */
    SCMP_SYS(mount),
    SCMP_SYS(umount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(setns),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(quotactl),
    SCMP_SYS(quotactl_fd),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    /* the machine */
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(reboot),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(acct),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(vhangup),
    SCMP_SYS(syslog),
    /* what is large and not used */
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(personality),
    SCMP_SYS(lookup_dcookie),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(setfsuid),
    SCMP_SYS(setfsgid),
};

static const struct {
  int call;
  unsigned arguments;
} identities[] = {
    {SCMP_SYS(setuid), 1}, {SCMP_SYS(setreuid), 2}, {SCMP_SYS(setresuid), 3},
    {SCMP_SYS(setgid), 1}, {SCMP_SYS(setregid), 2}, {SCMP_SYS(setresgid), 3},
};

static int add_refused(scmp_filter_ctx filter)
{
  int result = 0;

  for (guint i = 0; i < G_N_ELEMENTS(refused) && result == 0; i++) {
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
    if (result == -EDOM || result == -EOPNOTSUPP)
      result = 0; /* this machine does not have that call */
  }
  return result;
}

/* The kernel looks at 32 bits of each. */
static int add_root(scmp_filter_ctx filter)
{
  int result = 0;

  for (guint i = 0; i < G_N_ELEMENTS(identities) && result == 0; i++)
    for (unsigned argument = 0; argument < identities[i].arguments && result == 0; argument++)
      result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), identities[i].call, 1,
                                SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, G_MAXUINT32, 0));
  return result;
}

static int add_namespace(scmp_filter_ctx filter, int call, unsigned argument, guint64 flag)
{
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 1,
                          SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, flag, flag));
}

/* clone3's flags are out of a filter's sight; without it the C library takes clone. */
static int add_namespaces(scmp_filter_ctx filter)
{
  int result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

  for (guint64 flag = 1; flag <= G_MAXUINT32 && result == 0; flag <<= 1) {
    if (!(flag & NAMESPACES))
      continue;
    result = add_namespace(filter, SCMP_SYS(unshare), 0, flag);
    if (result == 0 && flag != CLONE_NEWTIME) /* for clone that bit is part of a signal */
      result = add_namespace(filter, SCMP_SYS(clone), 0, flag);
  }
  return result;
}

gboolean captured_filter_install(GError **error)
{
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  int result = filter ? add_refused(filter) : -ENOMEM;

  if (result == 0)
    result = add_root(filter);
  if (result == 0)
    result = add_namespaces(filter);
  if (result == 0)
    result = seccomp_load(filter);
  seccomp_release(filter);
  if (result == 0)
    return TRUE;
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
              "The filter of system calls cannot be installed: %s.", g_strerror(-result));
  return FALSE;
}
