/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/sequence.h"

#include <stdlib.h>

#include "profile/base/memory.h"

enum {
  GAP = 4,             /* periods without a sample that are one */
  MAX_INTERVALS = 512, /* that are looked at to know the period */
  MAX_STRETCH = 4,     /* a kernel that ticks 250 times a second samples no more often, whatever was asked */
  DEFAULT_PERIOD = 1000000
};

struct _ProfileSequence {
  gatomicrefcount references;
  ProfileFilter *filter;
  const ProfileEvent *event;
  const guint32 *map; /* of the filter's stacks */
  guint32 *samples;   /* indices into the event's columns; NULL: those from begin on */
  gsize begin;
  gsize n;
  guint64 period;
};

static gsize get_index(const ProfileSequence *self, gsize sample)
{
  return self->samples ? self->samples[sample] : self->begin + sample;
}

static guint64 get_time(const ProfileSequence *self, gsize sample)
{
  return self->event->time[get_index(self, sample)];
}

static guint64 get_weight(const ProfileSequence *self, gsize sample)
{
  return self->event->weight ? self->event->weight[get_index(self, sample)] : self->event->constant_weight;
}

static void choose_samples(ProfileSequence *self, gsize end, guint32 thread)
{
  const ProfileEvent *event = self->event;
  const guint8 *threads = profile_filter_get_threads(self->filter);
  const guint8 *functions = profile_filter_get_functions(self->filter);
  const guint32 *of_node = profile_capture_get_node_functions(profile_filter_get_capture(self->filter));

  self->samples = profile_new(guint32, end - self->begin);
  for (gsize i = self->begin; i < end; i++) {
    guint32 leaf = event->leaf[i];
    gboolean passes = (thread == PROFILE_SEQUENCE_ALL || event->thread[i] == thread) &&
                      (!threads || threads[event->thread[i]]) && (!functions || functions[of_node[leaf]]) &&
                      (!self->map || self->map[leaf] != PROFILE_STACKS_DROPPED);
    self->samples[self->n] = (guint32)i;
    self->n += passes;
  }
  if (self->n > 0)
    self->samples = g_renew(guint32, self->samples, self->n);
}

static int sequence_compare(const void *a, const void *b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

  return x < y ? -1 : x > y;
}

/* An interval that nine of ten are not shorter than; 0: there are none. */
static guint64 measure_period(const ProfileSequence *self)
{
  guint64 intervals[MAX_INTERVALS];
  gsize all = self->n > 0 ? self->n - 1 : 0, n = MIN(all, MAX_INTERVALS);

  for (gsize i = 0; i < n; i++) {
    gsize sample = (gsize)((double)i * (double)all / (double)n);
    intervals[i] = get_time(self, sample + 1) - get_time(self, sample);
  }
  if (n == 0)
    return 0;
  qsort(intervals, n, sizeof *intervals, sequence_compare);
  return intervals[n / 10];
}

static guint64 get_wanted_period(const ProfileEvent *event)
{
  if (event->frequency > 0)
    return 1000000000 / event->frequency;
  return event->unit == CAPTURE_UNIT_NANOSECONDS ? event->period : 0;
}

static guint64 choose_period(const ProfileSequence *self)
{
  guint64 wanted = get_wanted_period(self->event), measured = measure_period(self);

  if (wanted > 0 && wanted <= G_MAXINT64)
    return CLAMP(measured, wanted, wanted * MAX_STRETCH);
  return measured > 0 ? measured : DEFAULT_PERIOD;
}

ProfileSequence *profile_sequence_new(const ProfileFilter *filter, guint32 thread)
{
  ProfileSequence *self = g_new0(ProfileSequence, 1);
  ProfileCapture *capture = profile_filter_get_capture(filter);
  gsize end;

  g_atomic_ref_count_init(&self->references);
  self->filter = profile_filter_copy(filter);
  self->event = profile_capture_get_event(capture, profile_filter_get_event(filter));
  self->map = profile_stacks_get_map(profile_filter_get_stacks(filter));
  profile_filter_get_range(filter, &self->begin, &end);
  if (thread == PROFILE_SEQUENCE_ALL && !self->map && !profile_filter_get_threads(self->filter) &&
      !profile_filter_get_functions(self->filter))
    self->n = end - self->begin;
  else
    choose_samples(self, end, thread);
  self->period = choose_period(self);
  return self;
}

ProfileSequence *profile_sequence_ref(ProfileSequence *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_sequence_unref(ProfileSequence *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  profile_filter_free(self->filter);
  g_free(self->samples);
  g_free(self);
}

const ProfileFilter *profile_sequence_get_filter(const ProfileSequence *self)
{
  return self->filter;
}

gsize profile_sequence_get_n(const ProfileSequence *self)
{
  return self->n;
}

gsize profile_sequence_find(const ProfileSequence *self, guint64 time)
{
  gsize low = 0, high = self->n;

  while (low < high) {
    gsize middle = low + (high - low) / 2;
    if (get_time(self, middle) < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

guint32 profile_sequence_get_node(const ProfileSequence *self, gsize sample)
{
  guint32 leaf = self->event->leaf[get_index(self, sample)];

  return self->map ? self->map[leaf] : leaf;
}

/* Time off the CPU ends with the sample; of several threads it overlaps, and each begins when the one before
 * ended. */
static void get_span_before(const ProfileSequence *self, gsize sample, guint64 *ret_start, guint64 *ret_end)
{
  guint64 time = get_time(self, sample), start = time - MIN(time, get_weight(self, sample));

  *ret_start = sample > 0 ? MAX(start, get_time(self, sample - 1)) : start;
  *ret_end = time;
}

void profile_sequence_get_span(const ProfileSequence *self, gsize sample, guint64 *ret_start,
                               guint64 *ret_end)
{
  guint64 time = get_time(self, sample), next = G_MAXUINT64;

  if (self->event->detail == CAPTURE_DETAIL_OFF_CPU) {
    get_span_before(self, sample, ret_start, ret_end);
    return;
  }
  if (sample + 1 < self->n)
    next = get_time(self, sample + 1);
  *ret_start = time;
  *ret_end = next - time <= GAP * self->period ? next : time + MIN(self->period, G_MAXUINT64 - time);
}
