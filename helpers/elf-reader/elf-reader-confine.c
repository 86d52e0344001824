/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/limit.h"

#define NOBODY 65534

/* The largest programs that are known need a tenth of these: a file that claims to need more costs itself,
 * not the machine. */
#define MEMORY_MAX (UINT64_C(2) << 30)
#define IMAGE_MAX  (UINT64_C(1) << 30)
#define FILES_MAX  (ELF_READER_DESCRIPTORS_MAX + 16)

/* Landlock's network and scope rights are newer than many headers; the kernel says by its ABI which it knows.
 */
struct ruleset {
  uint64_t file_system;
  uint64_t network;
  uint64_t scoped;
};

static int take_socket_alone(int socket)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; fd++) {
    if (fd != socket && null < 0)
      close(fd);
    else if (fd != socket && dup2(null, fd) < 0)
      return -errno;
  }
  if (socket > 3 && syscall(SYS_close_range, 3, socket - 1, 0) < 0)
    return -errno;
  return syscall(SYS_close_range, socket < 2 ? 3 : socket + 1, ~0u, 0) < 0 ? -errno : 0;
}

/* What /proc tells of a process's descriptors is a directory that is empty as soon as that process is gone,
 * and that nobody can write: a child that shares the root with this process goes there and dies. */
static bool go_where_nothing_is(void)
{
  int status;
  long child = syscall(SYS_clone, CLONE_FS | SIGCHLD, 0, 0, 0, 0);
  if (child == 0)
    syscall(SYS_exit_group, chroot("/proc/self/fdinfo") < 0 || chdir("/") < 0);
  return child > 0 && waitpid((pid_t)child, &status, 0) == child && status == 0;
}

/* An ordinary user may do that in a user namespace, where those are permitted. */
static void leave_file_system(void)
{
  if (!go_where_nothing_is() && unshare(CLONE_NEWUSER) == 0)
    go_where_nothing_is();
}

static int become_nobody(void)
{
  if (geteuid() != 0)
    return 0;
  if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
      setresuid(NOBODY, NOBODY, NOBODY) < 0)
    return errno == EPERM || errno == EINVAL ? 0 : -errno;
  return 0;
}

/* Takes CAP_SETPCAP, so it comes before anything else is dropped; without it, no new privileges means the
 * same. */
static void drop_bounding_set(void)
{
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    prctl(PR_CAPBSET_DROP, capability);
}

static int drop_capabilities(void)
{
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
  return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

/* A ruleset that handles every right and allows none. A kernel without Landlock has none to give up. */
static void leave_by_landlock(void)
{
  static const unsigned char file_system_rights[] = {0, 13, 14, 15, 15, 16};
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1)
    return;
  struct ruleset ruleset = {
      .file_system = (UINT64_C(1) << file_system_rights[abi > 5 ? 5 : abi]) - 1,
      .network = abi >= 4 ? 3 : 0,
      .scoped = abi >= 6 ? 3 : 0,
  };
  size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  long fd = syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
  if (fd < 0)
    return;
  syscall(SYS_landlock_restrict_self, fd, 0);
  close((int)fd);
}

static int limit_resources(void)
{
  int result = limit_lower(RLIMIT_CORE, 0);
  if (result == 0)
    result = limit_lower(RLIMIT_FSIZE, IMAGE_MAX);
  if (result == 0)
    result = limit_lower(RLIMIT_NOFILE, FILES_MAX);
#ifndef __SANITIZE_ADDRESS__ /* which maps terabytes that it does not use */
  if (result == 0)
    result = limit_lower(RLIMIT_AS, ELF_READER_FILE_MAX + 2 * MEMORY_MAX);
  if (result == 0)
    result = limit_lower(RLIMIT_DATA, MEMORY_MAX);
#endif
  return result;
}

int elf_reader_give_up_rights(int socket)
{
  int result = take_socket_alone(socket);
  if (result < 0)
    return result;
  limit_priority();
  leave_file_system();
  drop_bounding_set();
  if ((result = become_nobody()) < 0 || (result = drop_capabilities()) < 0)
    return result;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
      prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
    return -errno;
  leave_by_landlock();
  return limit_resources();
}
