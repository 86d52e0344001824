/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-chunk.h"

ViewerTreeChunk *viewer_tree_chunk_new(const ProfileTree *tree, guint32 first)
{
  ViewerTreeChunk *self = g_new0(ViewerTreeChunk, 1);

  self->first = first;
  self->n = profile_tree_get_n_nodes(tree) - first;
  self->known = g_new0(ViewerTreeKnown, self->n);
  self->sums = g_new0(guint64, (gsize)self->n + 1);
  for (guint32 i = 0; i < self->n; i++)
    self->known[i].node = *profile_tree_get_node(tree, first + i);
  return self;
}

void viewer_tree_chunk_free(ViewerTreeChunk *self)
{
  g_free(self->known);
  g_free(self->sums);
  g_free(self);
}

void viewer_tree_chunk_add_rows(ViewerTreeChunk *self, guint32 node, guint64 rows)
{
  for (guint64 i = node - self->first + 1; i <= self->n; i += i & -i)
    self->sums[i] += rows;
}

static guint64 sum_up(const ViewerTreeChunk *self, guint32 n)
{
  guint64 sum = 0;

  for (guint32 i = n; i > 0; i &= i - 1)
    sum += self->sums[i];
  return sum;
}

guint64 viewer_tree_chunk_count_rows(const ViewerTreeChunk *self, guint32 node)
{
  guint32 n = node - self->first;

  return n + sum_up(self, n);
}

/* Of how many nodes, the most that there are, `own` each and the rows below them are no more than `sum`. */
static guint32 find_sum(const ViewerTreeChunk *self, guint64 sum, guint64 own)
{
  guint64 n = 0;

  for (guint64 step = G_GUINT64_CONSTANT(1) << g_bit_storage(self->n); step > 0; step /= 2) {
    if (n + step > self->n || self->sums[n + step] + own * step > sum)
      continue;
    n += step;
    sum -= self->sums[n] + own * step;
  }
  return (guint32)n;
}

guint32 viewer_tree_chunk_find_row(const ViewerTreeChunk *self, guint64 rows)
{
  return self->first + find_sum(self, rows, 1);
}

guint32 viewer_tree_chunk_find_open(const ViewerTreeChunk *self, guint32 node)
{
  return self->first + find_sum(self, sum_up(self, node - self->first), 0);
}
