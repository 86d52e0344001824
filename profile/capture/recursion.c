/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which nodes are the outermost of their function or binary on their stack: a recursive function counts once.
 */
#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-private.h"

typedef struct {
  const ProfileStacks *stacks;
  guint8 *outermost;
  const guint32 *binaries;                 /* of functions */
  guint32 *open_functions, *open_binaries; /* how often each occurs on the path to the node */
} Walk;

static void enter_node(Walk *walk, guint32 node)
{
  guint32 function = walk->stacks->functions[node];

  if (walk->open_functions[function]++ == 0)
    walk->outermost[node] |= PROFILE_OUTERMOST_FUNCTION;
  if (walk->open_binaries[walk->binaries[function]]++ == 0)
    walk->outermost[node] |= PROFILE_OUTERMOST_BINARY;
}

static void leave_node(Walk *walk, guint32 node)
{
  guint32 function = walk->stacks->functions[node];

  walk->open_functions[function]--;
  walk->open_binaries[walk->binaries[function]]--;
}

/* Depth first without a stack: parents and siblings say where to go on. */
static void walk_nodes(Walk *walk)
{
  const ProfileStacks *stacks = walk->stacks;
  guint32 node = stacks->first_child[0];

  while (node) {
    enter_node(walk, node);
    if (stacks->first_child[node]) {
      node = stacks->first_child[node];
      continue;
    }
    while (node && !profile_stacks_get_next(stacks, node)) {
      leave_node(walk, node);
      node = stacks->parents[node];
    }
    if (node) {
      leave_node(walk, node);
      node = profile_stacks_get_next(stacks, node);
    }
  }
}

const guint8 *profile_stacks_get_outermost(ProfileStacks *self)
{
  if (g_once_init_enter(&self->outermost_once)) {
    g_autofree guint32 *binaries = profile_stacks_make_binaries(self);
    g_autofree guint32 *open_functions = profile_new0(guint32, profile_stacks_get_n_functions(self));
    g_autofree guint32 *open_binaries = profile_new0(guint32, (gsize)self->capture->binaries->len + 2);
    Walk walk = {.stacks = self,
                 .binaries = binaries,
                 .open_functions = open_functions,
                 .open_binaries = open_binaries};
    walk.outermost = self->outermost = profile_new0(guint8, self->n_nodes);
    walk_nodes(&walk);
    g_once_init_leave(&self->outermost_once, 1);
  }
  return self->outermost;
}
