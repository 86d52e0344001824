/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a counter stood at over time, in n equal spans: of one that grows, how much came a second. Immutable,
 * readable from any thread.
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef struct _ProfileCounterBins ProfileCounterBins;

/* Of first ≤ time < end. first ≥ end or n_bins 0: there is one, of which nothing is known. */
ProfileCounterBins *profile_counter_bins_new(const ProfileCounter *counter, guint64 first, guint64 end,
                                             guint n_bins);
void profile_counter_bins_free(ProfileCounterBins *self);

guint profile_counter_bins_get_n(const ProfileCounterBins *self);
void profile_counter_bins_get_span(const ProfileCounterBins *self, guint64 *ret_first, guint64 *ret_end);
/* The mean of the values in each bin, or where there is none the last one before. NAN: not known. */
const double *profile_counter_bins_get(const ProfileCounterBins *self);
/* Between what they lie, 0 always included; FALSE: nothing is known. */
gboolean profile_counter_bins_get_range(const ProfileCounterBins *self, double *ret_low, double *ret_high);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileCounterBins, profile_counter_bins_free)

G_END_DECLS
