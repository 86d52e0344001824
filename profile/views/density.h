/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How busy threads were over time: how many samples of a filter fall into each of n equal spans, by thread.
 * One pass over the samples of the time asked for. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

typedef struct _ProfileDensity ProfileDensity;

/* Of first ≤ time < end, cut into n_bins; of those that pass the filter but for its time. A capture with tens
 * of thousands of threads gets fewer bins, so that they fit into memory. first ≥ end: there is one, and it is
 * empty. */
ProfileDensity *profile_density_new(const ProfileFilter *filter, guint64 first, guint64 end, guint n_bins);
/* The same for drawing, with so few bins that a busy processor has at least min_samples in each: narrower
 * ones would show nothing but whether one was taken there. A sample belongs to the bins of the time that it
 * stands for, in parts, so that what is even looks even; bins are then no measures, get_share alone says what
 * they mean. Of events that say nothing of time it is n_bins, and a sample belongs to its own. */
ProfileDensity *profile_density_new_readable(const ProfileFilter *filter, guint64 first, guint64 end,
                                             guint n_bins, guint min_samples);
void profile_density_free(ProfileDensity *self);

guint profile_density_get_n_bins(const ProfileDensity *self);
/* The time asked for. */
void profile_density_get_span(const ProfileDensity *self, guint64 *ret_first, guint64 *ret_end);
/* When a bin (0 … n_bins) begins, which is when the one before it ends. */
guint64 profile_density_get_edge(const ProfileDensity *self, guint bin);
/* FALSE: the time lies outside. */
gboolean profile_density_find_bin(const ProfileDensity *self, guint64 time, guint *ret_bin);
/* What a measure is an amount of: see profile_weights_get_unit. */
enum capture_unit profile_density_get_unit(const ProfileDensity *self);
/* Threads (indices) with samples there: those of one process stand together, the process with most samples
 * first, in it the thread with most. Those processes, in the same order. */
const guint32 *profile_density_get_threads(const ProfileDensity *self, guint *ret_n);
const guint32 *profile_density_get_processes(const ProfileDensity *self, guint *ret_n);
/* Measure (profile_weights_measure) of a thread, a process in each bin; of all of them together. n_bins
 * entries. NULL: has none. */
const guint64 *profile_density_get_bins(const ProfileDensity *self, guint32 thread);
const guint64 *profile_density_get_process_bins(const ProfileDensity *self, guint32 process);
const guint64 *profile_density_get_sum(const ProfileDensity *self);
/* As the sum, but for what the kernel counts as its process 0: a processor that was idle. */
const guint64 *profile_density_get_busy(const ProfileDensity *self);
/* Measure in all bins together. */
guint64 profile_density_get_total(const ProfileDensity *self, guint32 thread);
guint64 profile_density_get_process_total(const ProfileDensity *self, guint32 process);
/* The share of one processor that a measure in one bin stands for, 0 … 1 and more: of events that say nothing
 * of time, the share of the fullest bin. */
double profile_density_get_share(const ProfileDensity *self, guint64 measure);
/* The same for a total in all bins together. */
double profile_density_get_average(const ProfileDensity *self, guint64 total);
/* Nanoseconds on a processor that one sample stands for; 0: the event says nothing of that. A bin that lasts
 * less than this says little. */
double profile_density_get_interval(const ProfileDensity *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileDensity, profile_density_free)

G_END_DECLS
