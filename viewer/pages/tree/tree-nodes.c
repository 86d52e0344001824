/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-nodes.h"

enum { MOST_OPEN = 10000 };

struct _ViewerTreeNodes {
  GPtrArray *chunks; /* ViewerTreeChunk, in the order of their nodes */
};

ViewerTreeNodes *viewer_tree_nodes_new(void)
{
  ViewerTreeNodes *self = g_new0(ViewerTreeNodes, 1);

  self->chunks = g_ptr_array_new_with_free_func((GDestroyNotify)viewer_tree_chunk_free);
  return self;
}

void viewer_tree_nodes_free(ViewerTreeNodes *self)
{
  g_ptr_array_unref(self->chunks);
  g_free(self);
}

guint32 viewer_tree_nodes_get_n(const ViewerTreeNodes *self)
{
  const ViewerTreeChunk *last =
      self->chunks->len > 0 ? g_ptr_array_index(self->chunks, self->chunks->len - 1) : NULL;

  return last ? last->first + last->n : 0;
}

static ViewerTreeChunk *find_chunk(const ViewerTreeNodes *self, guint32 node)
{
  guint low = 0, high = self->chunks->len;

  while (high - low > 1) {
    guint middle = (low + high) / 2;
    const ViewerTreeChunk *chunk = g_ptr_array_index(self->chunks, middle);
    if (chunk->first <= node)
      low = middle;
    else
      high = middle;
  }
  return g_ptr_array_index(self->chunks, low);
}

static ViewerTreeKnown *get_known(const ViewerTreeNodes *self, guint32 node)
{
  const ViewerTreeChunk *chunk = find_chunk(self, node);

  return &chunk->known[node - chunk->first];
}

const ViewerTreeKnown *viewer_tree_nodes_get(const ViewerTreeNodes *self, guint32 node)
{
  return get_known(self, node);
}

/* As many as there are when it is open. */
static guint64 count_rows(const ViewerTreeNodes *self, const ViewerTreeKnown *known)
{
  if (known->n_children == 0)
    return 0;
  const ViewerTreeChunk *chunk = find_chunk(self, known->first_child);
  return viewer_tree_chunk_count_rows(chunk, known->first_child + known->n_children) -
         viewer_tree_chunk_count_rows(chunk, known->first_child);
}

void viewer_tree_nodes_set_open(ViewerTreeNodes *self, guint32 node, gboolean is_open)
{
  ViewerTreeKnown *known = get_known(self, node);

  if (known->is_open == is_open || !known->is_made)
    return;
  guint64 rows = count_rows(self, known), change = is_open ? rows : -rows;
  known->is_open = is_open;
  for (;;) {
    viewer_tree_chunk_add_rows(find_chunk(self, node), node, change);
    if (node == 0 || !get_known(self, known->node.parent)->is_open)
      return;
    node = known->node.parent;
    known = get_known(self, node);
  }
}

/* Parents stand before their children: in that order they are closed, in the other opened, so that no change
 * goes further up than to the next. */
static void open_all(ViewerTreeNodes *self, const GArray *open)
{
  for (guint i = 0; i < open->len; i++)
    viewer_tree_nodes_set_open(self, g_array_index(open, guint32, i), FALSE);
  for (guint i = open->len; i > 0; i--)
    viewer_tree_nodes_set_open(self, g_array_index(open, guint32, i - 1), TRUE);
}

void viewer_tree_nodes_add(ViewerTreeNodes *self, ViewerTreeJob *job)
{
  if (job->chunk)
    g_ptr_array_add(self->chunks, g_steal_pointer(&job->chunk));
  for (guint i = 0; i < job->expansions->len; i++) {
    const ViewerTreeExpansion *expansion = &g_array_index(job->expansions, ViewerTreeExpansion, i);
    ViewerTreeKnown *known = get_known(self, expansion->node);
    known->is_made = TRUE;
    known->first_child = expansion->first_child;
    known->n_children = expansion->n_children;
  }
  open_all(self, job->open);
}

guint32 viewer_tree_nodes_open_to(ViewerTreeNodes *self, guint32 node)
{
  guint32 uppermost = VIEWER_TREE_NO_NODE;

  while (node != 0) {
    node = get_known(self, node)->node.parent;
    if (!get_known(self, node)->is_open)
      uppermost = node;
    viewer_tree_nodes_set_open(self, node, TRUE);
  }
  return uppermost;
}

static void add_open(GArray *open, GArray *nodes, const ViewerTreeKnown *known, guint32 node, guint32 parent)
{
  ViewerTreeOpen item = {known->node.function, parent};

  g_array_append_val(open, item);
  g_array_append_val(nodes, node);
}

GArray *viewer_tree_nodes_get_open(const ViewerTreeNodes *self)
{
  GArray *open = g_array_new(FALSE, FALSE, sizeof(ViewerTreeOpen));
  g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(guint32));

  if (viewer_tree_nodes_get_n(self) > 0 && get_known(self, 0)->is_open)
    add_open(open, nodes, get_known(self, 0), 0, 0);
  for (guint i = 0; i < nodes->len; i++) {
    const ViewerTreeKnown *known = get_known(self, g_array_index(nodes, guint32, i));
    const ViewerTreeChunk *chunk = known->n_children > 0 ? find_chunk(self, known->first_child) : NULL;
    guint32 end = known->first_child + known->n_children, child = known->first_child;
    for (; chunk && nodes->len < MOST_OPEN; child++) {
      child = viewer_tree_chunk_find_open(chunk, child);
      if (child >= end)
        break;
      add_open(open, nodes, get_known(self, child), child, i);
    }
  }
  return open;
}

guint viewer_tree_nodes_count_rows_below(const ViewerTreeNodes *self, guint32 node)
{
  const ViewerTreeKnown *known = get_known(self, node);

  return known->is_open ? (guint)count_rows(self, known) : 0;
}

guint viewer_tree_nodes_get_n_rows(const ViewerTreeNodes *self)
{
  return viewer_tree_nodes_get_n(self) > 0 ? 1 + viewer_tree_nodes_count_rows_below(self, 0) : 0;
}

guint32 viewer_tree_nodes_get_row(const ViewerTreeNodes *self, guint position)
{
  guint32 node = 0;

  if (position >= viewer_tree_nodes_get_n_rows(self))
    return VIEWER_TREE_NO_NODE;
  for (guint64 rows = position; rows > 0;) {
    guint32 first = get_known(self, node)->first_child;
    const ViewerTreeChunk *chunk = find_chunk(self, first);
    guint64 before = viewer_tree_chunk_count_rows(chunk, first) + rows - 1;
    node = viewer_tree_chunk_find_row(chunk, before);
    rows = before - viewer_tree_chunk_count_rows(chunk, node);
  }
  return node;
}

guint viewer_tree_nodes_get_position(const ViewerTreeNodes *self, guint32 node)
{
  guint64 position = 0;

  if (node >= viewer_tree_nodes_get_n(self))
    return G_MAXUINT;
  while (node != 0) {
    guint32 parent = get_known(self, node)->node.parent;
    const ViewerTreeKnown *known = get_known(self, parent);
    const ViewerTreeChunk *chunk = find_chunk(self, node);
    if (!known->is_open)
      return G_MAXUINT;
    position += 1 + viewer_tree_chunk_count_rows(chunk, node) -
                viewer_tree_chunk_count_rows(chunk, known->first_child);
    node = parent;
  }
  return (guint)position;
}

guint32 viewer_tree_nodes_get_next_row(const ViewerTreeNodes *self, guint32 node)
{
  const ViewerTreeKnown *known = get_known(self, node);

  if (known->is_open && known->n_children > 0)
    return known->first_child;
  while (node != 0) {
    const ViewerTreeKnown *parent = get_known(self, known->node.parent);
    if (node + 1 < parent->first_child + parent->n_children)
      return node + 1;
    node = known->node.parent;
    known = parent;
  }
  return VIEWER_TREE_NO_NODE;
}

ProfilePath *viewer_tree_nodes_get_path(const ViewerTreeNodes *self, guint32 node)
{
  guint n = viewer_tree_nodes_get(self, node)->node.depth;
  ProfilePath *path = g_malloc(sizeof *path + n * sizeof path->functions[0]);

  path->n = n;
  for (; n > 0; node = viewer_tree_nodes_get(self, node)->node.parent)
    path->functions[--n] = viewer_tree_nodes_get(self, node)->node.function;
  return path;
}

guint32 viewer_tree_nodes_follow(const ViewerTreeNodes *self, const guint32 *path, guint n, guint *ret_n)
{
  guint32 node = 0;
  guint i = 0;

  for (; i < n; i++) {
    const ViewerTreeKnown *known = viewer_tree_nodes_get(self, node);
    guint32 child = 0;
    while (child < known->n_children &&
           viewer_tree_nodes_get(self, known->first_child + child)->node.function != path[i])
      child++;
    if (child == known->n_children)
      break;
    node = known->first_child + child;
  }
  *ret_n = i;
  return node;
}

/* Children of a node stand as they are numbered. */
gint viewer_tree_nodes_compare(gconstpointer a, gconstpointer b, gpointer data)
{
  const ViewerTreeNodes *self = data;
  guint32 left = *(const guint32 *)a, right = *(const guint32 *)b;
  gint by_depth = (gint)viewer_tree_nodes_get(self, left)->node.depth -
                  (gint)viewer_tree_nodes_get(self, right)->node.depth;

  for (gint i = 0; i < by_depth; i++)
    left = viewer_tree_nodes_get(self, left)->node.parent;
  for (gint i = by_depth; i < 0; i++)
    right = viewer_tree_nodes_get(self, right)->node.parent;
  if (left == right)
    return by_depth;
  while (viewer_tree_nodes_get(self, left)->node.parent != viewer_tree_nodes_get(self, right)->node.parent) {
    left = viewer_tree_nodes_get(self, left)->node.parent;
    right = viewer_tree_nodes_get(self, right)->node.parent;
  }
  return left < right ? -1 : 1;
}
