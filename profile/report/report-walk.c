/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/report/report.h"

typedef struct {
  guint32 node, next, end; /* children next … end - 1 are still to be visited */
} Level;

static Level open_level(ProfileTree *tree, guint32 node, gboolean descend)
{
  Level level = {.node = node};
  guint32 n;

  if (!descend)
    return level;
  level.next = profile_tree_expand(tree, node, &n);
  level.end = level.next + n;
  return level;
}

void profile_report_walk(ProfileTree *tree, guint64 limit, const ProfileReportVisitor *visitor, gpointer data)
{
  g_autoptr(GArray) levels = g_array_new(FALSE, FALSE, sizeof(Level));

  profile_tree_set_minimum(tree, limit);
  Level level = open_level(tree, 0, visitor->enter(tree, 0, TRUE, TRUE, data));

  g_array_append_val(levels, level);
  while (levels->len > 0) {
    Level *top = &g_array_index(levels, Level, levels->len - 1);
    if (top->next == top->end) {
      if (visitor->leave)
        visitor->leave(tree, top->node, data);
      g_array_set_size(levels, levels->len - 1);
      continue;
    }
    guint32 child = top->next++;
    guint32 n, first = profile_tree_expand(tree, top->node, &n);
    gboolean descend = visitor->enter(tree, child, child == first, top->next == top->end, data);
    level = open_level(tree, child, descend);
    g_array_append_val(levels, level);
  }
}
