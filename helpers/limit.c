/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/limit.h"

#include <errno.h>
#include <sys/resource.h>

int limit_lower(int resource, uint64_t most)
{
  struct rlimit now;
  if (getrlimit(resource, &now) < 0)
    return -errno;
  if (now.rlim_max > most)
    now.rlim_max = most;
  if (now.rlim_cur > now.rlim_max)
    now.rlim_cur = now.rlim_max;
  return setrlimit(resource, &now) < 0 ? -errno : 0;
}

void limit_priority(void)
{
  if (getpriority(PRIO_PROCESS, 0) < 0)
    setpriority(PRIO_PROCESS, 0, 0);
}
