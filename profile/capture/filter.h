/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which samples of a capture count: one event, a range of time, some threads, processes and binaries.
 * What is of one sort is joined by "or", different sorts by "and". And in which stacks they count, which
 * transforms may have made of those that were recorded. A plain value: used by one thread at a time, copied
 * freely.
 */
#pragma once

#include "profile/capture/stacks.h"

G_BEGIN_DECLS

typedef struct _ProfileFilter ProfileFilter;

/* All samples of the capture's event 0, which are none when it has no event. Keeps a reference to the
 * capture. */
ProfileFilter *profile_filter_new(ProfileCapture *capture);
ProfileFilter *profile_filter_copy(const ProfileFilter *self);
void profile_filter_free(ProfileFilter *self);

/* Index of an event; nothing passes when there is none of that index. */
void profile_filter_set_event(ProfileFilter *self, guint event);
/* Samples with first ≤ time < end, on the capture's clock. */
void profile_filter_set_time(ProfileFilter *self, guint64 first, guint64 end);

/* Indices into the capture's arrays. The first call of a kind restricts, each further one widens. */
void profile_filter_add_thread(ProfileFilter *self, guint32 thread);
void profile_filter_add_process(ProfileFilter *self, guint32 process);
/* Samples that were taken in the binary: the innermost frame lies in it, as it was recorded, whatever the
 * stacks are. G_MAXUINT32: the kernel. */
void profile_filter_add_binary(ProfileFilter *self, guint32 binary);
/* Removes all threads, processes or binaries: every one counts again. */
void profile_filter_clear_threads(ProfileFilter *self);
void profile_filter_clear_processes(ProfileFilter *self);
void profile_filter_clear_binaries(ProfileFilter *self);

/* Keeps a reference. Stacks of the filter's capture; NULL: its own, as to begin with. */
void profile_filter_set_stacks(ProfileFilter *self, ProfileStacks *stacks);
/* Borrowed; never NULL. */
ProfileStacks *profile_filter_get_stacks(const ProfileFilter *self);

ProfileCapture *profile_filter_get_capture(const ProfileFilter *self);
guint profile_filter_get_event(const ProfileFilter *self);
void profile_filter_get_time(const ProfileFilter *self, guint64 *first, guint64 *end);

/* Samples begin … end - 1 of the event lie in the range of time. */
void profile_filter_get_range(const ProfileFilter *self, gsize *begin, gsize *end);
/* One byte a thread, nonzero where thread and process pass. NULL when all of them do. Valid until the next
 * change. */
const guint8 *profile_filter_get_threads(const ProfileFilter *self);
/* One byte a function (see profile_capture_get_functions), nonzero where a sample taken in it passes. NULL
 * when all do. */
const guint8 *profile_filter_get_functions(const ProfileFilter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileFilter, profile_filter_free)

G_END_DECLS
