/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/descriptor-private.h"

#include <fcntl.h>
#include <unistd.h>

/* “exec 5>log” in a script would put another file under a low number, which programs would then write to. */
static const int lowest[] = {960, 192, 32};

int recording_descriptor_move_up(int fd)
{
  int moved = -1;

  if (fd < 0)
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS(lowest) && moved < 0; i++)
    moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);
  close(fd);
  return moved;
}

int recording_descriptor_reopen(int fd)
{
  char name[64];

  g_snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return open(name, O_RDWR | O_CLOEXEC);
}
