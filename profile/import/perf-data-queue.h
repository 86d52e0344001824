/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts records in the order of time, as perf does: records are collected until a round ends; what is
 * not later than anything that the round before had seen can be handed over then, because every
 * buffer has been emptied since. Entries of 16 bytes; no object a record.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 time;
  const guint8 *record;
} ProfilePerfQueueEntry;

typedef struct {
  ProfilePerfQueueEntry *entries;
  ProfilePerfQueueEntry *spare; /* where sorting merges to */
  gsize n;
  gsize capacity;
  guint64 limit;  /* the latest time seen when the round before ended */
  guint64 latest; /* time seen so far */
} ProfilePerfQueue;

/* False with error set stops. */
typedef gboolean (*ProfilePerfQueueFunc)(const ProfilePerfQueueEntry *entry, gpointer data, GError **error);

void profile_perf_queue_clear(ProfilePerfQueue *self);
void profile_perf_queue_add(ProfilePerfQueue *self, guint64 time, const guint8 *record);
/* Hands over what is due at the end of a round; equal times keep the order in which they were added. */
gboolean profile_perf_queue_end_round(ProfilePerfQueue *self, ProfilePerfQueueFunc func, gpointer data,
                                      GError **error);
/* Hands over all that is left. */
gboolean profile_perf_queue_finish(ProfilePerfQueue *self, ProfilePerfQueueFunc func, gpointer data,
                                   GError **error);

G_END_DECLS
