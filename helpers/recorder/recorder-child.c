/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-child.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 50 /* milliseconds */

void recorder_child_end(pid_t pid)
{
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
  kill(pid, SIGKILL);
  if (end.fd >= 0) {
    poll(&end, 1, PATIENCE);
    close(end.fd);
  }
  waitpid(pid, NULL, WNOHANG);
}
