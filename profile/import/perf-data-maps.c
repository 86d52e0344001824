/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-maps.h"

#include <string.h>

ProfilePerfMaps *profile_perf_maps_new(void)
{
  ProfilePerfMaps *self = g_new0(ProfilePerfMaps, 1);

  self->ref_count = 1;
  return self;
}

ProfilePerfMaps *profile_perf_maps_ref(ProfilePerfMaps *self)
{
  self->ref_count++;
  return self;
}

void profile_perf_maps_unref(ProfilePerfMaps *self)
{
  if (--self->ref_count > 0)
    return;
  g_free(self->items);
  g_free(self);
}

/* The first mapping that ends behind address. */
static guint find_index(const ProfilePerfMaps *self, guint64 address)
{
  guint low = 0, high = self->n;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (self->items[middle].end > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

const ProfilePerfMapping *profile_perf_maps_find(const ProfilePerfMaps *self, guint64 address)
{
  guint i = find_index(self, address);

  return i < self->n && self->items[i].start <= address ? &self->items[i] : NULL;
}

static gint64 make_own(ProfilePerfMaps **maps)
{
  ProfilePerfMaps *shared = *maps;

  if (shared->ref_count == 1)
    return 0;
  *maps = profile_perf_maps_new();
  (*maps)->n = (*maps)->capacity = shared->n;
  (*maps)->items = g_memdup2(shared->items, shared->n * sizeof *shared->items);
  profile_perf_maps_unref(shared);
  return (*maps)->n;
}

/* Replaces `removed` mappings at `at` by `added` ones. */
static void perf_data_maps_splice(ProfilePerfMaps *self, guint at, guint removed,
                                  const ProfilePerfMapping *items, guint added)
{
  guint n = self->n - removed + added;

  if (n > self->capacity) {
    self->capacity = MAX(16, n + n / 2);
    self->items = g_renew(ProfilePerfMapping, self->items, self->capacity);
  }
  if (self->n > at + removed)
    memmove(self->items + at + added, self->items + at + removed, (self->n - at - removed) * sizeof *items);
  memcpy(self->items + at, items, added * sizeof *items);
  self->n = n;
}

static gboolean shows_the_same(const ProfilePerfMapping *a, const ProfilePerfMapping *b)
{
  return a->binary == b->binary && a->offset < b->offset + (b->end - b->start) &&
         b->offset < a->offset + (a->end - a->start);
}

static void mark_ambiguous(ProfilePerfMaps *self, guint index)
{
  ProfilePerfMapping *mapping = &self->items[index];

  for (guint i = 0; i < self->n; i++)
    if (i != index && shows_the_same(&self->items[i], mapping))
      self->items[i].ambiguous = mapping->ambiguous = TRUE;
}

gboolean profile_perf_maps_insert(ProfilePerfMaps **maps, const ProfilePerfMapping *mapping, gint64 *n_kept)
{
  ProfilePerfMapping pieces[3];
  guint n_pieces = 0, first, last, new_piece;
  ProfilePerfMaps *self;

  if ((*maps)->n >= PROFILE_PERF_MAPS_MAX)
    return FALSE;
  *n_kept += make_own(maps);
  self = *maps;
  *n_kept -= self->n;
  first = last = find_index(self, mapping->start);
  while (last < self->n && self->items[last].start < mapping->end)
    last++;
  if (last > first && self->items[first].start < mapping->start) {
    pieces[n_pieces] = self->items[first];
    pieces[n_pieces++].end = mapping->start;
  }
  new_piece = n_pieces;
  pieces[n_pieces++] = *mapping;
  if (last > first && self->items[last - 1].end > mapping->end) {
    pieces[n_pieces] = self->items[last - 1];
    pieces[n_pieces].offset += mapping->end - pieces[n_pieces].start;
    pieces[n_pieces++].start = mapping->end;
  }
  perf_data_maps_splice(self, first, last - first, pieces, n_pieces);
  mark_ambiguous(self, first + new_piece);
  *n_kept += self->n;
  return TRUE;
}
