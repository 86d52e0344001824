/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A way through a call tree: the functions from its root on. */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* One piece of memory, freed by g_free. */
typedef struct {
  guint n;
  guint32 functions[];
} ProfilePath;

/* From the outermost function to the one of node; with `inverted` the other way, from node up to `end`, an
 * ancestor of it or itself. Of node 0: none. */
ProfilePath *profile_path_new(const ProfileStacks *stacks, guint32 node);
ProfilePath *profile_path_new_inverted(const ProfileStacks *stacks, guint32 node, guint32 end);
/* The path to that stack node of a function which most samples lead through; NULL when none does. One pass
 * over the nodes. */
ProfilePath *profile_path_find(const ProfileWeights *weights, guint32 function);
gboolean profile_path_equal(gconstpointer a, gconstpointer b);
guint profile_path_hash(gconstpointer path);

G_END_DECLS
