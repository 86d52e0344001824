/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/counter-bins.h"

#include <math.h>

#include "profile/base/times.h"

struct _ProfileCounterBins {
  guint64 first, end;
  guint n;
  double *bins;
  double low, high; /* low > high: nothing is known */
};

static guint64 get_edge(const ProfileCounterBins *self, guint bin)
{
  return self->first + (guint64)((unsigned __int128)(self->end - self->first) * bin / self->n);
}

static void take_means(ProfileCounterBins *self, const ProfileCounter *counter)
{
  gsize at = profile_times_find(counter->time, 0, counter->n, self->first);
  double last = at > 0 ? counter->value[at - 1] : NAN;

  for (guint bin = 0; bin < self->n; bin++) {
    gsize end = profile_times_find(counter->time, at, counter->n, get_edge(self, bin + 1)), n = end - at;
    double sum = 0;
    for (; at < end; at++)
      sum += counter->value[at];
    if (n > 0)
      last = counter->value[end - 1];
    self->bins[bin] = n > 0 ? sum / (double)n : last;
  }
}

/* What had come by then, as if it came evenly from one value to the next. NAN before the first one and after
 * the last. `at` is the first value that is not earlier. */
static double get_total(const ProfileCounter *counter, gsize at, guint64 time)
{
  if (at == counter->n || (at == 0 && counter->time[0] > time))
    return NAN;
  if (counter->time[at] == time)
    return counter->value[at];
  double share = (double)(time - counter->time[at - 1]) / (double)(counter->time[at] - counter->time[at - 1]);
  return counter->value[at - 1] + share * (counter->value[at] - counter->value[at - 1]);
}

/* The edges of the recording need not be those of bins: what is known of a part of one counts for it. */
static void take_rates(ProfileCounterBins *self, const ProfileCounter *counter)
{
  gsize at = 0;

  for (guint bin = 0; counter->n > 0 && bin < self->n; bin++) {
    guint64 from = MAX(get_edge(self, bin), counter->time[0]);
    guint64 to = MIN(get_edge(self, bin + 1), counter->time[counter->n - 1]);
    if (from >= to)
      continue;
    at = profile_times_find(counter->time, at, counter->n, from);
    double before = get_total(counter, at, from);
    at = profile_times_find(counter->time, at, counter->n, to);
    double rate = (get_total(counter, at, to) - before) * 1e9 / (double)(to - from);
    self->bins[bin] = rate < 0 ? 0 : rate;
  }
}

ProfileCounterBins *profile_counter_bins_new(const ProfileCounter *counter, guint64 first, guint64 end,
                                             guint n_bins)
{
  ProfileCounterBins *self = g_new0(ProfileCounterBins, 1);

  self->first = first;
  self->end = MAX(first, end);
  self->n = first < end ? MAX(n_bins, 1) : 1;
  self->bins = g_new(double, self->n);
  for (guint bin = 0; bin < self->n; bin++)
    self->bins[bin] = NAN;
  if (first < end && counter->totals)
    take_rates(self, counter);
  else if (first < end)
    take_means(self, counter);
  self->low = INFINITY;
  self->high = -INFINITY;
  for (guint bin = 0; bin < self->n; bin++) {
    if (!isfinite(self->bins[bin])) {
      self->bins[bin] = NAN;
      continue;
    }
    self->low = MIN(self->low, self->bins[bin]);
    self->high = MAX(self->high, self->bins[bin]);
  }
  return self;
}

void profile_counter_bins_free(ProfileCounterBins *self)
{
  g_free(self->bins);
  g_free(self);
}

guint profile_counter_bins_get_n(const ProfileCounterBins *self)
{
  return self->n;
}

void profile_counter_bins_get_span(const ProfileCounterBins *self, guint64 *ret_first, guint64 *ret_end)
{
  *ret_first = self->first;
  *ret_end = self->end;
}

const double *profile_counter_bins_get(const ProfileCounterBins *self)
{
  return self->bins;
}

gboolean profile_counter_bins_get_range(const ProfileCounterBins *self, double *ret_low, double *ret_high)
{
  if (self->low > self->high)
    return FALSE;
  *ret_low = MIN(self->low, 0);
  *ret_high = MAX(self->high, 0);
  return TRUE;
}
