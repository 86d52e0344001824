/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/common/child.h"

#include <signal.h>
#include <sys/wait.h>

/* More than these die at the same time only where the machine does; what does not fit is left for the
 * recorder's own end. */
#define DYING_MAX 64

static pid_t dying[DYING_MAX];
static unsigned n_dying;
static bool are_held;

void recorder_child_hold(bool held)
{
  are_held = held;
}

bool recorder_child_is_held(void)
{
  return are_held;
}

void recorder_child_reap(void)
{
  unsigned n_left = 0;
  for (unsigned i = 0; i < n_dying; i++)
    if (waitpid(dying[i], NULL, WNOHANG) == 0)
      dying[n_left++] = dying[i];
  n_dying = n_left;
}

void recorder_child_end(pid_t pid)
{
  kill(pid, SIGKILL);
  if (n_dying < DYING_MAX)
    dying[n_dying++] = pid;
  recorder_child_reap();
}
