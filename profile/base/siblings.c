/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children are sorted by their parents, by counting; then the tree is walked from the root, level by level.
 */
#include "profile/base/siblings.h"

#include "profile/base/memory.h"

/* Nodes behind one another by their parents; those of one end where ends says, and begin where those of the
 * parent before it end. */
static guint32 *list_children(const guint32 *parents, const guint8 *kept, gsize n, guint32 *ends)
{
  guint32 *children = profile_new(guint32, n), sum = 0;

  for (gsize node = 1; node < n; node++)
    ends[parents[node]] += !kept || kept[node];
  for (gsize node = 0; node < n; node++) {
    guint32 n_children = ends[node];
    ends[node] = sum;
    sum += n_children;
  }
  for (gsize node = 1; node < n; node++)
    if (!kept || kept[node])
      children[ends[parents[node]]++] = (guint32)node;
  return children;
}

/* All nodes that are left, level by level. */
static guint32 *list_levels(const guint32 *parents, const guint8 *kept, gsize n, guint32 *ret_n)
{
  enum { AHEAD = 16 };
  g_autofree guint32 *ends = profile_new0(guint32, n);
  g_autofree guint32 *children = list_children(parents, kept, n, ends);
  guint32 *order = profile_new(guint32, n), n_listed = 1;

  order[0] = 0;
  for (guint32 i = 0; i < n_listed; i++) {
    guint32 node = order[i];
    if (i + AHEAD < n_listed)
      __builtin_prefetch(&ends[order[i + AHEAD]]);
    for (guint32 k = node ? ends[node - 1] : 0; k < ends[node]; k++)
      order[n_listed++] = children[k];
  }
  *ret_n = n_listed;
  return order;
}

guint32 *profile_siblings_place(const guint32 *parents, const guint8 *kept, gsize n, gsize *ret_n)
{
  guint32 n_left;
  g_autofree guint32 *order = list_levels(parents, kept, n, &n_left);
  guint32 *places = profile_new0(guint32, n);

  for (guint32 i = 0; i < n_left; i++)
    places[order[i]] = i;
  *ret_n = n_left;
  return places;
}

guint32 *profile_siblings_find_first(const guint32 *parents, gsize n)
{
  guint32 *first = profile_new0(guint32, n);

  for (gsize node = n - 1; node > 0; node--)
    first[parents[node]] = (guint32)node;
  return first;
}
