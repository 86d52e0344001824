/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Up to Linux 5.13 the file is root's, as all of an undumpable process. */
static int open_undumpable(const char *path)
{
  if (prctl(PR_GET_DUMPABLE) == 1 || prctl(PR_SET_DUMPABLE, 1) < 0)
    return -1;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  prctl(PR_SET_DUMPABLE, 0);
  return fd;
}

int32_t pidfd_get_pid(int pidfd, bool become_dumpable)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES)
    fd = become_dumpable ? open_undumpable(path) : -EACCES;
  if (fd == -EACCES)
    return fd;
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[length < 0 ? 0 : length] = '\0';
  const char *line = strstr(text, "\nPid:");
  if (line == NULL)
    return -EBADF;
  int pid = atoi(line + strlen("\nPid:"));
  return pid < 0 ? -ESRCH : pid;
}
