/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/rows.h"

#include <string.h>

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-private.h"

/* Digits by which entries are sorted, in bits. */
enum { DIGIT = 11, N_DIGITS = 1 << DIGIT };

/* Side by side, since they are added to together, all over the place. */
typedef struct {
  guint32 self, total;
} Counts;

/* Counting leaves an entry for every function, binary, thread or process. They stay where they are, and the
 * list is an order of those that were sampled: a large capture has hundreds of thousands of them, so rows of
 * their own would cost more than the counting. Most events need no sums of weights. */
struct _ProfileRows {
  Counts *counts;
  guint64 *self_weights, *total_weights; /* NULL: each sample weighs constant_weight */
  guint64 constant_weight;
  gsize n_entries;
  guint32 n_binaries; /* by binary: the entry behind the last one's is the kernel's, then comes that of no
                         binary */
  ProfileRowsBy by;
  guint32 *order;
  gsize n;
};

/* Those that are known, of which there is a row for each wait. */
enum { REASONS = CAPTURE_OFF_CPU_STOPPED };

static gsize get_n_entries(const ProfileStacks *stacks, ProfileRowsBy by)
{
  const ProfileCapture *capture = stacks->capture;

  switch (by) {
  case PROFILE_ROWS_FUNCTION:
    return profile_stacks_get_n_functions(stacks);
  case PROFILE_ROWS_BINARY:
    return (gsize)capture->binaries->len + 2;
  case PROFILE_ROWS_THREAD:
  case PROFILE_ROWS_WAKER:
    return capture->threads->len;
  case PROFILE_ROWS_WAIT:
    return (REASONS + 1) * PROFILE_WAITS;
  default:
    return capture->processes->len;
  }
}

static void add_weights(ProfileRows *self, const ProfileWeights *weights, guint32 node, guint32 entry,
                        gboolean outermost)
{
  self->self_weights[entry] += profile_weights_get_self(weights, node).weight;
  if (outermost)
    self->total_weights[entry] += profile_weights_get_total(weights, node).weight;
}

/* Samples without a stack are the root's own; the rest of its total belongs to others. */
static void add_root(ProfileRows *self, const ProfileWeights *weights, guint32 entry)
{
  ProfileWeight weight = profile_weights_get_self(weights, 0);

  self->counts[entry].self += (guint32)weight.count;
  self->counts[entry].total += (guint32)weight.count;
  if (self->self_weights) {
    self->self_weights[entry] += weight.weight;
    self->total_weights[entry] += weight.weight;
  }
}

/* Nothing depends on what the filter left of a node: adding zeros costs less than guessing wrong which nodes
 * have samples. */
static void add_up_nodes(ProfileRows *self, ProfileWeights *weights)
{
  enum { AHEAD = 16 }; /* entries are anywhere: asking for them early hides the wait */
  ProfileStacks *stacks = profile_weights_get_stacks(weights);
  g_autofree guint32 *binaries =
      self->by == PROFILE_ROWS_BINARY ? profile_stacks_make_binaries(stacks) : NULL;
  const guint32 *functions = stacks->functions;
  const guint32 *selfs = profile_weights_get_self_counts(weights),
                *totals = profile_weights_get_total_counts(weights);
  const guint8 *outermost = profile_stacks_get_outermost(stacks);
  guint8 bit = binaries ? PROFILE_OUTERMOST_BINARY : PROFILE_OUTERMOST_FUNCTION;

  for (gsize node = 1; node < stacks->n_nodes; node++) {
    guint32 entry = binaries ? binaries[functions[node]] : functions[node];
    gboolean is_outermost = (outermost[node] & bit) != 0;
    if (!binaries && node + AHEAD < stacks->n_nodes)
      __builtin_prefetch(&self->counts[functions[node + AHEAD]], 1);
    self->counts[entry].self += selfs[node];
    self->counts[entry].total += totals[node] * (guint32)is_outermost;
    if (self->self_weights)
      add_weights(self, weights, (guint32)node, entry, is_outermost);
  }
  add_root(self, weights, binaries ? binaries[functions[0]] : functions[0]);
}

static guint32 get_wait_entry(ProfileWaits *waits, const ProfileEvent *event, gsize sample)
{
  guint reason =
      event->reason ? event->reason[sample] & ~(guint)PROFILE_WOKEN_BY_INTERRUPT : CAPTURE_OFF_CPU_UNKNOWN;

  reason = reason <= REASONS ? reason : CAPTURE_OFF_CPU_UNKNOWN;
  return PROFILE_ROWS_WAIT_ITEM(reason, profile_waits_get(waits, reason, event->leaf[sample]));
}

static void add_up_samples(ProfileRows *self, ProfileWeights *weights, const ProfileEvent *event)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  const ProfileFilter *filter = profile_weights_get_filter(weights);
  const ProfileThread *all = (const ProfileThread *)capture->threads->data;
  const guint8 *threads = profile_filter_get_threads(filter),
               *functions = profile_filter_get_functions(filter);
  const guint32 *of_node = profile_capture_get_node_functions(capture);
  const guint32 *map = profile_weights_get_stacks(weights)->map;
  g_autoptr(ProfileWaits) waits = self->by == PROFILE_ROWS_WAIT ? profile_waits_new(capture) : NULL;
  gsize begin, end;

  profile_filter_get_range(filter, &begin, &end);
  for (gsize i = begin; i < end; i++) {
    guint32 thread = event->thread[i], leaf = event->leaf[i];
    if ((threads && !threads[thread]) || (functions && !functions[of_node[leaf]]) ||
        (map && map[leaf] == PROFILE_STACKS_DROPPED))
      continue;
    guint32 entry = waits                             ? get_wait_entry(waits, event, i)
                    : self->by == PROFILE_ROWS_THREAD ? thread
                    : self->by == PROFILE_ROWS_WAKER  ? (event->waker ? event->waker[i] : 0)
                                                      : all[thread].process;
    self->counts[entry].self++;
    self->counts[entry].total++;
    if (self->self_weights) {
      self->self_weights[entry] += event->weight[i];
      self->total_weights[entry] += event->weight[i];
    }
  }
}

static guint64 get_key(const ProfileRows *self, guint32 entry)
{
  return (guint64)self->counts[entry].self << 32 | self->counts[entry].total;
}

/* Brings the entries with the greatest digit to the front; those with the same keep their order. */
static void sort_by_digit(const ProfileRows *self, const guint32 *in, guint32 *out, gsize n, guint shift)
{
  gsize places[N_DIGITS + 1] = {0};

  for (gsize i = 0; i < n; i++)
    places[N_DIGITS - (get_key(self, in[i]) >> shift) % N_DIGITS]++;
  for (guint i = 1; i < N_DIGITS; i++)
    places[i] += places[i - 1];
  for (gsize i = 0; i < n; i++)
    out[places[N_DIGITS - 1 - (get_key(self, in[i]) >> shift) % N_DIGITS]++] = in[i];
}

/* Most self first, then most total, then as they come: digit by digit, the least one first. */
static void sort_entries(const ProfileRows *self, guint32 *entries, gsize n)
{
  g_autofree guint32 *other = profile_new(guint32, n);
  guint32 *from = entries, *to = other;
  guint64 all = 0;

  for (gsize i = 0; i < n; i++)
    all |= get_key(self, entries[i]);
  for (guint shift = 0; shift < 64; shift += DIGIT) {
    if ((all >> shift) % N_DIGITS == 0)
      continue;
    sort_by_digit(self, from, to, n, shift);
    guint32 *swap = from;
    from = to;
    to = swap;
  }
  if (from != entries)
    memcpy(entries, from, n * sizeof *entries);
}

/* Parts of the list, in its order. Most entries of a large capture have one sample; within their parts they
 * are in order already. */
enum { SAMPLED, SAMPLED_ONCE, BELOW, BELOW_ONCE, NOT_SAMPLED, N_PARTS };

static guint get_part(Counts counts)
{
  return counts.total == 0 ? NOT_SAMPLED : (counts.self == 0 ? BELOW : SAMPLED) + (counts.total == 1);
}

static gint compare_weights(gconstpointer a, gconstpointer b, gpointer data)
{
  const ProfileRows *self = data;
  guint32 left = *(const guint32 *)a, right = *(const guint32 *)b;

  if (self->self_weights[left] != self->self_weights[right])
    return self->self_weights[left] > self->self_weights[right] ? -1 : 1;
  if (self->total_weights[left] != self->total_weights[right])
    return self->total_weights[left] > self->total_weights[right] ? -1 : 1;
  return left < right ? -1 : left > right;
}

static void sort_by_weights(ProfileRows *self)
{
  self->order = profile_new(guint32, self->n_entries);
  for (gsize i = 0; i < self->n_entries; i++)
    if (self->counts[i].total > 0)
      self->order[self->n++] = (guint32)i;
  g_qsort_with_data(self->order, (gint)self->n, sizeof *self->order, compare_weights, self);
}

static void sort_rows(ProfileRows *self)
{
  g_autofree guint32 *memory = profile_new(guint32, N_PARTS * self->n_entries);
  gsize lengths[N_PARTS] = {0};

  for (gsize i = 0; i < self->n_entries; i++) {
    guint part = get_part(self->counts[i]);
    memory[part * self->n_entries + lengths[part]++] = (guint32)i;
  }
  sort_entries(self, memory + SAMPLED * self->n_entries, lengths[SAMPLED]);
  sort_entries(self, memory + BELOW * self->n_entries, lengths[BELOW]);
  self->order = profile_new(guint32, self->n_entries - lengths[NOT_SAMPLED]);
  for (guint part = 0; part < NOT_SAMPLED; part++) {
    if (lengths[part] > 0)
      memcpy(self->order + self->n, memory + part * self->n_entries, lengths[part] * sizeof *memory);
    self->n += lengths[part];
  }
}

ProfileRows *profile_rows_new(ProfileWeights *weights, ProfileRowsBy by)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  const ProfileEvent *event =
      profile_capture_get_event(capture, profile_filter_get_event(profile_weights_get_filter(weights)));
  ProfileRows *self = g_new0(ProfileRows, 1);

  self->by = by;
  self->n_entries = get_n_entries(profile_weights_get_stacks(weights), by);
  self->n_binaries = capture->binaries->len;
  self->counts = profile_new0(Counts, self->n_entries);
  self->self_weights = event->weight ? profile_new0(guint64, self->n_entries) : NULL;
  self->total_weights = event->weight ? profile_new0(guint64, self->n_entries) : NULL;
  self->constant_weight = event->constant_weight;
  if (by == PROFILE_ROWS_FUNCTION || by == PROFILE_ROWS_BINARY)
    add_up_nodes(self, weights);
  else
    add_up_samples(self, weights, event);
  if (profile_weights_get_unit(weights) != CAPTURE_UNIT_COUNT && event->weight)
    sort_by_weights(self);
  else
    sort_rows(self);
  return self;
}

void profile_rows_free(ProfileRows *self)
{
  g_free(self->counts);
  g_free(self->self_weights);
  g_free(self->total_weights);
  g_free(self->order);
  g_free(self);
}

gsize profile_rows_get_n(const ProfileRows *self)
{
  return self->n;
}

static guint32 get_item(const ProfileRows *self, guint32 entry)
{
  if (self->by != PROFILE_ROWS_BINARY || entry < self->n_binaries)
    return entry;
  return entry == self->n_binaries ? PROFILE_ROWS_KERNEL : PROFILE_ROWS_NO_BINARY;
}

ProfileRow profile_rows_get(const ProfileRows *self, gsize row)
{
  guint32 entry = self->order[row];
  guint64 own = self->counts[entry].self, total = self->counts[entry].total;

  return (ProfileRow){
      .item = get_item(self, entry),
      .self = {own, self->self_weights ? self->self_weights[entry] : own * self->constant_weight},
      .total = {total, self->total_weights ? self->total_weights[entry] : total * self->constant_weight}};
}
