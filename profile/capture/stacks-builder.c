/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/stacks-builder.h"

#include "profile/base/memory.h"
#include "profile/base/siblings.h"

enum { FEW = 8 }; /* children of a node before they go into the table */

#define CROWDED G_MAXUINT32 /* in place of a first child: they are in the table */

static guint32 *use_crowded(ProfileStacksBuilder *self, guint32 parent, guint32 function)
{
  return profile_number_map_use(&self->crowded, (guint64)parent << 32 | function);
}

static guint32 new_node(ProfileStacksBuilder *self, guint32 parent, guint32 function)
{
  self->parents[self->n_nodes] = parent;
  self->functions[self->n_nodes] = function;
  self->first_child[self->n_nodes] = 0;
  return self->n_nodes++;
}

void profile_stacks_builder_init(ProfileStacksBuilder *self, gsize n_max)
{
  *self = (ProfileStacksBuilder){.parents = profile_new(guint32, n_max),
                                 .functions = profile_new(guint32, n_max),
                                 .first_child = profile_new(guint32, n_max),
                                 .next = profile_new(guint32, n_max)};
  new_node(self, 0, 0);
}

void profile_stacks_builder_clear(ProfileStacksBuilder *self)
{
  g_free(self->parents);
  g_free(self->functions);
  g_free(self->inlined);
  g_free(self->first_child);
  g_free(self->next);
  profile_number_map_clear(&self->crowded);
}

static guint32 add_crowded(ProfileStacksBuilder *self, guint32 parent, guint32 function)
{
  guint32 *node = use_crowded(self, parent, function);

  if (!*node)
    *node = new_node(self, parent, function);
  return *node;
}

static void stacks_builder_crowd(ProfileStacksBuilder *self, guint32 parent)
{
  for (guint32 child = self->first_child[parent]; child; child = self->next[child])
    *use_crowded(self, parent, self->functions[child]) = child;
  self->first_child[parent] = CROWDED;
}

guint32 profile_stacks_builder_add(ProfileStacksBuilder *self, guint32 parent, guint32 function)
{
  guint n = 0;

  if (self->first_child[parent] == CROWDED)
    return add_crowded(self, parent, function);
  for (guint32 child = self->first_child[parent]; child; child = self->next[child], n++)
    if (self->functions[child] == function)
      return child;
  if (n == FEW) {
    stacks_builder_crowd(self, parent);
    return add_crowded(self, parent, function);
  }
  guint32 node = new_node(self, parent, function);
  self->next[node] = self->first_child[parent];
  self->first_child[parent] = node;
  return node;
}

static guint32 *stacks_builder_move(const guint32 *column, const guint32 *places, gsize n)
{
  guint32 *moved = profile_new(guint32, n);

  for (gsize node = 0; node < n; node++)
    moved[places[node]] = column[node];
  return moved;
}

static guint8 *stacks_builder_move_bytes(const guint8 *column, const guint32 *places, gsize n)
{
  guint8 *moved = profile_new(guint8, n);

  for (gsize node = 0; node < n; node++)
    moved[places[node]] = column[node];
  return moved;
}

/* Nodes were numbered as they came. */
void profile_stacks_builder_finish(ProfileStacksBuilder *self, ProfileStacks *stacks, guint32 *to, gsize n)
{
  g_autofree guint32 *places = profile_siblings_place(self->parents, NULL, self->n_nodes, &stacks->n_nodes);

  for (gsize node = 0; node < self->n_nodes; node++)
    self->parents[node] = places[self->parents[node]];
  for (gsize i = 0; i < n; i++)
    if (to[i] != PROFILE_STACKS_DROPPED)
      to[i] = places[to[i]];
  stacks->parents = stacks_builder_move(self->parents, places, stacks->n_nodes);
  stacks->functions = stacks_builder_move(self->functions, places, stacks->n_nodes);
  stacks->inlined = self->inlined ? stacks_builder_move_bytes(self->inlined, places, stacks->n_nodes) : NULL;
  stacks->first_child = profile_siblings_find_first(stacks->parents, stacks->n_nodes);
}
