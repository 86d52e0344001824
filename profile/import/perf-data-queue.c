/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-queue.h"

#include <string.h>

void profile_perf_queue_clear(ProfilePerfQueue *self)
{
  g_free(self->entries);
  g_free(self->spare);
  memset(self, 0, sizeof *self);
}

static void perf_data_queue_grow(ProfilePerfQueue *self)
{
  self->capacity = MAX(4096, self->capacity * 2);
  self->entries = g_renew(ProfilePerfQueueEntry, self->entries, self->capacity);
  self->spare = g_renew(ProfilePerfQueueEntry, self->spare, self->capacity);
}

void profile_perf_queue_add(ProfilePerfQueue *self, guint64 time, const guint8 *record)
{
  if (self->n == self->capacity)
    perf_data_queue_grow(self);
  self->entries[self->n++] = (ProfilePerfQueueEntry){time, record};
  self->latest = MAX(self->latest, time);
}

/* Where the ascending run that begins at `first` ends. */
static gsize end_of_run(const ProfilePerfQueueEntry *entries, gsize first, gsize n)
{
  gsize i = first + 1;

  while (i < n && entries[i - 1].time <= entries[i].time)
    i++;
  return MIN(i, n);
}

static void perf_data_queue_merge(const ProfilePerfQueueEntry *from, gsize first, gsize middle, gsize end,
                                  ProfilePerfQueueEntry *to)
{
  gsize left = first, right = middle;

  for (gsize i = first; i < end; i++) {
    gboolean take_left = left < middle && (right >= end || from[left].time <= from[right].time);

    to[i] = from[take_left ? left++ : right++];
  }
}

/* Merges neighbouring runs until one is left: the buffers of the processors are sorted in themselves, so few
 * passes do. */
static void perf_data_queue_sort(ProfilePerfQueue *self)
{
  while (end_of_run(self->entries, 0, self->n) < self->n) {
    ProfilePerfQueueEntry *merged = self->spare;

    for (gsize first = 0, end; first < self->n; first = end) {
      gsize middle = end_of_run(self->entries, first, self->n);

      end = middle < self->n ? end_of_run(self->entries, middle, self->n) : middle;
      perf_data_queue_merge(self->entries, first, middle, end, merged);
    }
    self->spare = self->entries;
    self->entries = merged;
  }
}

static gboolean hand_over(ProfilePerfQueue *self, guint64 limit, ProfilePerfQueueFunc func, gpointer data,
                          GError **error)
{
  gsize done = 0;

  perf_data_queue_sort(self);
  for (; done < self->n && self->entries[done].time <= limit; done++)
    if (!func(&self->entries[done], data, error))
      return FALSE;
  self->n -= done;
  if (self->n > 0)
    memmove(self->entries, self->entries + done, self->n * sizeof *self->entries);
  return TRUE;
}

gboolean profile_perf_queue_end_round(ProfilePerfQueue *self, ProfilePerfQueueFunc func, gpointer data,
                                      GError **error)
{
  if (self->limit > 0 && !hand_over(self, self->limit, func, data, error))
    return FALSE;
  self->limit = self->latest;
  return TRUE;
}

gboolean profile_perf_queue_finish(ProfilePerfQueue *self, ProfilePerfQueueFunc func, gpointer data,
                                   GError **error)
{
  return hand_over(self, G_MAXUINT64, func, data, error);
}
