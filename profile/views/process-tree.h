/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes and threads of a capture as a tree: who started whom, and how many samples of a filter each
 * has. What a process executed one after the other is one node, and so is a thread that changed its name. The
 * nodes of a capture are the same, in the same order, whatever the filter. Immutable, readable from any
 * thread.
 */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

typedef struct {
  gboolean is_thread;       /* of a process that has several; where it has one, the process stands for it */
  gint32 id;                /* pid or tid; 0 for the root, -1 not known */
  const char *name;         /* the last one it had; "" for the root */
  const char *command_line; /* the last one; NULL: left out, or a thread */
  guint64 start;            /* 0: before the recording, or not known */
  guint64 end;              /* 0: after the recording, or not known */
  guint32 parent;           /* node; the root's is 0 */
  guint32 first_child, n_children; /* nodes, side by side: threads, then processes as they began */
  guint32 first_item, n_items;     /* see get_items */
  ProfileWeight self;              /* of a process: all its threads' */
  ProfileWeight total;             /* self and the processes below */
} ProfileProcessNode;

typedef struct _ProfileProcessTree ProfileProcessTree;

/* One pass over the samples of the filter. */
ProfileProcessTree *profile_process_tree_new(ProfileWeights *weights);
void profile_process_tree_free(ProfileProcessTree *self);

ProfileWeights *profile_process_tree_get_weights(const ProfileProcessTree *self);
/* Node 0 is the root, which stands for nobody: the processes whose parent is not in the capture are its
 * children, and last of them one of id -1 for what is known of no process. A parent has a smaller index. */
const ProfileProcessNode *profile_process_tree_get_nodes(const ProfileProcessTree *self, guint *n);
/* The processes or threads, indices of the capture, that a node stands for. */
const guint32 *profile_process_tree_get_items(const ProfileProcessTree *self, const ProfileProcessNode *node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileProcessTree, profile_process_tree_free)

G_END_DECLS
