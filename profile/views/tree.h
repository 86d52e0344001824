/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call tree by function: stacks that lead through the same functions are one path, whatever the addresses
 * and epochs. Expanded on demand, so that only what is looked at is ever built. One thread at a time.
 *
 * Tree nodes are numbered as they are made; 0 is the root. The children of a node stand side by
 * side, heaviest first; equally heavy ones keep the order in which the stacks have them.
 */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

typedef struct _ProfileTree ProfileTree;

#define PROFILE_TREE_NO_FUNCTION G_MAXUINT32

typedef struct {
  guint32 function;    /* index, of the stacks'; PROFILE_TREE_NO_FUNCTION: the root of a tree of all stacks */
  guint32 parent;      /* tree node; the root's is 0 */
  guint32 depth;       /* the root's is 0 */
  ProfileWeight self;  /* samples that end here: in the function itself, or (callers) in outermost frames */
  ProfileWeight total; /* self and all below */
  gboolean inlined; /* the function is a part of its caller's code wherever these samples went through it */
} ProfileTreeNode;

/* From the outermost functions down to the sampled ones. */
ProfileTree *profile_tree_new(ProfileWeights *weights);
/* Upside down: the root's children are the functions in which samples were taken, theirs the callers. */
ProfileTree *profile_tree_new_inverted(ProfileWeights *weights);
/* The root is the function. A recursive function counts a sample once: its outermost call. */
ProfileTree *profile_tree_new_callees(ProfileWeights *weights, guint32 function);
ProfileTree *profile_tree_new_callers(ProfileWeights *weights, guint32 function);
void profile_tree_free(ProfileTree *self);

/* Children of less are not made from now on (1 to begin with; by profile_weights_measure): most functions of
 * a large capture occur a few times only, and nobody looks at them. */
void profile_tree_set_minimum(ProfileTree *self, guint64 measure);
/* The tree's. */
ProfileWeights *profile_tree_get_weights(const ProfileTree *self);

/* The node. Valid until the next expansion. */
const ProfileTreeNode *profile_tree_get_node(const ProfileTree *self, guint32 node);
guint32 profile_tree_get_n_nodes(const ProfileTree *self);
/* Makes the children of node if that was not done before; returns the first of *n_children consecutive nodes.
 */
guint32 profile_tree_expand(ProfileTree *self, guint32 node, guint32 *n_children);
/* Expands every node. */
void profile_tree_expand_all(ProfileTree *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileTree, profile_tree_free)

G_END_DECLS
