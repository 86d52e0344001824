/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call tree as a list of the rows that one sees: the root, and what stands below nodes that are open. A row
 * has no place in memory; its item, a ViewerTreeRow, exists only while somebody holds it. What the rows say
 * is worked out in threads, the newest wins; so opening a node takes effect a little later when its children
 * are not known yet. Main thread only.
 *
 * Nodes are numbered as ProfileTree numbers them; 0 is the root.
 *
 * Signals:
 *   "shown"            another tree is there (or none); nodes have other numbers
 *   "revealed" (uint)  a node that was asked for is in sight now
 *   "places-changed"   of a search
 */
#pragma once

#include <gio/gio.h>

#include "viewer/pages/tree/tree-job.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TREE_MODEL (viewer_tree_model_get_type())
G_DECLARE_FINAL_TYPE(ViewerTreeModel, viewer_tree_model, VIEWER, TREE_MODEL, GObject)

ViewerTreeModel *viewer_tree_model_new(void);

/* Shows the tree of that kind as soon as it is made; function is that of callees and callers. What is open
 * stays open where it is there again; when nothing was shown before, or something else, the heaviest path is
 * opened to where it divides: from the root on, as long as a child stands out, which holds two thirds of its
 * parent and a twentieth of all. So what one sees at first is the way there, which has little beside it, and
 * then what it divides into; unless that is less than a twentieth of it each. Weights NULL: no tree, at once.
 */
void viewer_tree_model_show(ViewerTreeModel *self, ProfileWeights *weights, ViewerTreeKind kind,
                            guint32 function);

/* Of the tree that is shown; NULL: none is. Borrowed. */
ProfileWeights *viewer_tree_model_get_weights(ViewerTreeModel *self);
ViewerTreeKind viewer_tree_model_get_kind(ViewerTreeModel *self);
/* Whether something is being worked out. */
gboolean viewer_tree_model_is_busy(ViewerTreeModel *self);
/* Whether rows are being replaced: a selection that changes meanwhile was not chosen by anybody. */
gboolean viewer_tree_model_is_changing(ViewerTreeModel *self);

/* VIEWER_TREE_NO_NODE for a position where there is none. */
guint32 viewer_tree_model_get_node_at(ViewerTreeModel *self, guint position);
/* G_MAXUINT: it is not in sight. */
guint viewer_tree_model_get_position(ViewerTreeModel *self, guint32 node);
/* Valid until the main loop runs. */
const ProfileTreeNode *viewer_tree_model_get(ViewerTreeModel *self, guint32 node);
/* "All Samples" for the root of all. Never NULL. */
const char *viewer_tree_model_get_name(ViewerTreeModel *self, guint32 node);
const char *viewer_tree_model_get_binary(ViewerTreeModel *self, guint32 node);
/* The functions from the root, without it, to the node. Free it. */
ProfilePath *viewer_tree_model_get_path(ViewerTreeModel *self, guint32 node);

/* What a node holds of the root, 0 … 1: of all samples, or of those of the function whose callers or callees
 * are shown. */
double viewer_tree_model_get_share(ViewerTreeModel *self, guint32 node);
/* The same as a text; free it. */
char *viewer_tree_model_format_share(ViewerTreeModel *self, guint32 node);

gboolean viewer_tree_model_can_open(ViewerTreeModel *self, guint32 node);
gboolean viewer_tree_model_is_open(ViewerTreeModel *self, guint32 node);
void viewer_tree_model_open(ViewerTreeModel *self, guint32 node);
void viewer_tree_model_close(ViewerTreeModel *self, guint32 node);
/* Opens a node and all below it; of more than ten thousand nodes the heaviest. */
void viewer_tree_model_open_below(ViewerTreeModel *self, guint32 node);
/* Opens what leads to the node, which is "revealed" at once. */
void viewer_tree_model_reveal(ViewerTreeModel *self, guint32 node);
/* Follows a path of functions from the root as far as the tree has it, and reveals where it ends. */
void viewer_tree_model_reveal_path(ViewerTreeModel *self, const guint32 *path, guint n);

/* Marks the functions that were found, and looks for the places where they stand. Of the weights that are
 * shown; NULL: none. */
void viewer_tree_model_set_search(ViewerTreeModel *self, ProfileSearch *search);
gboolean viewer_tree_model_is_found(ViewerTreeModel *self, guint32 node);
/* The next (1) or previous (-1) place from a node on, in the order of rows if all were open; behind the last
 * one comes the first. VIEWER_TREE_NO_NODE: there is none. */
guint32 viewer_tree_model_get_place(ViewerTreeModel *self, guint32 node, int direction);

/* For rows alone, when they end. */
void viewer_tree_model_forget(ViewerTreeModel *self, gpointer row);

G_END_DECLS
