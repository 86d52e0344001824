/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-tree-nodes.h"

ViewerTreeNodes *viewer_tree_nodes_new(void)
{
  ViewerTreeNodes *self = g_new0(ViewerTreeNodes, 1);

  self->known = g_array_new(FALSE, FALSE, sizeof(ViewerTreeKnown));
  return self;
}

void viewer_tree_nodes_free(ViewerTreeNodes *self)
{
  g_array_unref(self->known);
  g_free(self);
}

guint32 viewer_tree_nodes_get_n(const ViewerTreeNodes *self)
{
  return self->known->len;
}

ViewerTreeKnown *viewer_tree_nodes_get(const ViewerTreeNodes *self, guint32 node)
{
  return &g_array_index(self->known, ViewerTreeKnown, node);
}

void viewer_tree_nodes_add(ViewerTreeNodes *self, const ViewerTreeJob *job)
{
  for (guint i = 0; i < job->nodes->len; i++) {
    ViewerTreeKnown known = {.node = g_array_index(job->nodes, ProfileTreeNode, i)};
    g_array_append_val(self->known, known);
  }
  for (guint i = 0; i < job->expansions->len; i++) {
    const ViewerTreeExpansion *expansion = &g_array_index(job->expansions, ViewerTreeExpansion, i);
    ViewerTreeKnown *known = viewer_tree_nodes_get(self, expansion->node);
    known->is_made = TRUE;
    known->first_child = expansion->first_child;
    known->n_children = expansion->n_children;
  }
  for (guint i = 0; i < job->open->len; i++)
    viewer_tree_nodes_get(self, g_array_index(job->open, guint32, i))->is_open = TRUE;
}

GArray *viewer_tree_nodes_get_open(const ViewerTreeNodes *self)
{
  GArray *open = g_array_new(FALSE, FALSE, sizeof(ViewerTreeOpen));
  g_autofree guint32 *index = g_new(guint32, self->known->len);

  for (guint32 i = 0; i < self->known->len; i++) {
    const ViewerTreeKnown *known = viewer_tree_nodes_get(self, i);
    ViewerTreeOpen item = {known->node.function, i == 0 ? 0 : index[known->node.parent]};
    index[i] = G_MAXUINT32;
    if (!known->is_open || item.parent == G_MAXUINT32)
      continue;
    index[i] = open->len;
    g_array_append_val(open, item);
  }
  return open;
}

guint32 viewer_tree_nodes_open_to(ViewerTreeNodes *self, guint32 node)
{
  guint32 uppermost = VIEWER_TREE_NO_NODE;

  while (node != 0) {
    node = viewer_tree_nodes_get(self, node)->node.parent;
    ViewerTreeKnown *known = viewer_tree_nodes_get(self, node);
    if (!known->is_open)
      uppermost = node;
    known->is_open = TRUE;
  }
  return uppermost;
}

GArray *viewer_tree_nodes_make_rows(const ViewerTreeNodes *self, guint32 node, gboolean with_node)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) next = g_array_new(FALSE, FALSE, sizeof(guint32));

  g_array_append_val(next, node);
  while (next->len > 0) {
    guint32 row = g_array_index(next, guint32, next->len - 1);
    const ViewerTreeKnown *known = viewer_tree_nodes_get(self, row);
    g_array_set_size(next, next->len - 1);
    if (with_node || row != node)
      g_array_append_val(rows, row);
    for (guint32 i = known->is_open ? known->n_children : 0; i > 0; i--) {
      guint32 child = known->first_child + i - 1;
      g_array_append_val(next, child);
    }
  }
  return rows;
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
