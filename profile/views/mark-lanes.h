/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where marks are drawn: those of a process, in lanes in which none overlaps another; what happens while
 * something else does stands below it. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

typedef struct {
  guint64 first, end; /* equal: an instant */
  guint32 mark;       /* index; of several the first one */
  guint32 n;          /* marks: more than one in the last lane, when there are too many at once */
} ProfileMarkItem;

typedef struct _ProfileMarkLanes ProfileMarkLanes;

/* Of all marks whose threads and processes pass the filter, whatever its time and event. No process gets more
 * than max_lanes. */
ProfileMarkLanes *profile_mark_lanes_new(const ProfileFilter *filter, guint max_lanes);
void profile_mark_lanes_free(ProfileMarkLanes *self);

/* Indices of those with marks, ascending; 0: marks of which no process is known. */
const guint32 *profile_mark_lanes_get_processes(const ProfileMarkLanes *self, guint *ret_n);
guint64 profile_mark_lanes_count_marks(const ProfileMarkLanes *self, guint32 process);
/* 0: has no marks. */
guint profile_mark_lanes_get_n_lanes(const ProfileMarkLanes *self, guint32 process);
/* Ascending by time; each begins when the one before has ended, or later. */
const ProfileMarkItem *profile_mark_lanes_get(const ProfileMarkLanes *self, guint32 process, guint lane,
                                              gsize *ret_n);
/* The first of n items of a lane that ends at that time or later; n: none does. */
gsize profile_mark_lanes_find(const ProfileMarkItem *items, gsize n, guint64 time);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileMarkLanes, profile_mark_lanes_free)

G_END_DECLS
