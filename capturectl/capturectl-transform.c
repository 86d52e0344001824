/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-transform.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "profile/views/function-name.h"
#include "profile/views/tree.h"

/* Whatever the event that is looked at: another one may have samples there. */
static guint32 find_any_function(const ProfileStacks *stacks, const char *wanted)
{
  gsize n = profile_stacks_get_n_functions(stacks);

  for (guint32 i = 0; i < n; i++)
    if (profile_function_name_matches(stacks, i, wanted))
      return i;
  return G_MAXUINT32;
}

static gboolean find_function(ProfileFilter *filter, ProfileTransform *transform, const char *what,
                              GError **error)
{
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);

  transform->function = profile_function_name_find(weights, what);
  if (transform->function == G_MAXUINT32)
    transform->function = find_any_function(profile_filter_get_stacks(filter), what);
  if (transform->function != G_MAXUINT32)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
              _("There is no function “%s” in the capture's stacks."), what);
  return FALSE;
}

static gboolean find_binary(ProfileFilter *filter, ProfileTransform *transform, const char *what,
                            GError **error)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(profile_filter_get_capture(filter), &n);

  transform->binary = G_MAXUINT32;
  if (strcmp(what, "[kernel]") == 0)
    return TRUE;
  for (guint i = 0; i < n; i++)
    if (capturectl_is_binary(what, binaries[i].path)) {
      transform->binary = i;
      return TRUE;
    }
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("There is no binary “%s” in the capture."), what);
  return FALSE;
}

/* The heaviest child of that name; children stand in that order. 0: there is none. */
static guint32 find_child(ProfileTree *tree, guint32 node, const char *wanted)
{
  const ProfileStacks *stacks = profile_weights_get_stacks(profile_tree_get_weights(tree));
  guint32 n, first = profile_tree_expand(tree, node, &n);

  for (guint32 child = first; child < first + n; child++)
    if (profile_function_name_matches(stacks, profile_tree_get_node(tree, child)->function, wanted))
      return child;
  return 0;
}

static gboolean find_path(ProfileFilter *filter, ProfileTransform *transform, const char *what,
                          GError **error)
{
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  gboolean inverted = transform->kind == PROFILE_TRANSFORM_FOCUS_PATH_INVERTED;
  g_autoptr(ProfileTree) tree = inverted ? profile_tree_new_inverted(weights) : profile_tree_new(weights);
  g_auto(GStrv) names = g_strsplit(what, ";", -1);
  guint32 node = 0;

  transform->path = g_new(guint32, g_strv_length(names));
  for (char **name = names; *name; name++) {
    node = find_child(tree, node, *name);
    if (node == 0) {
      g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                  _("No sample leads through the path “%s”: it ends before “%s”."), what, *name);
      return FALSE;
    }
    transform->path[transform->n_path++] = profile_tree_get_node(tree, node)->function;
  }
  return TRUE;
}

static gboolean find_what(ProfileFilter *filter, ProfileTransform *transform, const char *what,
                          GError **error)
{
  if (profile_transform_kind_has_path(transform->kind))
    return find_path(filter, transform, what, error);
  if (transform->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY)
    return find_binary(filter, transform, what, error);
  return find_function(filter, transform, what, error);
}

static gboolean parse_kind(const char *text, ProfileTransformKind *ret, const char **ret_what, GError **error)
{
  const char *colon = strchr(text, ':');
  g_autofree char *kind = g_strndup(text, colon ? (gsize)(colon - text) : strlen(text));

  if (!colon || !colon[1]) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("The transform “%s” is not understood; write for example “merge-function:malloc”."), text);
    return FALSE;
  }
  *ret_what = colon + 1;
  if (profile_transform_kind_from_string(kind, ret))
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
              _("There is no transform “%s”; “--transform help” lists them."), kind);
  return FALSE;
}

gboolean capturectl_transform_apply(ProfileFilter *filter, const char *text, GError **error)
{
  g_autoptr(ProfileTransform) transform = g_new0(ProfileTransform, 1);
  g_autoptr(ProfileStacks) stacks = NULL;
  const char *what;

  if (!parse_kind(text, &transform->kind, &what, error) || !find_what(filter, transform, what, error))
    return FALSE;
  stacks = profile_stacks_transform(profile_filter_get_stacks(filter), transform);
  profile_filter_set_stacks(filter, stacks);
  return TRUE;
}

int capturectl_transform_help(char **texts)
{
  const char *kind;

  if (!texts || !g_strv_contains((const char *const *)texts, "help"))
    return -1;
  for (int i = 0; (kind = profile_transform_kind_to_string((ProfileTransformKind)i)); i++)
    g_print("%s\n", kind);
  return CAPTURECTL_DONE;
}
