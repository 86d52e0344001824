/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of one thread, or of all, in the order of time: what is shown chronologically. Made in one pass
 * over the samples; whatever is asked of it later costs a binary search. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

typedef struct _ProfileSequence ProfileSequence;

/* In place of a thread's index: */
#define PROFILE_SEQUENCE_ALL G_MAXUINT32

/* Of those that pass the filter and that no transform dropped. The filter is copied. */
ProfileSequence *profile_sequence_new(const ProfileFilter *filter, guint32 thread);
ProfileSequence *profile_sequence_ref(ProfileSequence *self);
void profile_sequence_unref(ProfileSequence *self);

const ProfileFilter *profile_sequence_get_filter(const ProfileSequence *self);
gsize profile_sequence_get_n(const ProfileSequence *self);
/* The first sample whose time is not below that; n when there is none. */
gsize profile_sequence_find(const ProfileSequence *self, guint64 time);
/* The node of the filter's stacks that a sample belongs to; 0: it has no stack. */
guint32 profile_sequence_get_node(const ProfileSequence *self, gsize sample);
/* The time that a sample stands for: of time off the CPU what it lasted, else until the next sample. Where
 * none was taken for longer than some periods, one period. These spans ascend and do not overlap. */
void profile_sequence_get_span(const ProfileSequence *self, gsize sample, guint64 *ret_start,
                               guint64 *ret_end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileSequence, profile_sequence_unref)

G_END_DECLS
