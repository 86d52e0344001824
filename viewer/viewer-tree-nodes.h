/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the nodes of a call tree that a thread may be at work on: a copy of them, and which of
 * them are open. Numbered as ProfileTree numbers them. One thread at a time.
 */
#pragma once

#include "viewer/viewer-tree-job.h"

G_BEGIN_DECLS

typedef struct {
  ProfileTreeNode node;
  guint32 first_child, n_children;
  gboolean is_made; /* its children are there */
  gboolean is_open;
} ViewerTreeKnown;

struct _ViewerTreeNodes {
  GArray *known; /* ViewerTreeKnown, one a node */
};

ViewerTreeNodes *viewer_tree_nodes_new(void);
void viewer_tree_nodes_free(ViewerTreeNodes *self);
guint32 viewer_tree_nodes_get_n(const ViewerTreeNodes *self);
/* Valid until more nodes are added. */
ViewerTreeKnown *viewer_tree_nodes_get(const ViewerTreeNodes *self, guint32 node);

/* Takes over what a job found out, and opens what it says is open. */
void viewer_tree_nodes_add(ViewerTreeNodes *self, const ViewerTreeJob *job);
/* ViewerTreeOpen: those that are open below open ones. */
GArray *viewer_tree_nodes_get_open(const ViewerTreeNodes *self);
/* Opens all that lead to node; the uppermost that had been closed, or VIEWER_TREE_NO_NODE. */
guint32 viewer_tree_nodes_open_to(ViewerTreeNodes *self, guint32 node);
/* guint32: what one sees below node, or with it, in the order of rows. */
GArray *viewer_tree_nodes_make_rows(const ViewerTreeNodes *self, guint32 node, gboolean with_node);
/* The functions from the root, without it, to the node. Free it. */
ProfilePath *viewer_tree_nodes_get_path(const ViewerTreeNodes *self, guint32 node);
/* How far a path leads through what is known. */
guint32 viewer_tree_nodes_follow(const ViewerTreeNodes *self, const guint32 *path, guint n, guint *ret_n);
/* A GCompareDataFunc of guint32, with self as data: as rows would stand if all were open. */
gint viewer_tree_nodes_compare(gconstpointer a, gconstpointer b, gpointer self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerTreeNodes, viewer_tree_nodes_free)

G_END_DECLS
