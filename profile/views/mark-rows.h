/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks taken together by category and name, for the marks that a filter's time, threads and processes let
 * pass: those that begin in its range of time. Immutable.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

/* Durations are nanoseconds, of spans alone; of percentiles the nearest rank: the shortest span than which no
 * more than that share is longer. */
typedef struct {
  const char *category; /* "" none */
  const char *name;
  guint64 count;      /* spans and instants */
  guint64 spans;      /* of those */
  guint64 unfinished; /* of those: not ended when the recording was */
  guint64 total, median, p95, max;
} ProfileMarkRow;

typedef struct _ProfileMarkRows ProfileMarkRows;

ProfileMarkRows *profile_mark_rows_new(const ProfileFilter *filter);
void profile_mark_rows_free(ProfileMarkRows *self);
/* The longest total first, of equal ones the greater count, then by category and name. Valid while self and
 * the capture are. */
const ProfileMarkRow *profile_mark_rows_get(const ProfileMarkRows *self, gsize *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileMarkRows, profile_mark_rows_free)

G_END_DECLS
