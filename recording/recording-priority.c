/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording-priority-private.h"

#include <sched.h>

void recording_priority_raise(void)
{
  /* Not nice values: they count only within an autogroup, which a collector shares with what it records. */
  struct sched_param lowest = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest);
}
