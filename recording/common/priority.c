/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/priority-private.h"

#include <sched.h>
#include <sys/resource.h>

void recording_priority_raise(void)
{
  /* Not real time: such a thread wakes where it slept, and drives what is recorded off its processor while
   * another one is idle. */
  struct sched_param none = {.sched_priority = 0};
  sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
  setpriority(PRIO_PROCESS, 0, -20);
}
