/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts stacks together in a tree: what goes below one node with one function is one node there. It is looked
 * for among its siblings, of which most nodes have few, and which lie close by when a stack that is new is
 * put in; only where they are many does a hash table find it. One thread at a time.
 */
#pragma once

#include "profile/base/number-map.h"
#include "profile/capture/stacks-private.h"

G_BEGIN_DECLS

typedef struct {
  guint32 *parents, *functions;
  guint8 *inlined; /* one a node; NULL: nobody asked */
  guint32 *first_child, *next;
  guint32 n_nodes;
  ProfileNumberMap crowded; /* parent and function → node */
} ProfileStacksBuilder;

/* Of n_max nodes at most; it has the root. */
void profile_stacks_builder_init(ProfileStacksBuilder *self, gsize n_max);
void profile_stacks_builder_clear(ProfileStacksBuilder *self);
/* The node below parent with that function. */
guint32 profile_stacks_builder_add(ProfileStacksBuilder *self, guint32 parent, guint32 function);
/* Gives the tree to stacks, siblings side by side, as everybody expects them. to: n nodes of the tree, or
 * PROFILE_STACKS_DROPPED; they follow. */
void profile_stacks_builder_finish(ProfileStacksBuilder *self, ProfileStacks *stacks, guint32 *to, gsize n);

G_END_DECLS
