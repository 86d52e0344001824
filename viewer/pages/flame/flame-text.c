/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-text.h"

#include <glib/gi18n.h>

#include "profile/views/tree.h"
#include "viewer/kit/format.h"

static const ProfileFlameBox *get_box(const ProfileFlame *flame, guint box)
{
  guint n;

  return &profile_flame_get_boxes(flame, &n)[box];
}

static ProfileStacks *get_stacks(const ProfileFlame *flame)
{
  return profile_filter_get_stacks(profile_weights_get_filter(profile_flame_get_weights(flame)));
}

static gboolean is_root(const ProfileFlame *flame, guint box)
{
  return get_box(flame, box)->function == PROFILE_TREE_NO_FUNCTION;
}

char *viewer_flame_text_get_name(const ProfileFlame *flame, guint box, guint n_max)
{
  if (is_root(flame, box))
    return g_strdup(_("All Samples"));
  return viewer_format_name(
      profile_stacks_get_function_name(get_stacks(flame), get_box(flame, box)->function), n_max);
}

char *viewer_flame_text_get_binary(const ProfileFlame *flame, guint box)
{
  if (is_root(flame, box))
    return NULL;
  return viewer_format_binary(
      profile_stacks_get_function_binary(get_stacks(flame), get_box(flame, box)->function));
}

/* NULL: the root of all, or what a binary was collapsed into. */
static const ProfileFunction *get_function(const ProfileFlame *flame, guint box)
{
  ProfileCapture *capture = profile_weights_get_capture(profile_flame_get_weights(flame));
  guint32 function = get_box(flame, box)->function;
  gsize n;
  const ProfileFunction *functions = profile_capture_get_functions(capture, &n);

  return function < n ? &functions[function] : NULL;
}

static char *get_place(const ProfileFlame *flame, guint box)
{
  const ProfileFunction *function = get_function(flame, box);
  const ProfileFunctionRange *range = function ? function->range : NULL;

  if (range && range->file && range->line > 0) {
    g_autofree char *file = viewer_format_binary(range->file);
    return g_strdup_printf("%s:%" G_GUINT32_FORMAT, file, range->line);
  }
  if (range && range->file)
    return viewer_format_binary(range->file);
  guint64 address = range ? range->start : function ? function->address : 0;
  return address ? g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address) : NULL;
}

char *viewer_flame_text_get_place(const ProfileFlame *flame, guint box)
{
  char *place = get_place(flame, box);
  g_autofree char *plain = NULL;

  if (!place || !get_box(flame, box)->inlined)
    return place;
  plain = place;
  /* Translators: file and line of a function that the compiler put into its caller */
  return g_strdup_printf(_("%s, inlined"), plain);
}

static guint64 flame_text_measure(const ProfileFlame *flame, guint box)
{
  return profile_weights_measure(profile_flame_get_weights(flame), get_box(flame, box)->total);
}

char *viewer_flame_text_get_share_of_parent(const ProfileFlame *flame, guint box)
{
  if (is_root(flame, box))
    return NULL;
  return viewer_format_share(flame_text_measure(flame, box),
                             flame_text_measure(flame, get_box(flame, box)->parent));
}

char *viewer_flame_text_describe(const ProfileFlame *flame, guint box)
{
  const ProfileFlameBox *item = get_box(flame, box);
  ProfileWeights *weights = profile_flame_get_weights(flame);
  g_autofree char *share = viewer_format_weight_share(weights, item->total);
  g_autofree char *total = viewer_format_weight(weights, item->total);
  g_autofree char *self = viewer_format_weight_share(weights, item->self);
  g_autofree char *binary = viewer_flame_text_get_binary(flame, box);

  if (!binary)
    return g_strdup_printf(_("%s, %s"), share, total);
  if (profile_flame_is_inverted(flame))
    /* Translators: share of all, amount, binary, how deep in the graph */
    return g_strdup_printf(_("%s, %s, in %s, level %u"), share, total, binary, item->depth);
  /* Translators: share of all, amount, share of its own, binary, how deep in the graph */
  return g_strdup_printf(_("%s, %s, self %s, in %s, level %u"), share, total, self, binary, item->depth);
}

char *viewer_flame_text_get_tooltip(const ProfileFlame *flame, guint box)
{
  const ProfileFlameBox *item = get_box(flame, box);
  ProfileWeights *weights = profile_flame_get_weights(flame);
  g_autofree char *name = viewer_flame_text_get_name(flame, box, 300);
  g_autofree char *binary = viewer_flame_text_get_binary(flame, box);
  g_autofree char *total = viewer_format_weight(weights, item->total);
  g_autofree char *total_share = viewer_format_weight_share(weights, item->total);
  g_autofree char *self = viewer_format_weight(weights, item->self);
  g_autofree char *self_share = viewer_format_weight_share(weights, item->self);
  g_autofree char *samples = viewer_format_samples(item->total.count);
  GString *text = g_string_new(NULL);

  if (binary)
    g_string_append_printf(text, "%s\n", binary);
  if (item->inlined)
    g_string_append_printf(text, "%s\n", _("Inlined into its caller"));
  g_string_append_printf(text, _("Total: %s (%s)"), total, total_share);
  if (!profile_flame_is_inverted(flame)) {
    g_string_append_c(text, '\n');
    g_string_append_printf(text, _("Self: %s (%s)"), self, self_share);
  }
  g_string_append_printf(text, "\n%s", samples);
  g_autofree char *rest = g_string_free(text, FALSE);
  return g_markup_printf_escaped("<b>%s</b>\n%s", name, rest);
}
