/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-regular-file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
