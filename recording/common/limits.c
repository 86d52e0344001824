/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/limits-private.h"

#include <sys/resource.h>

static struct rlimit original;
static gsize raised;

guint recording_limits_raise(void)
{
  struct rlimit now;

  if (g_once_init_enter(&raised)) {
    getrlimit(RLIMIT_NOFILE, &original);
    struct rlimit more = {.rlim_cur = original.rlim_max, .rlim_max = original.rlim_max};
    setrlimit(RLIMIT_NOFILE, &more);
    g_once_init_leave(&raised, 1);
  }
  getrlimit(RLIMIT_NOFILE, &now);
  return (guint)MIN(now.rlim_cur, G_MAXINT);
}

void recording_limits_restore(void)
{
  if (raised)
    setrlimit(RLIMIT_NOFILE, &original);
}
