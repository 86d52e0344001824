/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/transform.h"

static const char *const kinds[] = {
    [PROFILE_TRANSFORM_FOCUS_FUNCTION] = "focus-function",
    [PROFILE_TRANSFORM_FOCUS_PATH] = "focus-path",
    [PROFILE_TRANSFORM_FOCUS_PATH_INVERTED] = "focus-path-inverted",
    [PROFILE_TRANSFORM_MERGE_FUNCTION] = "merge-function",
    [PROFILE_TRANSFORM_MERGE_PATH] = "merge-path",
    [PROFILE_TRANSFORM_DROP_FUNCTION] = "drop-function",
    [PROFILE_TRANSFORM_COLLAPSE_FUNCTION] = "collapse-function",
    [PROFILE_TRANSFORM_COLLAPSE_BINARY] = "collapse-binary",
    [PROFILE_TRANSFORM_COLLAPSE_DIRECT_RECURSION] = "collapse-direct-recursion",
    [PROFILE_TRANSFORM_COLLAPSE_RECURSION] = "collapse-recursion",
};

ProfileTransform *profile_transform_copy(const ProfileTransform *self)
{
  ProfileTransform *copy = g_memdup2(self, sizeof *self);

  copy->path = g_memdup2(self->path, self->n_path * sizeof *self->path);
  return copy;
}

void profile_transform_free(ProfileTransform *self)
{
  g_free(self->path);
  g_free(self);
}

const char *profile_transform_kind_to_string(ProfileTransformKind kind)
{
  return kind < G_N_ELEMENTS(kinds) ? kinds[kind] : NULL;
}

gboolean profile_transform_kind_from_string(const char *text, ProfileTransformKind *ret)
{
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    if (g_strcmp0(text, kinds[i]) == 0) {
      *ret = (ProfileTransformKind)i;
      return TRUE;
    }
  return FALSE;
}

gboolean profile_transform_kind_has_path(ProfileTransformKind kind)
{
  return kind == PROFILE_TRANSFORM_FOCUS_PATH || kind == PROFILE_TRANSFORM_FOCUS_PATH_INVERTED ||
         kind == PROFILE_TRANSFORM_MERGE_PATH;
}
