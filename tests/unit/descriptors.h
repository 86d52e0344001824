/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test leaves open. */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <glib.h>

/* How many descriptors this process has: to be compared with another count. */
static inline guint count_descriptors(void)
{
  g_autoptr(GDir) directory = g_dir_open("/proc/self/fd", 0, NULL);
  guint n = 0;

  g_assert_nonnull(directory);
  while (g_dir_read_name(directory))
    n++;
  return n;
}

#endif
