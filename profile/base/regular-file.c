/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/regular-file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

gboolean profile_regular_file_is_of_others(int fd)
{
  struct stat status;

  return geteuid() == 0 &&
         (fstat(fd, &status) < 0 || status.st_uid != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0);
}

int profile_regular_file_open(const char *path)
{
  int found = open(path, O_PATH | O_CLOEXEC);
  struct stat status;
  char link[64];
  int fd = -1;

  if (found < 0)
    return -1;
  g_snprintf(link, sizeof link, "/proc/self/fd/%d", found);
  if (fstat(found, &status) == 0 && S_ISREG(status.st_mode))
    fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  close(found);
  return fd;
}
