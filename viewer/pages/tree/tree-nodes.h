/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the nodes of a call tree that a thread may be at work on: a copy of them, which of them
 * are open, and so which rows there are: the root, and what stands below nodes that are open. Rows are
 * counted, not listed: a million that come into sight are no more work than one. Numbered as ProfileTree
 * numbers them. One thread at a time.
 */
#pragma once

#include "viewer/pages/tree/tree-job.h"

G_BEGIN_DECLS

ViewerTreeNodes *viewer_tree_nodes_new(void);
void viewer_tree_nodes_free(ViewerTreeNodes *self);
guint32 viewer_tree_nodes_get_n(const ViewerTreeNodes *self);
/* To be read. */
const ViewerTreeKnown *viewer_tree_nodes_get(const ViewerTreeNodes *self, guint32 node);

/* Takes over what a job found out, and opens what it says is open. */
void viewer_tree_nodes_add(ViewerTreeNodes *self, ViewerTreeJob *job);
/* Nothing is opened whose children are not known. */
void viewer_tree_nodes_set_open(ViewerTreeNodes *self, guint32 node, gboolean is_open);
/* Opens all that lead to node; the uppermost that had been closed, or VIEWER_TREE_NO_NODE. */
guint32 viewer_tree_nodes_open_to(ViewerTreeNodes *self, guint32 node);
/* ViewerTreeOpen: those that are open below open ones; of more than ten thousand those nearest to the root.
 */
GArray *viewer_tree_nodes_get_open(const ViewerTreeNodes *self);

guint viewer_tree_nodes_get_n_rows(const ViewerTreeNodes *self);
/* Rows below a node; as many as one would see if it were in sight. */
guint viewer_tree_nodes_count_rows_below(const ViewerTreeNodes *self, guint32 node);
/* VIEWER_TREE_NO_NODE: there are no so many rows. */
guint32 viewer_tree_nodes_get_row(const ViewerTreeNodes *self, guint position);
/* G_MAXUINT: it is not in sight. */
guint viewer_tree_nodes_get_position(const ViewerTreeNodes *self, guint32 node);
/* The row below that of a node in sight; VIEWER_TREE_NO_NODE: it is the last. */
guint32 viewer_tree_nodes_get_next_row(const ViewerTreeNodes *self, guint32 node);

/* The functions from the root, without it, to the node. Free it. */
ProfilePath *viewer_tree_nodes_get_path(const ViewerTreeNodes *self, guint32 node);
/* How far a path leads through what is known. */
guint32 viewer_tree_nodes_follow(const ViewerTreeNodes *self, const guint32 *path, guint n, guint *ret_n);
/* A GCompareDataFunc of guint32, with self as data: as rows would stand if all were open. */
gint viewer_tree_nodes_compare(gconstpointer a, gconstpointer b, gpointer self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerTreeNodes, viewer_tree_nodes_free)

G_END_DECLS
