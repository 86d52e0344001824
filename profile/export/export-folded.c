/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/printable.h"
#include "profile/export/export-private.h"

typedef struct {
  ProfileWeights *weights;
  ProfileStacks *stacks; /* the weights' */
  GString *path;         /* of the node in hand, outermost function first */
  GArray *lengths;       /* gsize: path's length at each depth */
  GString *text;
  GOutputStream *stream;
  GCancellable *cancellable;
} Folded;

/* Code made at run time: it has a name, and no file. */
static gboolean is_run_time(const ProfileFunction *function)
{
  return function->kind == CAPTURE_SPACE_IDENTIFIERS ||
         (function->kind == CAPTURE_SPACE_PROCESS && function->range);
}

static void append_name(Folded *self, guint32 function)
{
  gsize start = self->path->len;

  profile_printable_append(self->path, profile_stacks_get_function_name(self->stacks, function));
  g_strdelimit(self->path->str + start, ";", ':');
  if (profile_stacks_function_is_kernel(self->stacks, function))
    g_string_append(self->path, "_[k]");
  else if (is_run_time(profile_stacks_get_function(self->stacks, function)))
    g_string_append(self->path, "_[j]");
}

static gboolean export_folded_visit(const ProfileExportPlace *place, const ProfileTreeNode *node,
                                    gpointer data, GError **error)
{
  Folded *self = data;
  guint64 own = profile_weights_measure(self->weights, node->self);

  if (node->depth == 0) {
    if (own > 0)
      g_string_append_printf(self->text, "[no stack] %" G_GUINT64_FORMAT "\n", own);
    return TRUE;
  }
  g_string_truncate(self->path, g_array_index(self->lengths, gsize, node->depth - 1));
  if (node->depth > 1)
    g_string_append_c(self->path, ';');
  append_name(self, node->function);
  g_array_set_size(self->lengths, node->depth);
  g_array_append_val(self->lengths, self->path->len);
  if (own > 0)
    g_string_append_printf(self->text, "%s %" G_GUINT64_FORMAT "\n", self->path->str, own);
  return profile_export_flush(self->text, FALSE, self->stream, self->cancellable, error);
}

gboolean profile_export_folded(ProfileWeights *weights, const ProfileExportOptions *options,
                               GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr(ProfileTree) tree = profile_tree_new(weights);
  g_autoptr(GString) path = g_string_new(NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GArray) lengths = g_array_new(FALSE, TRUE, sizeof(gsize));
  Folded self = {
      .weights = weights,
      .stacks = profile_weights_get_stacks(weights),
      .path = path,
      .lengths = lengths,
      .text = text,
      .stream = stream,
      .cancellable = cancellable,
  };

  g_array_set_size(lengths, 1);
  return profile_export_walk(tree, 1, export_folded_visit, &self, cancellable, error) &&
         profile_export_flush(text, TRUE, stream, cancellable, error);
}
