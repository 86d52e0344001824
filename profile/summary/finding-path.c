/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way through the call tree that most samples take, down to where the time is spent. */
#include <glib/gi18n.h>
#include <string.h>

#include "profile/summary/summary-private.h"
#include "profile/views/tree.h"

/* Below this share of all samples it is one of many; so many functions of its end are named. */
#define LEAST 0.1
enum { NAMED = 4, DEPTH_MAX = 4096 };

/* Down to the function that has more itself than any that it calls. */
static guint32 find_end(const ProfileSummaryFacts *facts, ProfileTree *tree)
{
  guint32 node = 0, n;

  for (guint depth = 0; depth < DEPTH_MAX; depth++) {
    guint32 child = profile_tree_expand(tree, node, &n);
    ProfileWeight self = profile_tree_get_node(tree, node)->self;
    if (n == 0)
      break;
    guint64 most = profile_weights_measure(facts->weights, profile_tree_get_node(tree, child)->total);
    if ((node != 0 && most < profile_weights_measure(facts->weights, self)) ||
        (double)most < LEAST * (double)facts->sum)
      break;
    node = child;
  }
  return node;
}

static ProfilePath *make_path(ProfileTree *tree, guint32 end)
{
  guint n = profile_tree_get_node(tree, end)->depth;
  ProfilePath *path = g_malloc(sizeof *path + n * sizeof path->functions[0]);

  path->n = n;
  for (guint32 node = end; n > 0; node = profile_tree_get_node(tree, node)->parent)
    path->functions[--n] = profile_tree_get_node(tree, node)->function;
  return path;
}

static char *describe_path(const ProfileSummaryFacts *facts, const ProfilePath *path)
{
  g_autoptr(GString) text = g_string_new(path->n > NAMED ? "…" : NULL);

  for (guint i = path->n > NAMED ? path->n - NAMED : 0; i < path->n; i++) {
    g_autofree char *name = profile_summary_format_function(facts, path->functions[i]);
    g_string_append_printf(text, "%s%s", text->len > 0 ? " › " : "", name);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

gboolean profile_summary_find_path(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  g_autoptr(ProfileTree) tree = profile_tree_new(facts->weights);

  profile_tree_set_minimum(tree, MAX(1, (guint64)(LEAST * (double)facts->sum)));
  guint32 end = find_end(facts, tree);
  if (profile_tree_get_node(tree, end)->depth < 2)
    return FALSE;
  ret->path = make_path(tree, end);
  g_autofree char *path = describe_path(facts, ret->path);
  g_autofree char *share = profile_summary_format_share(
      facts, profile_weights_measure(facts->weights, profile_tree_get_node(tree, end)->total));
  /* TRANSLATORS: "Heaviest path: work › score › sincos, 31 %." */
  ret->sentence = g_strdup_printf(_("Heaviest path: %s, %s."), path, share);
  ret->function = ret->path->functions[ret->path->n - 1];
  ret->show = PROFILE_SUMMARY_SHOW_PATH;
  return TRUE;
}
