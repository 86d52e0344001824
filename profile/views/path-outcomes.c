/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/path-outcomes.h"

#include <string.h>

#include "profile/base/memory.h"

/* One byte a node of the stacks: whether samples that end there lead through the path. */
static guint8 *mark_below(ProfileStacks *stacks, const guint32 *path, guint n)
{
  const guint32 *parents = profile_stacks_get_parents(stacks),
                *functions = profile_stacks_get_functions(stacks);
  gsize n_nodes = profile_stacks_get_n_nodes(stacks);
  g_autofree guint32 *reached =
      profile_new(guint32, n_nodes); /* 1 + functions of the path up to here, or 0 */
  guint8 *marks = g_malloc(n_nodes);

  reached[0] = 1;
  marks[0] = n == 0;
  for (gsize node = 1; node < n_nodes; node++) {
    guint32 k = reached[parents[node]];
    gboolean complete = k == n + 1;
    reached[node] = complete || (k && functions[node] == path[k - 1]) ? MIN(k + 1, n + 1) : 0;
    marks[node] = reached[node] == n + 1;
  }
  return marks;
}

static guint8 *mark_above(ProfileStacks *stacks, const guint32 *path, guint n)
{
  const guint32 *parents = profile_stacks_get_parents(stacks),
                *functions = profile_stacks_get_functions(stacks);
  gsize n_nodes = profile_stacks_get_n_nodes(stacks);
  guint8 *marks = g_malloc(n_nodes);

  for (gsize leaf = 0; leaf < n_nodes; leaf++) {
    guint32 node = (guint32)leaf;
    guint k = 0;
    for (; k < n && node && functions[node] == path[k]; k++)
      node = parents[node];
    marks[leaf] = k == n;
  }
  return marks;
}

void profile_path_outcomes(ProfileWeights *weights, gboolean inverted, const guint32 *path, guint n,
                           guint64 ret_samples[PROFILE_OUTCOMES])
{
  g_autoptr(ProfileFilter) filter = profile_filter_copy(profile_weights_get_filter(weights));
  ProfileStacks *stacks = profile_filter_get_stacks(filter);
  const guint32 *map = profile_stacks_get_map(stacks);
  g_autofree guint8 *marks = inverted ? mark_above(stacks, path, n) : mark_below(stacks, path, n);
  ProfileCapture *capture = profile_filter_get_capture(filter);
  const ProfileEvent *event = profile_capture_get_event(capture, profile_filter_get_event(filter));
  const guint8 *threads = profile_filter_get_threads(filter),
               *functions = profile_filter_get_functions(filter);
  const guint32 *of_node = profile_capture_get_node_functions(capture);
  gsize begin, end;

  memset(ret_samples, 0, PROFILE_OUTCOMES * sizeof *ret_samples);
  profile_filter_get_range(filter, &begin, &end);
  for (gsize i = begin; i < end; i++) {
    guint32 leaf = event->leaf[i], node = map ? map[leaf] : leaf;
    if (node == PROFILE_STACKS_DROPPED || !marks[node] || (threads && !threads[event->thread[i]]) ||
        (functions && !functions[of_node[leaf]]))
      continue;
    guint outcome = event->outcome[i] & ~CAPTURE_OUTCOME_BY_FRAME_POINTERS;
    ret_samples[outcome < PROFILE_OUTCOMES ? outcome : CAPTURE_OUTCOME_UNKNOWN]++;
  }
}
