/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stack chart has to draw of a span of time: stacks beside each other as they were sampled,
 * neighbouring frames of one function under one caller as one box. Where there are more samples than columns
 * of pixels, one of them stands for a column, always the same one wherever the span begins; so a chart costs
 * columns × depth however many samples there are. Immutable, readable from any thread.
 */
#pragma once

#include "profile/views/sequence.h"

G_BEGIN_DECLS

typedef struct {
  guint64 start, end; /* time, within what is shown */
  guint32 depth;      /* the outermost function's is 0; the caller is the box above at the same time */
  guint32 function;   /* index, of the stacks' of the sequence's filter */
} ProfileChartBox;

typedef struct _ProfileChart ProfileChart;

/* Of first ≤ time < end, drawn on n_columns of pixels. */
ProfileChart *profile_chart_new(ProfileSequence *sequence, guint64 first, guint64 end, guint n_columns);
ProfileChart *profile_chart_ref(ProfileChart *self);
void profile_chart_unref(ProfileChart *self);

ProfileSequence *profile_chart_get_sequence(const ProfileChart *self);
void profile_chart_get_time(const ProfileChart *self, guint64 *ret_first, guint64 *ret_end);
/* By depth, within a depth by time. Where no sample was taken there is none. */
const ProfileChartBox *profile_chart_get_boxes(const ProfileChart *self, guint *ret_n);
guint profile_chart_get_n_rows(const ProfileChart *self);
/* Boxes of one depth: the first one and how many; 0 where there are none. */
guint profile_chart_get_row(const ProfileChart *self, guint depth, guint *ret_n);
/* The box of a depth at a time; FALSE: there is none. */
gboolean profile_chart_find(const ProfileChart *self, guint depth, guint64 time, guint *ret_box);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileChart, profile_chart_unref)

G_END_DECLS
