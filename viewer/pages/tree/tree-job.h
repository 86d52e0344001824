/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A piece of work on a call tree, done in a thread: a tree is used by one thread at a time, and what is
 * expanded may be large. Whoever shows the tree hands it over with the job and gets it back with what is new
 * in it.
 */
#pragma once

#include <gio/gio.h>

#include "profile/views/search.h"
#include "profile/views/tree.h"
#include "viewer/pages/tree/tree-chunk.h"

G_BEGIN_DECLS

typedef enum {
  VIEWER_TREE_TOP_DOWN,
  VIEWER_TREE_INVERTED,
  VIEWER_TREE_CALLEES,
  VIEWER_TREE_CALLERS
} ViewerTreeKind;

#define VIEWER_TREE_NO_NODE G_MAXUINT32

typedef enum {
  VIEWER_TREE_JOB_MAKE,         /* a tree of weights; opens what was open, else the heaviest path */
  VIEWER_TREE_JOB_EXPAND,       /* node */
  VIEWER_TREE_JOB_EXPAND_BELOW, /* node and all below it, up to a limit */
  VIEWER_TREE_JOB_FOLLOW,       /* path: expands what leads to its end, as far as there is one */
  VIEWER_TREE_JOB_SEARCH        /* search: expands what leads to the places of its functions */
} ViewerTreeJobKind;

/* A node that was open, of a list in which parents stand before their children. */
typedef struct {
  guint32 function;
  guint32 parent; /* index in the list; of the root, which is the first: 0 */
} ViewerTreeOpen;

/* A node whose children are in the tree now. */
typedef struct {
  guint32 node, first_child, n_children;
} ViewerTreeExpansion;

typedef struct _ViewerTreeNodes ViewerTreeNodes; /* tree-nodes.h */

typedef struct {
  ViewerTreeJobKind kind;
  ProfileTree *tree; /* MAKE: comes of it */
  guint32 n_known;   /* nodes of the tree that need not be told */

  ProfileWeights *weights;  /* MAKE */
  ViewerTreeKind tree_kind; /* MAKE, SEARCH */
  guint32 function;         /* MAKE: of callees and callers */
  GArray *was_open;         /* MAKE: ViewerTreeOpen, none when the root was closed; NULL: nothing was shown */
  ProfileWeights *old_weights; /* MAKE: those that was_open is from, or NULL */
  guint32 node;                /* EXPAND, EXPAND_BELOW */
  ProfilePath *path;           /* FOLLOW */
  ProfileSearch *search;       /* SEARCH */

  ViewerTreeNodes *made;  /* MAKE: all that is below, put together */
  ViewerTreeChunk *chunk; /* the nodes from n_known on; NULL: none */
  GArray *expansions;     /* ViewerTreeExpansion */
  GArray *open;           /* guint32: nodes that shall be open now, parents before their children */
  GArray *found;          /* guint32: FOLLOW, the last node of the path; SEARCH, the places */
} ViewerTreeJob;

ViewerTreeJob *viewer_tree_job_new(ViewerTreeJobKind kind);
void viewer_tree_job_free(ViewerTreeJob *self);
/* Blocking; from any thread. Cancelled, what was done until then holds. */
void viewer_tree_job_run(ViewerTreeJob *self, GCancellable *cancellable);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerTreeJob, viewer_tree_job_free)

G_END_DECLS
