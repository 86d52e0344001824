/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which machine code made at run time stood at an address of a process at a time. Made once of all of it,
 * then readable from any thread. A question costs a few binary searches however much code overlaps, and
 * memory is n log n in the worst case.
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef struct _ProfileCodeIndex ProfileCodeIndex;

/* code ascends by time; of equal times the later one counts. It is not copied and must stay as it is. */
ProfileCodeIndex *profile_code_index_new(const ProfileCode *code, gsize n);
void profile_code_index_free(ProfileCodeIndex *self);

/* Whether any code, of any source, ever stood (or ended) there. */
gboolean profile_code_index_covers(const ProfileCodeIndex *self, guint32 process, guint64 address);

/* What a source said last, at or before time, of an address: a code, or an end (name NULL). NULL: nothing.
 * The answer holds for times of *from … *until - 1, which are narrowed, not set. */
const ProfileCode *profile_code_index_find(const ProfileCodeIndex *self, ProfileCodeSource source,
                                           guint32 process, guint64 address, guint64 time, guint64 *from,
                                           guint64 *until);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileCodeIndex, profile_code_index_free)

G_END_DECLS
