/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/density.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/parallel.h"
#include "profile/base/times.h"
#include "profile/capture/measure.h"

enum {
  MAX_CELLS = 1 << 24,        /* 128 MB, of which only what is not 0 is ever touched */
  SAMPLES_A_THREAD = 1 << 20, /* fewer are counted before another thread has started */
  PARTS = 256                 /* that a sample can be divided into */
};

struct _ProfileDensity {
  guint64 first, end;
  guint n_bins;
  guint parts;                          /* of a measure, which the bins count in */
  guint n_all_threads, n_all_processes; /* of the capture */
  guint64 *bins, *process_bins;         /* n_bins for each of those, in parts */
  guint64 *totals, *process_totals;     /* one for each of those */
  guint64 *sum, *busy;                  /* n_bins, in parts */
  guint32 *threads, *processes;         /* those with samples, in their order */
  guint n_threads, n_processes;
  guint64 fullest;
  double interval;
  enum capture_unit unit;
};

/* What counting needs. */
typedef struct {
  ProfileDensity *density;
  const ProfileEvent *event;
  gsize begin, end;        /* samples */
  gsize reaching_end;      /* of those after the end, the ones that stand for time before it end here */
  const guint8 *threads;   /* NULL: all pass */
  const guint8 *functions; /* NULL: all pass */
  const guint32 *of_node;
  const guint32 *map; /* of the filter's stacks; NULL: none was dropped */
  gboolean by_weight;
  guint64 reach; /* nanoseconds before a sample that it stands for, no more than a bin lasts; 0: none */
} Count;

typedef struct {
  guint32 process, thread;
  guint64 process_total, total;
} Place;

guint64 profile_density_get_edge(const ProfileDensity *self, guint bin)
{
  return self->first + (guint64)((unsigned __int128)(self->end - self->first) * bin / self->n_bins);
}

gboolean profile_density_find_bin(const ProfileDensity *self, guint64 time, guint *ret_bin)
{
  guint bin;

  if (time < self->first || time >= self->end)
    return FALSE;
  bin = (guint)((unsigned __int128)(time - self->first) * self->n_bins / (self->end - self->first));
  /* Edges are rounded down, so the time may be behind the next one. */
  while (bin + 1 < self->n_bins && profile_density_get_edge(self, bin + 1) <= time)
    bin++;
  *ret_bin = bin;
  return TRUE;
}

enum capture_unit profile_density_get_unit(const ProfileDensity *self)
{
  return self->unit;
}

static gboolean density_passes(const Count *count, gsize i)
{
  guint32 leaf = count->event->leaf[i];

  return (count->threads ? count->threads[count->event->thread[i]] != 0 : 1) &
         (count->functions ? count->functions[count->of_node[leaf]] != 0 : 1) &
         (count->map ? count->map[leaf] != PROFILE_STACKS_DROPPED : 1);
}

/* Of samples begin … end - 1, by thread, in parts. */
static void count_samples(const Count *count, gsize begin, gsize end, guint parts, guint64 *column)
{
  const ProfileEvent *event = count->event;

  if (!count->threads && !count->functions && !count->map && !count->by_weight) {
    for (gsize i = begin; i < end; i++)
      column[event->thread[i]] += parts;
    return;
  }
  for (gsize i = begin; i < end; i++) {
    guint64 measure = !count->by_weight ? parts : event->weight ? event->weight[i] : event->constant_weight;
    column[event->thread[i]] += (guint64)density_passes(count, i) * measure;
  }
}

/* Of samples that stand for time on both sides of an edge: what is behind it, or before. */
static void count_divided(const Count *count, gsize begin, gsize end, guint64 edge, gboolean behind,
                          guint64 *column)
{
  const ProfileEvent *event = count->event;

  for (gsize i = begin; i < end; i++) {
    guint64 part = (guint64)((double)(event->time[i] - edge) / (double)count->reach * PARTS);
    column[event->thread[i]] += (guint64)density_passes(count, i) * (behind ? part : PARTS - part);
  }
}

/* Of samples begin … end - 1, which are those of a bin; and of what later ones stand for in it. */
static void count_bin(const Count *count, guint bin, gsize begin, gsize end, guint64 *column)
{
  const guint64 *time = count->event->time;
  guint64 from = profile_density_get_edge(count->density, bin),
          to = profile_density_get_edge(count->density, bin + 1);

  if (count->reach == 0) {
    count_samples(count, begin, end, count->density->parts, column);
    return;
  }
  gsize whole = profile_times_find(time, begin, end, from + count->reach);
  gsize reaching = profile_times_find(time, end, count->reaching_end, to + count->reach);
  count_divided(count, begin, whole, from, TRUE, column);
  count_samples(count, whole, end, count->density->parts, column);
  count_divided(count, end, reaching, to, FALSE, column);
}

/* One bin after the other, so that the threads' numbers stand together while they are counted. */
static void count_bins(gsize first_bin, gsize end_bin, gpointer data)
{
  const Count *count = data;
  ProfileDensity *self = count->density;
  g_autofree guint64 *column = g_new0(guint64, self->n_all_threads);
  g_autofree guint64 *totals = g_new0(guint64, self->n_all_threads);
  gsize first = profile_times_find(count->event->time, count->begin, count->end,
                                   profile_density_get_edge(self, (guint)first_bin));
  gsize end = first;

  for (gsize bin = first_bin; bin < end_bin; bin++) {
    gsize begin = end;
    end = profile_times_find(count->event->time, begin, count->end,
                             profile_density_get_edge(self, (guint)bin + 1));
    if (begin == end && count->reach == 0)
      continue;
    count_bin(count, (guint)bin, begin, end, column);
    for (guint thread = 0; thread < self->n_all_threads; thread++) {
      if (column[thread] == 0)
        continue;
      self->bins[(gsize)thread * self->n_bins + bin] = column[thread];
      self->sum[bin] += column[thread];
      column[thread] = 0;
    }
  }
  count_samples(count, first, end, 1, totals);
  for (guint thread = 0; thread < self->n_all_threads; thread++)
    if (totals[thread] > 0)
      __atomic_fetch_add(&self->totals[thread], totals[thread], __ATOMIC_RELAXED);
}

static int compare_places(const void *a, const void *b)
{
  const Place *left = a, *right = b;

  if (left->process_total != right->process_total)
    return left->process_total > right->process_total ? -1 : 1;
  if (left->process != right->process)
    return left->process < right->process ? -1 : 1;
  if (left->total != right->total)
    return left->total > right->total ? -1 : 1;
  return left->thread < right->thread ? -1 : left->thread > right->thread;
}

/* Process 0 is the kernel's, which "runs" on a processor that has nothing to do. */
static void subtract_idle(ProfileDensity *self, ProfileCapture *capture)
{
  guint n;
  const ProfileProcess *processes = profile_capture_get_processes(capture, &n);

  memcpy(self->busy, self->sum, self->n_bins * sizeof *self->busy);
  for (guint32 process = 1; process < n; process++)
    for (guint bin = 0; processes[process].pid == 0 && bin < self->n_bins; bin++)
      self->busy[bin] -= self->process_bins[(gsize)process * self->n_bins + bin];
}

/* Makes the processes' numbers from those of their threads. */
static void add_up(ProfileDensity *self, const ProfileThread *threads)
{
  for (guint32 thread = 0; thread < self->n_all_threads; thread++) {
    guint32 process = threads[thread].process;
    if (self->totals[thread] == 0)
      continue;
    for (guint bin = 0; bin < self->n_bins; bin++)
      self->process_bins[(gsize)process * self->n_bins + bin] +=
          self->bins[(gsize)thread * self->n_bins + bin];
    self->process_totals[process] += self->totals[thread];
    self->n_threads++;
  }
  for (guint bin = 0; bin < self->n_bins; bin++)
    self->fullest = MAX(self->fullest, self->sum[bin]);
}

static void order_threads(ProfileDensity *self, const ProfileThread *threads)
{
  g_autofree Place *places = g_new(Place, self->n_threads);
  guint n = 0;

  for (guint32 i = 0; i < self->n_all_threads; i++)
    if (self->totals[i] > 0)
      places[n++] = (Place){threads[i].process, i, self->process_totals[threads[i].process], self->totals[i]};
  if (n > 0)
    qsort(places, n, sizeof *places, compare_places);
  self->threads = g_new(guint32, n);
  self->processes = g_new(guint32, n);
  for (guint i = 0; i < n; i++) {
    self->threads[i] = places[i].thread;
    if (i == 0 || places[i].process != places[i - 1].process)
      self->processes[self->n_processes++] = places[i].process;
  }
}

/* Of samples that differ, on average. */
static double get_interval(const Count *count)
{
  const ProfileEvent *event = count->event;
  double sum = 0;

  if (event->detail == CAPTURE_DETAIL_OFF_CPU)
    return 0;
  if (event->unit == CAPTURE_UNIT_CYCLES)
    return event->frequency > 0 ? 1e9 / (double)event->frequency : 0;
  if (event->unit != CAPTURE_UNIT_NANOSECONDS)
    return 0;
  if (!event->weight)
    return (double)event->constant_weight;
  for (gsize i = count->begin; i < count->end; i++)
    sum += (double)event->weight[i];
  return count->end > count->begin ? sum / (double)(count->end - count->begin) : 0;
}

static ProfileDensity *new_empty(ProfileCapture *capture, guint64 first, guint64 end, guint n_bins)
{
  ProfileDensity *self = g_new0(ProfileDensity, 1);

  profile_capture_get_threads(capture, &self->n_all_threads);
  profile_capture_get_processes(capture, &self->n_all_processes);
  self->first = first;
  self->end = MAX(first, end);
  self->parts = 1;
  self->n_bins = CLAMP(n_bins, 1, MAX(1, MAX_CELLS / (self->n_all_threads + self->n_all_processes)));
  self->totals = g_new0(guint64, self->n_all_threads);
  self->process_totals = g_new0(guint64, self->n_all_processes);
  return self;
}

static void add_bins(ProfileDensity *self)
{
  self->bins = g_new0(guint64, (gsize)self->n_all_threads * self->n_bins);
  self->process_bins = g_new0(guint64, (gsize)self->n_all_processes * self->n_bins);
  self->sum = g_new0(guint64, self->n_bins);
  self->busy = g_new0(guint64, self->n_bins);
}

static Count begin_counting(const ProfileFilter *filter, ProfileDensity *self)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  Count count = {.density = self,
                 .event = profile_capture_get_event(capture, profile_filter_get_event(filter)),
                 .threads = profile_filter_get_threads(filter),
                 .functions = profile_filter_get_functions(filter),
                 .of_node = profile_capture_get_node_functions(capture),
                 .map = profile_stacks_get_map(profile_filter_get_stacks(filter))};

  profile_filter_get_range(filter, &count.begin, &count.end);
  self->unit = profile_measure_get_unit(count.event);
  self->interval = get_interval(&count);
  count.by_weight = self->unit != CAPTURE_UNIT_COUNT;
  return count;
}

/* Bins that last no multiple of the interval would hold a sample more and a sample less in turns. */
static void density_spread(Count *count, guint min_samples)
{
  ProfileDensity *self = count->density;
  double least = self->interval * min_samples, lasts = (double)(self->end - self->first);
  guint64 until;

  if (least <= 0)
    return;
  self->n_bins = (guint)CLAMP(lasts / least, 1, self->n_bins);
  if (count->by_weight)
    return;
  guint64 reach = MIN((guint64)self->interval, (self->end - self->first) / self->n_bins);
  if (__builtin_add_overflow(self->end, reach, &until))
    return;
  self->parts = PARTS;
  count->reach = reach;
  count->reaching_end = profile_times_find(count->event->time, count->end, count->event->n_samples, until);
}

/* min_samples: 0 where what is counted need not be readable. */
static ProfileDensity *make_density(const ProfileFilter *filter, guint64 first, guint64 end, guint n_bins,
                                    guint min_samples)
{
  g_autoptr(ProfileFilter) timed = profile_filter_copy(filter);
  ProfileCapture *capture = profile_filter_get_capture(timed);
  ProfileDensity *self = new_empty(capture, first, end, n_bins);
  guint n;
  const ProfileThread *threads = profile_capture_get_threads(capture, &n);

  profile_filter_set_time(timed, self->first, self->end);
  Count count = begin_counting(timed, self);
  density_spread(&count, min_samples);
  add_bins(self);
  gsize pieces = (count.end - count.begin) / SAMPLES_A_THREAD + 1;
  profile_parallel(self->n_bins, self->n_bins / pieces + 1, count_bins, &count);
  add_up(self, threads);
  subtract_idle(self, capture);
  order_threads(self, threads);
  return self;
}

ProfileDensity *profile_density_new(const ProfileFilter *filter, guint64 first, guint64 end, guint n_bins)
{
  return make_density(filter, first, end, n_bins, 0);
}

ProfileDensity *profile_density_new_readable(const ProfileFilter *filter, guint64 first, guint64 end,
                                             guint n_bins, guint min_samples)
{
  return make_density(filter, first, end, n_bins, MAX(min_samples, 1));
}

void profile_density_free(ProfileDensity *self)
{
  g_free(self->bins);
  g_free(self->process_bins);
  g_free(self->totals);
  g_free(self->process_totals);
  g_free(self->sum);
  g_free(self->busy);
  g_free(self->threads);
  g_free(self->processes);
  g_free(self);
}

guint profile_density_get_n_bins(const ProfileDensity *self)
{
  return self->n_bins;
}

void profile_density_get_span(const ProfileDensity *self, guint64 *ret_first, guint64 *ret_end)
{
  *ret_first = self->first;
  *ret_end = self->end;
}

const guint32 *profile_density_get_threads(const ProfileDensity *self, guint *ret_n)
{
  *ret_n = self->n_threads;
  return self->threads;
}

const guint32 *profile_density_get_processes(const ProfileDensity *self, guint *ret_n)
{
  *ret_n = self->n_processes;
  return self->processes;
}

const guint64 *profile_density_get_bins(const ProfileDensity *self, guint32 thread)
{
  if (thread >= self->n_all_threads || self->totals[thread] == 0)
    return NULL;
  return self->bins + (gsize)thread * self->n_bins;
}

const guint64 *profile_density_get_process_bins(const ProfileDensity *self, guint32 process)
{
  if (process >= self->n_all_processes || self->process_totals[process] == 0)
    return NULL;
  return self->process_bins + (gsize)process * self->n_bins;
}

const guint64 *profile_density_get_sum(const ProfileDensity *self)
{
  return self->sum;
}

const guint64 *profile_density_get_busy(const ProfileDensity *self)
{
  return self->busy;
}

guint64 profile_density_get_total(const ProfileDensity *self, guint32 thread)
{
  return thread < self->n_all_threads ? self->totals[thread] : 0;
}

guint64 profile_density_get_process_total(const ProfileDensity *self, guint32 process)
{
  return process < self->n_all_processes ? self->process_totals[process] : 0;
}

double profile_density_get_share(const ProfileDensity *self, guint64 measure)
{
  double lasts = (double)(self->end - self->first) / self->n_bins;

  if (self->interval > 0)
    return lasts > 0 ? (double)measure / self->parts * self->interval / lasts : 0;
  return self->fullest > 0 ? (double)measure / (double)self->fullest : 0;
}

double profile_density_get_average(const ProfileDensity *self, guint64 total)
{
  return profile_density_get_share(self, total * self->parts) / self->n_bins;
}

double profile_density_get_interval(const ProfileDensity *self)
{
  return self->interval;
}
