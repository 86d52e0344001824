/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-job.h"

#include "profile/capture/translate.h"
#include "viewer/pages/tree/tree-nodes.h"

/* New nodes of one job that expands all below a node; and places of a search. */
enum { MOST_NODES = 10000, MOST_PLACES = 1000 };
/* Of the heaviest path, one in so many: what is not its next node has at most that part of a node; its nodes
 * have that part of all, and each has a child of that part of its own. */
enum { MOST_BESIDE = 3, LEAST_OF_ALL = 20, LEAST_BELOW = 20 };

ViewerTreeJob *viewer_tree_job_new(ViewerTreeJobKind kind)
{
  ViewerTreeJob *self = g_new0(ViewerTreeJob, 1);

  self->kind = kind;
  self->expansions = g_array_new(FALSE, FALSE, sizeof(ViewerTreeExpansion));
  self->open = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->found = g_array_new(FALSE, FALSE, sizeof(guint32));
  return self;
}

void viewer_tree_job_free(ViewerTreeJob *self)
{
  g_clear_pointer(&self->tree, profile_tree_free);
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->old_weights, profile_weights_unref);
  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->made, viewer_tree_nodes_free);
  g_clear_pointer(&self->chunk, viewer_tree_chunk_free);
  g_free(self->path);
  g_clear_pointer(&self->was_open, g_array_unref);
  g_array_unref(self->expansions);
  g_array_unref(self->open);
  g_array_unref(self->found);
  g_free(self);
}

static guint32 tree_job_expand(ViewerTreeJob *self, guint32 node, guint32 *ret_n)
{
  ViewerTreeExpansion expansion = {.node = node};

  expansion.first_child = profile_tree_expand(self->tree, node, &expansion.n_children);
  g_array_append_val(self->expansions, expansion);
  *ret_n = expansion.n_children;
  return expansion.first_child;
}

/* VIEWER_TREE_NO_NODE: it has none of that function. */
static guint32 find_child(ViewerTreeJob *self, guint32 node, guint32 function)
{
  guint32 n, first = tree_job_expand(self, node, &n);

  for (guint32 i = first; i < first + n; i++)
    if (profile_tree_get_node(self->tree, i)->function == function)
      return i;
  return VIEWER_TREE_NO_NODE;
}

static guint32 tree_job_follow(ViewerTreeJob *self, const ProfilePath *path, guint *ret_n)
{
  guint32 node = 0;
  guint i = 0;

  for (; i < path->n; i++) {
    guint32 child = find_child(self, node, path->functions[i]);
    if (child == VIEWER_TREE_NO_NODE)
      break;
    node = child;
  }
  *ret_n = i;
  return node;
}

static guint64 tree_job_measure(ViewerTreeJob *self, guint32 node)
{
  return profile_weights_measure(profile_tree_get_weights(self->tree),
                                 profile_tree_get_node(self->tree, node)->total);
}

/* Whether time divides there: the heaviest child does not outweigh all else in its parent by far. */
static gboolean is_divided(ViewerTreeJob *self, guint64 total, guint64 heaviest)
{
  return heaviest < total - total / MOST_BESIDE || heaviest < tree_job_measure(self, 0) / LEAST_OF_ALL;
}

/* Up to where it divides, which is seen; but what falls to dust is not. */
static void open_heaviest(ViewerTreeJob *self)
{
  for (guint32 node = 0;;) {
    guint32 n, first = tree_job_expand(self, node, &n);
    guint64 total = tree_job_measure(self, node), heaviest = n > 0 ? tree_job_measure(self, first) : 0;
    if (heaviest == 0 || (node != 0 && heaviest < total / LEAST_BELOW))
      return;
    g_array_append_val(self->open, node);
    if (is_divided(self, total, heaviest))
      return;
    node = first;
  }
}

/* Names and growth change the indices of functions. */
static void translate_open(ViewerTreeJob *self)
{
  ProfileCapture *from = profile_weights_get_capture(self->old_weights),
                 *to = profile_weights_get_capture(self->weights);
  guint n = self->was_open->len;
  ViewerTreeOpen *was_open = (ViewerTreeOpen *)self->was_open->data;
  g_autofree guint32 *functions = g_new(guint32, n);

  if (from == to)
    return;
  for (guint i = 0; i < n; i++)
    functions[i] = was_open[i].function;
  profile_capture_translate_functions(from, to, functions + 1, n - 1, functions + 1);
  for (guint i = 1; i < n; i++)
    was_open[i].function = functions[i];
}

static void open_again(ViewerTreeJob *self, GCancellable *cancellable)
{
  const ViewerTreeOpen *was_open = (const ViewerTreeOpen *)self->was_open->data;
  guint n_open = self->was_open->len;
  g_autofree guint32 *nodes = g_new(guint32, n_open);

  translate_open(self);
  nodes[0] = 0;
  for (guint i = 0; i < n_open && !g_cancellable_is_cancelled(cancellable); i++) {
    guint32 n;
    if (i > 0)
      nodes[i] = nodes[was_open[i].parent] == VIEWER_TREE_NO_NODE
                     ? VIEWER_TREE_NO_NODE
                     : find_child(self, nodes[was_open[i].parent], was_open[i].function);
    if (nodes[i] == VIEWER_TREE_NO_NODE)
      continue;
    tree_job_expand(self, nodes[i], &n);
    g_array_append_val(self->open, nodes[i]);
  }
}

static void tree_job_make(ViewerTreeJob *self, GCancellable *cancellable)
{
  static ProfileTree *(*const constructors[])(ProfileWeights *) = {profile_tree_new,
                                                                   profile_tree_new_inverted};
  static ProfileTree *(*const of_function[])(ProfileWeights *, guint32) = {profile_tree_new_callees,
                                                                           profile_tree_new_callers};

  if (self->tree_kind < VIEWER_TREE_CALLEES)
    self->tree = constructors[self->tree_kind](self->weights);
  else
    self->tree = of_function[self->tree_kind - VIEWER_TREE_CALLEES](self->weights, self->function);
  if (self->was_open && self->was_open->len > 0)
    open_again(self, cancellable);
  if (!self->was_open || (self->open->len <= 1 && self->was_open->len > 1)) {
    g_array_set_size(self->open, 0);
    open_heaviest(self);
  }
}

/* A node that waits, heaviest first. */
typedef struct {
  guint64 measure;
  guint32 node;
} Waiting;

static gint compare_waiting(gconstpointer a, gconstpointer b, gpointer data)
{
  const Waiting *left = a, *right = b;

  if (left->measure != right->measure)
    return left->measure > right->measure ? -1 : 1;
  return left->node < right->node ? -1 : left->node > right->node;
}

static void wait_for(ViewerTreeJob *self, GTree *waiting, guint32 node)
{
  Waiting *item = g_new(Waiting, 1);

  *item = (Waiting){tree_job_measure(self, node), node};
  g_tree_insert(waiting, item, item);
}

static void expand_below(ViewerTreeJob *self, GCancellable *cancellable)
{
  g_autoptr(GTree) waiting = g_tree_new_full(compare_waiting, NULL, g_free, NULL);
  guint n_made = 0;

  wait_for(self, waiting, self->node);
  while (n_made < MOST_NODES && g_tree_nnodes(waiting) > 0 && !g_cancellable_is_cancelled(cancellable)) {
    const Waiting *heaviest = g_tree_node_key(g_tree_node_first(waiting));
    guint32 n, node = heaviest->node, first = tree_job_expand(self, node, &n);
    g_tree_remove(waiting, heaviest);
    if (n > 0)
      g_array_append_val(self->open, node);
    for (guint32 child = first; child < first + n; child++)
      wait_for(self, waiting, child);
    n_made += n;
  }
}

static void tree_job_search(ViewerTreeJob *self, GCancellable *cancellable)
{
  g_autoptr(GPtrArray) paths =
      profile_search_find_paths(self->search, self->tree_kind == VIEWER_TREE_INVERTED, MOST_PLACES);

  for (guint i = 0; i < paths->len && !g_cancellable_is_cancelled(cancellable); i++) {
    const ProfilePath *path = paths->pdata[i];
    guint n;
    guint32 node = tree_job_follow(self, path, &n);
    if (n == path->n)
      g_array_append_val(self->found, node);
  }
}

void viewer_tree_job_run(ViewerTreeJob *self, GCancellable *cancellable)
{
  guint n;
  guint32 n_children;

  switch (self->kind) {
  case VIEWER_TREE_JOB_MAKE:
    tree_job_make(self, cancellable);
    break;
  case VIEWER_TREE_JOB_EXPAND:
    tree_job_expand(self, self->node, &n_children);
    break;
  case VIEWER_TREE_JOB_EXPAND_BELOW:
    expand_below(self, cancellable);
    break;
  case VIEWER_TREE_JOB_FOLLOW: {
    guint32 node = tree_job_follow(self, self->path, &n);
    g_array_append_val(self->found, node);
    break;
  }
  case VIEWER_TREE_JOB_SEARCH:
    tree_job_search(self, cancellable);
    break;
  }
  if (profile_tree_get_n_nodes(self->tree) > self->n_known)
    self->chunk = viewer_tree_chunk_new(self->tree, self->n_known);
  if (self->kind != VIEWER_TREE_JOB_MAKE)
    return;
  self->made = viewer_tree_nodes_new();
  viewer_tree_nodes_add(self->made, self);
}
