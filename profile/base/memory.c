/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

gpointer profile_memory_new(gsize n, gsize size)
{
  gpointer memory = NULL;
  gsize bytes;

  if (__builtin_mul_overflow(n, size, &bytes))
    g_error("%" G_GSIZE_FORMAT " times %" G_GSIZE_FORMAT " bytes is more memory than there can be", n, size);
  if (bytes < HUGE_PAGE)
    return g_malloc(bytes);
  if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0)
    g_error("Out of memory: %" G_GSIZE_FORMAT " bytes", bytes);
  madvise(memory, bytes & ~(gsize)(HUGE_PAGE - 1), MADV_HUGEPAGE);
  return memory;
}

gpointer profile_memory_new0(gsize n, gsize size)
{
  gpointer memory = profile_memory_new(n, size);

  if (memory)
    memset(memory, 0, n * size);
  return memory;
}
