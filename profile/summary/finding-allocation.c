/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in the allocator: seldom needed, and mended by whoever calls it. */
#include <glib/gi18n.h>

#include "profile/summary/summary-private.h"

/* Sorted. */
static const char *const allocators[] = {
    "__libc_calloc",
    "__libc_calloc2",
    "__libc_free",
    "__libc_malloc",
    "__libc_malloc2",
    "__libc_realloc",
    "__rust_alloc",
    "__rust_dealloc",
    "__rust_realloc",
    "_int_free",
    "_int_free_chunk",
    "_int_malloc",
    "_int_realloc",
    "aligned_alloc",
    "calloc",
    "cfree",
    "free",
    "g_free",
    "g_malloc",
    "g_malloc0",
    "g_realloc",
    "g_slice_alloc",
    "g_slice_alloc0",
    "g_slice_free1",
    "malloc",
    "memalign",
    "mi_free",
    "mi_malloc",
    "operator delete",
    "operator delete[]",
    "operator new",
    "operator new[]",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "runtime.mallocgc",
};

gboolean profile_summary_find_allocation(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  g_autofree char *share = NULL, *caller = NULL;

  if (facts->event->unit == CAPTURE_UNIT_BYTES)
    return FALSE;
  if (!profile_summary_find_group(facts, allocators, G_N_ELEMENTS(allocators), ret, &share, &caller))
    return FALSE;
  /* TRANSLATORS: "18 % allocates and frees memory, mostly for index." */
  ret->sentence = caller ? g_strdup_printf(_("%s allocates and frees memory, mostly for %s."), share, caller)
                         : g_strdup_printf(_("%s allocates and frees memory."), share);
  return TRUE;
}
