/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The prefix tree of a capture after transforms, by function: what weights are counted in and every view
 * walks. Without transforms it is the capture's own. Made in one pass over the nodes a transform; independent
 * of event, time and threads, so that changing those costs nothing here. Immutable, readable from any thread.
 *
 * Node 0 is the root; a node's parent has a smaller index, and its children stand side by side.
 */
#pragma once

#include "profile/capture/transform.h"

G_BEGIN_DECLS

typedef struct _ProfileStacks ProfileStacks;

#define PROFILE_STACKS_DROPPED G_MAXUINT32

/* The capture's own, with functions that were inlined as nodes of their own. The same ones every time,
 * without effort. */
ProfileStacks *profile_stacks_new(ProfileCapture *capture);
/* Likewise, without those: what was inlined counts as the function that holds it. */
ProfileStacks *profile_stacks_new_without_inlined(ProfileCapture *capture);
/* Those of self with one transform more: one pass over the nodes, milliseconds for a large capture. Keep
 * them as long as the transforms are in force. */
ProfileStacks *profile_stacks_transform(ProfileStacks *self, const ProfileTransform *transform);
/* The samples of from by line of source, or by file: each takes the place of a function, called "file.c:12",
 * or by its path; of an inlined function there is its own line and the one that it was inlined at. Where no
 * line is known the function stands itself. One pass over the nodes. */
ProfileStacks *profile_stacks_new_by_source(ProfileStacks *from, gboolean by_file);
ProfileStacks *profile_stacks_ref(ProfileStacks *self);
void profile_stacks_unref(ProfileStacks *self);

ProfileCapture *profile_stacks_get_capture(const ProfileStacks *self);
gsize profile_stacks_get_n_nodes(const ProfileStacks *self);
const guint32 *profile_stacks_get_parents(const ProfileStacks *self);
/* Of each node; those beyond profile_capture_get_functions are the binaries that frames were collapsed into,
 * see profile_stacks_get_function_name. */
const guint32 *profile_stacks_get_functions(const ProfileStacks *self);
/* One a node of the capture: the node here that its samples belong to, or PROFILE_STACKS_DROPPED. NULL: each
 * its own. */
const guint32 *profile_stacks_get_map(const ProfileStacks *self);
/* One a node: nonzero where the function was inlined into its parent's wherever its samples went through it.
 * NULL: nothing was. */
const guint8 *profile_stacks_get_inlined(const ProfileStacks *self);
/* Whether there were transforms. */
gboolean profile_stacks_is_transformed(const ProfileStacks *self);
/* How many functions there are, collapsed binaries among them. */
gsize profile_stacks_get_n_functions(const ProfileStacks *self);
/* Of capture's functions it is theirs; that of a collapsed binary has a name, and the binary. */
const ProfileFunction *profile_stacks_get_function(const ProfileStacks *self, guint32 function);
/* As profile_capture_get_function_name and _binary, for collapsed binaries too: the last part of the path,
 * and the path; both "[kernel]" for the kernel. Never NULL. */
const char *profile_stacks_get_function_name(const ProfileStacks *self, guint32 function);
const char *profile_stacks_get_function_binary(const ProfileStacks *self, guint32 function);
gboolean profile_stacks_function_is_kernel(const ProfileStacks *self, guint32 function);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileStacks, profile_stacks_unref)

G_END_DECLS
