/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stacks consist of, for those that make them and for views that walk them. */
#pragma once

#include "profile/capture/stacks.h"

G_BEGIN_DECLS

enum profile_outermost {
  PROFILE_OUTERMOST_FUNCTION = 1, /* no node before it on the stack has its function */
  PROFILE_OUTERMOST_BINARY = 2
};

/* A function that frames were collapsed into: those of a binary, or of a line. */
typedef struct {
  ProfileFunctionRange range; /* without addresses; its texts are its own */
  ProfileFunction function;
} ProfileCollapsed;

/* Of ProfileCollapsed in atomic boxes; those of all, if there are any, to begin with. */
GPtrArray *profile_collapsed_copy(const GPtrArray *all);
/* Copies name, file and module. */
void profile_collapsed_add(GPtrArray *all, const ProfileFunctionRange *range, guint32 binary, guint16 kind);

/* A capture's own stacks live in it and as long as it does: a reference to them is one to the capture, lest
 * each holds the other. */
struct _ProfileStacks {
  gatomicrefcount references; /* not of a capture's own */
  ProfileCapture *capture;    /* of a capture's own: not a reference */
  gboolean is_own;
  gboolean is_transformed;
  gsize n_nodes;
  const guint32 *parents, *functions; /* of a capture's own: its columns, as the next but one */
  guint32 *map;                       /* one a node of the capture; NULL: each its own */
  guint8 *inlined;                    /* one a node: whether its function was inlined there; NULL: none was */
  gsize n_capture_functions;
  GPtrArray *collapsed; /* ProfileCollapsed in an atomic box: the functions beyond the capture's */

  const guint32 *first_child; /* of each node; 0: none */
  gsize outermost_once;
  guint8 *outermost; /* one a node: enum profile_outermost; made when first asked for */
};

/* Those of a capture; renew is called when its nodes or their functions are other ones. */
ProfileStacks *profile_stacks_new_own(ProfileCapture *capture);
void profile_stacks_renew_own(ProfileStacks *self);
/* The same of those with the functions that were inlined at its frames, each a node below the one that holds
 * it. */
void profile_stacks_renew_inlined(ProfileStacks *self);
void profile_stacks_free_own(ProfileStacks *self);
/* Frees the columns, which are not those of a capture's own, and what was derived from them. */
void profile_stacks_clear(ProfileStacks *self);

/* The node behind it that has the same parent; 0: it is the last one. */
static inline guint32 profile_stacks_get_next(const ProfileStacks *self, guint32 node)
{
  guint32 next = node + 1;

  return next < self->n_nodes && self->parents[next] == self->parents[node] ? next : 0;
}

/* One byte a node: enum profile_outermost; thread-safe. */
const guint8 *profile_stacks_get_outermost(ProfileStacks *self);
/* The binary of each function: its index; behind the last one's the kernel, then none. Free it. */
guint32 *profile_stacks_make_binaries(const ProfileStacks *self);

G_END_DECLS
