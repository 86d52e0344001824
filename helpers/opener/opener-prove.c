/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/opener/opener-prove.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/pidfd.h"
#include "helpers/text-file.h"

static bool is_alive(int pidfd)
{
  struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};
  return poll(&poll_fd, 1, 0) == 0;
}

static bool leads_its_threads(int32_t pid)
{
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (text_file_read(path, text, sizeof text) < 0)
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
