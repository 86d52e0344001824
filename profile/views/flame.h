/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a flame graph has to draw: the boxes that are wide enough to be seen, no others. Siblings stand in an
 * order that depends on their names alone, so that it is the same for every filter and every view. Immutable,
 * readable from any thread.
 */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

typedef struct {
  float start, end; /* 0 … 1 of the width of what is shown */
  guint32 depth;    /* the root's is 0 */
  guint32 function; /* index (of the stacks'); PROFILE_TREE_NO_FUNCTION: the root of all */
  guint32 parent;   /* index of a box; the root's is 0 */
  ProfileWeight self, total;
  gboolean inlined; /* as of the tree's node */
} ProfileFlameBox;

typedef struct {
  gboolean inverted; /* upside down: from where samples were taken to their callers */
  const guint32 *
      focus; /* path of functions to the frame that fills the width; those above it are shown as wide as it */
  guint n_focus;
  double min_share;  /* boxes narrower than this share of the width are left out; what is left out costs
                        nothing */
  double first, end; /* only boxes that reach into this part of the width are wanted; both 0: all */
} ProfileFlameOptions;

typedef struct _ProfileFlame ProfileFlame;

/* When the focus does not exist under these weights, as much of it as does is taken. Siblings stand side by
 * side from their parent's start on; those left out take no room, so places move a little when min_share
 * does. */
ProfileFlame *profile_flame_new(ProfileWeights *weights, const ProfileFlameOptions *options);
/* Of one that shows everything, without the boxes that are narrower than that share: for less effort than a
 * new one. The others stay where they are. */
ProfileFlame *profile_flame_new_coarser(const ProfileFlame *self, double min_share);
ProfileFlame *profile_flame_ref(ProfileFlame *self);
void profile_flame_unref(ProfileFlame *self);

ProfileWeights *profile_flame_get_weights(const ProfileFlame *self);
/* By depth, within a depth by start. The first n_focus + 1 are the path to the focus. */
const ProfileFlameBox *profile_flame_get_boxes(const ProfileFlame *self, guint *ret_n);
/* Boxes of one depth: the first one and how many; 0 where there are none. */
guint profile_flame_get_row(const ProfileFlame *self, guint depth, guint *ret_n);
guint profile_flame_get_n_rows(const ProfileFlame *self);
/* How much of the focus was found. */
guint profile_flame_get_n_focus(const ProfileFlame *self);
gboolean profile_flame_is_inverted(const ProfileFlame *self);
/* The box at a place of a depth; FALSE: there is none. */
gboolean profile_flame_find(const ProfileFlame *self, guint depth, double at, guint *ret_box);
/* The first of the boxes that stand on a box, and how many; 0 where there are none. */
guint profile_flame_get_children(const ProfileFlame *self, guint box, guint *ret_n);
/* Functions from the outermost (inverted: the innermost) one to the box's: as many as its depth, which is how
 * long path has to be. */
void profile_flame_get_path(const ProfileFlame *self, guint box, guint32 *path);
/* The box at the end of a path; FALSE: it is too narrow, or there is none. */
gboolean profile_flame_find_path(const ProfileFlame *self, const guint32 *path, guint n, guint *ret_box);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileFlame, profile_flame_unref)

G_END_DECLS
