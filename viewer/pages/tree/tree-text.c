/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-text.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

enum { WIDTH = 10, MOST_SPACES = 200 };

/* Printf counts bytes: columns are padded by characters. */
static void append_padded(GString *text, const char *word)
{
  for (glong n = g_utf8_strlen(word, -1); n < WIDTH; n++)
    g_string_append_c(text, ' ');
  g_string_append(text, word);
  g_string_append(text, "  ");
}

static void append_titles(GString *text, gpointer model)
{
  append_padded(text, _("Total %"));
  append_padded(text, _("Total"));
  append_padded(text, _("Self"));
  g_string_append_printf(text, "%s\n", _("Function"));
}

static void append_row(GString *text, guint position, gpointer model)
{
  guint32 node = viewer_tree_model_get_node_at(model, position);
  const ProfileWeights *weights = viewer_tree_model_get_weights(model);
  const ProfileTreeNode *item = viewer_tree_model_get(model, node);
  g_autofree char *share = viewer_tree_model_format_share(model, node);
  g_autofree char *total = viewer_format_weight(weights, item->total);
  g_autofree char *own = viewer_format_weight(weights, item->self);
  g_autofree char *name = viewer_format_name(viewer_tree_model_get_name(model, node), 0);
  g_autofree char *binary = viewer_format_binary(viewer_tree_model_get_binary(model, node));

  append_padded(text, share);
  append_padded(text, total);
  append_padded(text, own);
  for (guint32 i = 0; i < MIN(item->depth, MOST_SPACES / 2); i++)
    g_string_append(text, "  ");
  g_string_append(text, name);
  if (*binary)
    g_string_append_printf(text, "  (%s)", binary);
  g_string_append_c(text, '\n');
}

ViewerCopyRows viewer_tree_text_get_rows(ViewerTreeModel *model, guint position, guint n)
{
  return (ViewerCopyRows){G_LIST_MODEL(model), "shown", position, n, append_titles, append_row, model};
}
