/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A change to stacks before they are put together to a tree. Samples keep their number, unless the transform
 * says that they go. A plain value.
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_TRANSFORM_FOCUS_FUNCTION, /* stacks begin at the function's outermost call; samples without one go
                                     */
  PROFILE_TRANSFORM_FOCUS_PATH, /* stacks begin where path ends; samples that do not lead through path go */
  PROFILE_TRANSFORM_FOCUS_PATH_INVERTED, /* path begins where samples were taken: stacks end where it ends;
                                            others go */
  PROFILE_TRANSFORM_MERGE_FUNCTION,      /* frames of the function vanish: their samples are their callers' */
  PROFILE_TRANSFORM_MERGE_PATH,          /* the one frame where path ends vanishes */
  PROFILE_TRANSFORM_DROP_FUNCTION,       /* samples with the function on their stack go */
  PROFILE_TRANSFORM_COLLAPSE_FUNCTION,   /* what the function calls counts as itself */
  PROFILE_TRANSFORM_COLLAPSE_BINARY, /* neighbouring frames of the binary become one, of a function named like
                                        the binary */
  PROFILE_TRANSFORM_COLLAPSE_DIRECT_RECURSION, /* neighbouring frames of the function become one */
  PROFILE_TRANSFORM_COLLAPSE_RECURSION /* from the function's outermost call on, all down to its innermost one
                                          becomes one frame */
} ProfileTransformKind;

typedef struct {
  ProfileTransformKind kind;
  guint32 function; /* index; of the kinds with a path and of COLLAPSE_BINARY not used */
  guint32 binary;   /* index, G_MAXUINT32: the kernel; of COLLAPSE_BINARY */
  guint32 *path;    /* functions from the outermost (inverted: the innermost) on; of the kinds with a path */
  guint n_path;
} ProfileTransform;

ProfileTransform *profile_transform_copy(const ProfileTransform *self);
void profile_transform_free(ProfileTransform *self);
/* "focus-function" … as `capturectl report --transform` takes them; NULL for no kind. Static. */
const char *profile_transform_kind_to_string(ProfileTransformKind kind);
gboolean profile_transform_kind_from_string(const char *text, ProfileTransformKind *ret);
/* Whether transforms of that kind have a path in place of a function or a binary. */
gboolean profile_transform_kind_has_path(ProfileTransformKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileTransform, profile_transform_free)

G_END_DECLS
