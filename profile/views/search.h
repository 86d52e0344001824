/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions whose names hold a text, among those that samples of a filter lead through, and how much of
 * the samples leads through any of them. One pass over the nodes and one over the functions: milliseconds to
 * hundreds of them, so made away from where one must not wait. Immutable, readable from any thread.
 */
#pragma once

#include "profile/views/path.h"

G_BEGIN_DECLS

typedef struct _ProfileSearch ProfileSearch;

/* Without regard to case. A text of "" is in no function. */
ProfileSearch *profile_search_new(ProfileWeights *weights, const char *text);
ProfileSearch *profile_search_ref(ProfileSearch *self);
void profile_search_unref(ProfileSearch *self);

ProfileWeights *profile_search_get_weights(const ProfileSearch *self);
/* Whether the text is in that function of the weights' stacks. FALSE for those that they do not have. */
gboolean profile_search_has(const ProfileSearch *self, guint32 function);
guint profile_search_get_n_functions(const ProfileSearch *self);
/* Samples with such a function anywhere in their stack, each counted once. */
ProfileWeight profile_search_get_total(const ProfileSearch *self);

/* The places of a call tree that such functions stand at, heaviest first, n_max at most: ProfilePath, free
 * the array. With `inverted` of a tree from where samples were taken to their callers, in which only the
 * first one on a way counts. */
GPtrArray *profile_search_find_paths(const ProfileSearch *self, gboolean inverted, guint n_max);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileSearch, profile_search_unref)

G_END_DECLS
