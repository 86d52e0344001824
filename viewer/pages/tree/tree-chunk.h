/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes of a call tree that one job made, numbered in a row; children of a node stand side by side and in one
 * chunk. It knows of each how many rows are seen below it, and sums them up without looking at every one: so
 * to open a node with a million rows below it costs no more than one with three. Made by any thread, then of
 * one.
 */
#pragma once

#include "profile/views/tree.h"

G_BEGIN_DECLS

typedef struct {
  ProfileTreeNode node;
  guint32 first_child, n_children;
  gboolean is_made; /* its children are there */
  gboolean is_open; /* implies is_made */
} ViewerTreeKnown;

typedef struct {
  guint32 first, n; /* nodes: first ≤ node < first + n */
  ViewerTreeKnown *known;
  guint64 *sums; /* of rows below nodes, as a Fenwick tree: n + 1, of which the first is none */
} ViewerTreeChunk;

/* Copies the nodes of a tree from first on, all of them closed. */
ViewerTreeChunk *viewer_tree_chunk_new(const ProfileTree *tree, guint32 first);
void viewer_tree_chunk_free(ViewerTreeChunk *self);

/* So many more rows are seen below a node; modulo 2⁶⁴, so that they may be fewer. */
void viewer_tree_chunk_add_rows(ViewerTreeChunk *self, guint32 node, guint64 rows);
/* The rows of the chunk before node, which may be the end: of each node before it and what is below that. */
guint64 viewer_tree_chunk_count_rows(const ViewerTreeChunk *self, guint32 node);
/* The last node before which there are no more rows than that. */
guint32 viewer_tree_chunk_find_row(const ViewerTreeChunk *self, guint64 rows);
/* The first from node on below which rows are seen; first + n: there is none. */
guint32 viewer_tree_chunk_find_open(const ViewerTreeChunk *self, guint32 node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerTreeChunk, viewer_tree_chunk_free)

G_END_DECLS
