/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/recorded-nodes.h"

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-private.h"

/* Parents have smaller numbers: one pass backwards adds everything up. */
void profile_recorded_nodes_init(ProfileRecordedNodes *self, const ProfileFilter *filter)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  g_autoptr(ProfileFilter) recorded = profile_filter_copy(filter);
  g_autoptr(ProfileStacks) stacks = profile_stacks_new_without_inlined(capture);
  const guint32 *map = profile_filter_get_stacks(filter)->map;
  gsize n = stacks->n_nodes;

  profile_filter_set_stacks(recorded, stacks);
  g_autoptr(ProfileWeights) weights = profile_weights_new(recorded);
  self->capture = capture;
  self->selfs = profile_new0(ProfileWeight, n);
  self->totals = profile_new0(ProfileWeight, n);
  for (gsize node = n; node-- > 0;) {
    if (!map || map[node] != PROFILE_STACKS_DROPPED)
      self->selfs[node] = profile_weights_get_self(weights, (guint32)node);
    profile_weight_add(&self->totals[node], self->selfs[node]);
    if (node > 0)
      profile_weight_add(&self->totals[stacks->parents[node]], self->totals[node]);
  }
}

void profile_recorded_nodes_clear(ProfileRecordedNodes *self)
{
  g_clear_pointer(&self->selfs, g_free);
  g_clear_pointer(&self->totals, g_free);
}

/* Without a stack of nodes, as in profile/capture/recursion.c. */
void profile_recorded_nodes_walk(const ProfileRecordedNodes *self, ProfileNodeFunc enter,
                                 ProfileNodeFunc leave, gpointer data)
{
  const ProfileStacks *stacks = self->capture->stacks;
  guint32 node = stacks->first_child[0];

  while (node) {
    if (self->totals[node].count > 0)
      enter(node, data);
    if (stacks->first_child[node]) {
      node = stacks->first_child[node];
      continue;
    }
    while (node && !profile_stacks_get_next(stacks, node)) {
      leave(node, data);
      node = stacks->parents[node];
    }
    if (node) {
      leave(node, data);
      node = profile_stacks_get_next(stacks, node);
    }
  }
}
