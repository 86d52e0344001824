/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/weights.h"

#include <string.h>

#include "profile/base/memory.h"
#include "profile/capture/measure.h"
#include "profile/capture/stacks-private.h"

struct _ProfileWeights {
  gatomicrefcount references;
  ProfileFilter *filter;
  ProfileCapture *capture; /* the filter's, as the next */
  ProfileStacks *stacks;
  ProfileWeight sum;
  guint32 *self_counts, *total_counts;
  guint64 *self_weights, *total_weights; /* NULL: each count weighs constant_weight */
  guint64 constant_weight;
  enum capture_unit unit; /* profile_weights_get_unit */
};

/* Where samples of a node of the capture count. Those that were dropped count behind the last node (last),
 * since to add there costs less than to ask first. */
static inline guint32 get_place(const guint32 *map, guint32 last, guint32 leaf)
{
  return map ? MIN(map[leaf], last) : leaf;
}

static void count_all(ProfileWeights *self, const ProfileEvent *event, gsize begin, gsize end)
{
  const guint32 *leaf = event->leaf, *map = self->stacks->map;
  guint32 *counts = self->self_counts, last = (guint32)self->stacks->n_nodes;

  for (gsize i = begin; i < end; i++)
    counts[get_place(map, last, leaf[i])]++;
  for (gsize i = begin; self->self_weights && i < end; i++)
    self->self_weights[get_place(map, last, leaf[i])] += event->weight[i];
}

/* Whether a sample passes is anyone's guess: to add nothing costs less than to guess wrong. */
static void count_some(ProfileWeights *self, const ProfileEvent *event, gsize begin, gsize end,
                       const guint8 *threads, const guint8 *functions)
{
  const guint32 *of_node = profile_capture_get_node_functions(self->capture), *map = self->stacks->map;
  guint32 last = (guint32)self->stacks->n_nodes;

  for (gsize i = begin; i < end; i++) {
    guint32 leaf = event->leaf[i], node = get_place(map, last, leaf);
    guint8 passes = (threads ? threads[event->thread[i]] : 1) & (functions ? functions[of_node[leaf]] : 1);
    self->self_counts[node] += passes;
    if (self->self_weights)
      self->self_weights[node] += passes * event->weight[i];
  }
}

/* Parents have smaller numbers than their children: one pass backwards adds everything up. */
static void add_up(ProfileWeights *self)
{
  const guint32 *parent = self->stacks->parents;
  gsize n = self->stacks->n_nodes;

  self->total_counts = profile_new(guint32, n);
  memcpy(self->total_counts, self->self_counts, n * sizeof *self->total_counts);
  for (gsize node = n - 1; node > 0; node--)
    self->total_counts[parent[node]] += self->total_counts[node];
  if (!self->self_weights)
    return;
  self->total_weights = profile_new(guint64, n);
  memcpy(self->total_weights, self->self_weights, n * sizeof *self->total_weights);
  for (gsize node = n - 1; node > 0; node--)
    self->total_weights[parent[node]] += self->total_weights[node];
}

ProfileWeights *profile_weights_new(const ProfileFilter *filter)
{
  ProfileWeights *self = g_new0(ProfileWeights, 1);
  gsize begin, end;

  g_atomic_ref_count_init(&self->references);
  self->filter = profile_filter_copy(filter);
  self->capture = profile_filter_get_capture(self->filter);
  const ProfileEvent *event = profile_capture_get_event(self->capture, profile_filter_get_event(filter));
  self->stacks = profile_filter_get_stacks(self->filter);
  profile_filter_get_range(filter, &begin, &end);
  self->self_counts = profile_new0(guint32, self->stacks->n_nodes + 1);
  self->self_weights = event->weight ? profile_new0(guint64, self->stacks->n_nodes + 1) : NULL;
  self->constant_weight = event->constant_weight;
  self->unit = profile_measure_get_unit(event);
  const guint8 *threads = profile_filter_get_threads(filter);
  const guint8 *functions = profile_filter_get_functions(filter);
  if (threads || functions)
    count_some(self, event, begin, end, threads, functions);
  else
    count_all(self, event, begin, end);
  add_up(self);
  self->sum = profile_weights_get_total(self, 0);
  return self;
}

ProfileWeights *profile_weights_ref(ProfileWeights *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_weights_unref(ProfileWeights *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  profile_filter_free(self->filter);
  g_free(self->self_counts);
  g_free(self->total_counts);
  g_free(self->self_weights);
  g_free(self->total_weights);
  g_free(self);
}

const ProfileFilter *profile_weights_get_filter(const ProfileWeights *self)
{
  return self->filter;
}

ProfileCapture *profile_weights_get_capture(const ProfileWeights *self)
{
  return self->capture;
}

ProfileStacks *profile_weights_get_stacks(const ProfileWeights *self)
{
  return self->stacks;
}

ProfileWeight profile_weights_get_sum(const ProfileWeights *self)
{
  return self->sum;
}

ProfileWeight profile_weights_get_self(const ProfileWeights *self, guint32 node)
{
  guint32 count = self->self_counts[node];

  return (ProfileWeight){count,
                         self->self_weights ? self->self_weights[node] : count * self->constant_weight};
}

ProfileWeight profile_weights_get_total(const ProfileWeights *self, guint32 node)
{
  guint32 count = self->total_counts[node];

  return (ProfileWeight){count,
                         self->total_weights ? self->total_weights[node] : count * self->constant_weight};
}

enum capture_unit profile_weights_get_unit(const ProfileWeights *self)
{
  return self->unit;
}

guint64 profile_weights_measure(const ProfileWeights *self, ProfileWeight weight)
{
  return profile_weight_measure(self->unit, weight);
}

double profile_weights_get_share(const ProfileWeights *self, ProfileWeight weight)
{
  guint64 sum = profile_weights_measure(self, self->sum);

  return sum > 0 ? (double)profile_weights_measure(self, weight) / (double)sum : 0;
}

/* Cycles are sampled so many times per second of a busy CPU, however fast it runs. */
gboolean profile_weights_get_time(const ProfileWeights *self, ProfileWeight weight, guint64 *ret_time)
{
  const ProfileEvent *event =
      profile_capture_get_event(self->capture, profile_filter_get_event(self->filter));
  gboolean is_rate = event->unit == CAPTURE_UNIT_CYCLES && event->frequency > 0;

  *ret_time = is_rate ? (guint64)((double)weight.count * 1e9 / (double)event->frequency) : weight.weight;
  return is_rate || event->unit == CAPTURE_UNIT_NANOSECONDS;
}

const guint32 *profile_weights_get_self_counts(const ProfileWeights *self)
{
  return self->self_counts;
}

const guint32 *profile_weights_get_total_counts(const ProfileWeights *self)
{
  return self->total_counts;
}
