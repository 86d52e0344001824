/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often each stack node was sampled, for one filter: what every view is made from. Nodes are those of the
 * filter's stacks (profile_filter_get_stacks); samples that transforms dropped count nowhere.
 * Costs one pass over the samples and one over the nodes. Immutable, readable from any thread.
 *
 * `self` counts the samples whose stack ends in the node, `total` those whose stack leads through it.
 * Node 0, the root, has every sample as its total and those without a stack as its self.
 * A weight is in the event's unit.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

typedef struct _ProfileWeights ProfileWeights;

typedef struct {
  guint64 count;  /* samples */
  guint64 weight; /* their weights' sum */
} ProfileWeight;

static inline guint64 profile_weight_measure(enum capture_unit unit, ProfileWeight weight)
{
  return unit == CAPTURE_UNIT_COUNT ? weight.count : weight.weight;
}

/* By which most comes first: below 0 when a is more. */
static inline gint profile_weight_compare(enum capture_unit unit, const ProfileWeight *a,
                                          const ProfileWeight *b)
{
  guint64 left = profile_weight_measure(unit, *a), right = profile_weight_measure(unit, *b);

  return left > right ? -1 : left < right;
}

static inline void profile_weight_add(ProfileWeight *sum, ProfileWeight weight)
{
  sum->count += weight.count;
  sum->weight += weight.weight;
}

/* The filter is copied. */
ProfileWeights *profile_weights_new(const ProfileFilter *filter);
ProfileWeights *profile_weights_ref(ProfileWeights *self);
void profile_weights_unref(ProfileWeights *self);

const ProfileFilter *profile_weights_get_filter(const ProfileWeights *self);
ProfileCapture *profile_weights_get_capture(const ProfileWeights *self);
/* Whose nodes are counted; borrowed. */
ProfileStacks *profile_weights_get_stacks(const ProfileWeights *self);
/* All samples that passed the filter and that no transform dropped. */
ProfileWeight profile_weights_get_sum(const ProfileWeights *self);

ProfileWeight profile_weights_get_self(const ProfileWeights *self, guint32 node);
ProfileWeight profile_weights_get_total(const ProfileWeights *self, guint32 node);

/* What samples of this event are compared by: COUNT, their number; or their weights, in that unit, where
 * these say how long something lasted or how much it was, as of time off the CPU and of allocations. */
enum capture_unit profile_weights_get_unit(const ProfileWeights *self);
/* An amount of that: shares, orders and limits are of it. */
guint64 profile_weights_measure(const ProfileWeights *self, ProfileWeight weight);

/* Of all samples that passed: 0 … 1. */
double profile_weights_get_share(const ProfileWeights *self, ProfileWeight weight);
/* For how long such samples stand, in nanoseconds: the time of a thread on a CPU, off it, or between them.
 * FALSE: they do not stand for time. */
gboolean profile_weights_get_time(const ProfileWeights *self, ProfileWeight weight, guint64 *ret_time);

/* The columns themselves, one entry a node, for passes over all nodes. */
const guint32 *profile_weights_get_self_counts(const ProfileWeights *self);
const guint32 *profile_weights_get_total_counts(const ProfileWeights *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileWeights, profile_weights_unref)

G_END_DECLS
