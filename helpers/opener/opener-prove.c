/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/opener/opener-prove.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/pidfd.h"
#include "helpers/recorder/recorder-file.h"

static bool is_alive(int pidfd)
{
  struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};
  return poll(&poll_fd, 1, 0) == 0;
}

static bool leads_its_threads(int32_t pid)
{
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (recorder_file_read(path, text, sizeof text) < 0)
    return false;
  const char *line = strstr(text, "\nTgid:");
  return line != NULL && atoi(line + strlen("\nTgid:")) == pid;
}

/* The kernel's check when auxv is opened is the one for perf events: PTRACE_MODE_READ, so that set-uid and
 * undumpable programs are out; and that file's mode leaves it to the owner alone. For mem it would ask
 * whether the process may be changed, too, which Yama denies to all but ancestors. */
int opener_prove(int pidfd, int32_t pid)
{
  char path[32];
  int32_t real = pidfd_get_pid(pidfd, false);
  if (real == -EACCES) /* an old kernel, where only who asks could look: it did */
    real = pid;
  if (real < 0)
    return real;
  if (real != pid || !leads_its_threads(pid))
    return is_alive(pidfd) ? -EINVAL : -ESRCH;
  snprintf(path, sizeof path, "/proc/%d/auxv", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT || errno == ESRCH ? -ESRCH : errno == EPERM ? -EACCES : -errno;
  close(fd);
  /* As long as it lives the number is its own. */
  return is_alive(pidfd) ? 0 : -ESRCH;
}

/* As AppArmor and SELinux say that they forbid nothing, or as others say that they know of nothing. */
bool opener_is_open_label(const char *label)
{
  static const char *const endings[] = {"unconfined", " (unconfined)", " (complain)"};
  size_t length = strcspn(label, "\n");
  if (length == 0)
    return true;
  if (strstr(label, ":unconfined_t:") != NULL)
    return true;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    size_t size = strlen(endings[i]);
    if (length >= size && memcmp(label + length - size, endings[i], size) == 0 &&
        (endings[i][0] == ' ' || length == size))
      return true;
  }
  return false;
}

/* An error is what the kernel answers where no security module has labels. */
static bool has_open_label(int32_t pid)
{
  char path[40], label[512];
  snprintf(path, sizeof path, "/proc/%d/attr/current", pid);
  return recorder_file_read(path, label, sizeof label) < 0 || opener_is_open_label(label);
}

static bool is_in_our_user_namespace(int32_t pid)
{
  char path[32];
  struct stat own, other;
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  return stat("/proc/self/ns/user", &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
         own.st_ino == other.st_ino;
}

/* Without new privileges to forgo, or rights in a user namespace of its own, no process can confine itself by
 * Landlock or a filter of system calls. */
int opener_is_free(int32_t pid)
{
  char path[32], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (recorder_file_read(path, text, sizeof text) < 0)
    return -ESRCH;
  bool may_gain = strstr(text, "\nNoNewPrivs:\t0\n") != NULL;
  return may_gain && is_in_our_user_namespace(pid) && has_open_label(pid) ? 0 : -EPERM;
}
