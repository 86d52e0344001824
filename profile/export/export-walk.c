/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/export/export-private.h"

#include <string.h>

#define FLUSH_SIZE (64 * 1024)

typedef struct {
  const ProfileStacks *stacks; /* the tree's */
  ProfileTree *tree;
  guint64 limit;
  GArray *pending;  /* ProfileExportPlace, the next one last */
  GArray *children; /* guint32, of the node in hand */
} Walk;

static int compare_functions(const ProfileStacks *stacks, guint32 a, guint32 b)
{
  int order =
      strcmp(profile_stacks_get_function_name(stacks, a), profile_stacks_get_function_name(stacks, b));

  return order != 0 ? order
                    : strcmp(profile_stacks_get_function_binary(stacks, a),
                             profile_stacks_get_function_binary(stacks, b));
}

static guint64 export_walk_measure(const ProfileTree *tree, ProfileWeight weight)
{
  return profile_weights_measure(profile_tree_get_weights(tree), weight);
}

static int compare_children(gconstpointer a, gconstpointer b, gpointer data)
{
  const Walk *walk = data;
  const ProfileTreeNode *left = profile_tree_get_node(walk->tree, *(const guint32 *)a);
  const ProfileTreeNode *right = profile_tree_get_node(walk->tree, *(const guint32 *)b);

  guint64 own = export_walk_measure(walk->tree, left->total),
          other = export_walk_measure(walk->tree, right->total);

  if (own != other)
    return own > other ? -1 : 1;
  return compare_functions(walk->stacks, left->function, right->function);
}

/* Sorts the children into those to visit and what is left out; returns the samples of the former. */
static guint64 choose_children(Walk *walk, guint32 node, ProfileExportPlace *left_out)
{
  guint32 n, first = profile_tree_expand(walk->tree, node, &n);
  guint64 count = 0;

  g_array_set_size(walk->children, 0);
  for (guint32 i = first; i < first + n; i++) {
    guint64 total = export_walk_measure(walk->tree, profile_tree_get_node(walk->tree, i)->total);

    if (total >= walk->limit && total > 0) {
      g_array_append_val(walk->children, i);
      count += total;
    } else {
      left_out->n_left_out++;
      left_out->count += total;
    }
  }
  g_array_sort_with_data(walk->children, compare_children, walk);
  return count;
}

/* What is pushed last comes next: the heaviest. */
static void push_children(Walk *walk, const ProfileExportPlace *place)
{
  ProfileExportPlace left_out = {.node = place->node};
  guint64 end = place->begin + choose_children(walk, place->node, &left_out);

  left_out.begin = end;
  if (left_out.count >= walk->limit)
    g_array_append_val(walk->pending, left_out);
  for (guint i = walk->children->len; i > 0; i--) {
    ProfileExportPlace child = {.node = g_array_index(walk->children, guint32, i - 1)};

    child.count = export_walk_measure(walk->tree, profile_tree_get_node(walk->tree, child.node)->total);
    child.begin = end -= child.count;
    g_array_append_val(walk->pending, child);
  }
}

gboolean profile_export_walk(ProfileTree *tree, guint64 limit, ProfileExportVisitFunc visit, gpointer data,
                             GCancellable *cancellable, GError **error)
{
  g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(ProfileExportPlace));
  g_autoptr(GArray) children = g_array_new(FALSE, FALSE, sizeof(guint32));
  ProfileExportPlace place = {.count = export_walk_measure(tree, profile_tree_get_node(tree, 0)->total)};
  Walk walk = {profile_weights_get_stacks(profile_tree_get_weights(tree)), tree, limit, pending, children};

  g_array_append_val(pending, place);
  while (pending->len > 0) {
    if (g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    place = g_array_index(pending, ProfileExportPlace, pending->len - 1);
    g_array_set_size(pending, pending->len - 1);
    if (!visit(&place, profile_tree_get_node(tree, place.node), data, error))
      return FALSE;
    if (place.n_left_out == 0)
      push_children(&walk, &place);
  }
  return TRUE;
}

gboolean profile_export_flush(GString *text, gboolean all, GOutputStream *stream, GCancellable *cancellable,
                              GError **error)
{
  gboolean written;

  if (!all && text->len < FLUSH_SIZE)
    return TRUE;
  written = g_output_stream_write_all(stream, text->str, text->len, NULL, cancellable, error);
  g_string_truncate(text, 0);
  return written;
}

ProfileWeights *profile_export_without_inlined(ProfileWeights *weights)
{
  ProfileStacks *stacks = profile_weights_get_stacks(weights);
  g_autoptr(ProfileFilter) filter = profile_filter_copy(profile_weights_get_filter(weights));

  if (profile_stacks_is_transformed(stacks) || !profile_stacks_get_inlined(stacks))
    return profile_weights_ref(weights);
  g_autoptr(ProfileStacks) recorded =
      profile_stacks_new_without_inlined(profile_weights_get_capture(weights));
  profile_filter_set_stacks(filter, recorded);
  return profile_weights_new(filter);
}
