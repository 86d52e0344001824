/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorting by parent, by counting. A parent's place is before its children's because the parent's own parent
 * comes before the parent itself, and so before it as what is sorted by.
 */
#include "profile/profile-siblings.h"

#include "profile/profile-memory.h"

guint32 *profile_siblings_place(const guint32 *parents, const guint8 *kept, gsize n, gsize *ret_n)
{
  g_autofree guint32 *next = profile_new0(guint32, n); /* children, then where the next one goes */
  guint32 *places = profile_new(guint32, n), sum = 1;

  for (gsize node = 1; node < n; node++)
    next[parents[node]] += !kept || kept[node];
  for (gsize node = 0; node < n; node++) {
    guint32 children = next[node];
    next[node] = sum;
    sum += children;
  }
  places[0] = 0;
  for (gsize node = 1; node < n; node++)
    places[node] = !kept || kept[node] ? next[parents[node]]++ : 0;
  *ret_n = sum;
  return places;
}

guint32 *profile_siblings_find_first(const guint32 *parents, gsize n)
{
  guint32 *first = profile_new0(guint32, n);

  for (gsize node = n - 1; node > 0; node--)
    first[parents[node]] = (guint32)node;
  return first;
}
