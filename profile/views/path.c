/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/path.h"

#include <string.h>

static ProfilePath *alloc_path(guint n)
{
  ProfilePath *path = g_malloc(sizeof *path + n * sizeof path->functions[0]);

  path->n = n;
  return path;
}

ProfilePath *profile_path_new(const ProfileStacks *stacks, guint32 node)
{
  const guint32 *parents = profile_stacks_get_parents(stacks);
  const guint32 *functions = profile_stacks_get_functions(stacks);
  guint n = 0;

  for (guint32 i = node; i; i = parents[i])
    n++;
  ProfilePath *path = alloc_path(n);
  for (guint32 i = node; i; i = parents[i])
    path->functions[--n] = functions[i];
  return path;
}

ProfilePath *profile_path_new_inverted(const ProfileStacks *stacks, guint32 node, guint32 end)
{
  const guint32 *parents = profile_stacks_get_parents(stacks);
  const guint32 *functions = profile_stacks_get_functions(stacks);
  guint n = node ? 1 : 0;

  for (guint32 i = node; i && i != end; i = parents[i])
    n++;
  ProfilePath *path = alloc_path(n);
  for (guint i = 0; i < n; i++, node = parents[node])
    path->functions[i] = functions[node];
  return path;
}

ProfilePath *profile_path_find(const ProfileWeights *weights, guint32 function)
{
  ProfileStacks *stacks = profile_weights_get_stacks(weights);
  const guint32 *functions = profile_stacks_get_functions(stacks);
  gsize n = profile_stacks_get_n_nodes(stacks);
  guint64 most = 0;
  guint32 found = 0;

  for (gsize i = 1; i < n; i++) {
    if (functions[i] != function)
      continue;
    guint64 measure = profile_weights_measure(weights, profile_weights_get_total(weights, (guint32)i));
    if (measure > most) {
      most = measure;
      found = (guint32)i;
    }
  }
  return found ? profile_path_new(stacks, found) : NULL;
}

gboolean profile_path_equal(gconstpointer a, gconstpointer b)
{
  const ProfilePath *left = a, *right = b;

  return left->n == right->n && memcmp(left->functions, right->functions, left->n * sizeof(guint32)) == 0;
}

guint profile_path_hash(gconstpointer path)
{
  const ProfilePath *self = path;
  guint hash = 5381;

  for (guint i = 0; i < self->n; i++)
    hash = hash * 33 + self->functions[i];
  return hash;
}
