/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/places.h"

struct _ProfilePlaces {
  gatomicrefcount references;
  GArray *places; /* ProfilePlace */
  GArray *frames; /* ProfilePlaceFrame */
  GStringChunk *strings;
  enum capture_places_outcome outcome;
  gboolean sealed;
};

ProfilePlaces *profile_places_new(void)
{
  ProfilePlaces *self = g_new0(ProfilePlaces, 1);

  g_atomic_ref_count_init(&self->references);
  self->places = g_array_new(FALSE, FALSE, sizeof(ProfilePlace));
  self->frames = g_array_new(FALSE, FALSE, sizeof(ProfilePlaceFrame));
  self->strings = g_string_chunk_new(16384);
  return self;
}

ProfilePlaces *profile_places_ref(ProfilePlaces *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_places_unref(ProfilePlaces *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_array_unref(self->places);
  g_array_unref(self->frames);
  g_string_chunk_free(self->strings);
  g_free(self);
}

static const char *places_keep(ProfilePlaces *self, const char *string)
{
  return string ? g_string_chunk_insert_const(self->strings, string) : NULL;
}

static void add_frame(ProfilePlaces *self, const ProfilePlaceFrame *frame)
{
  ProfilePlaceFrame copy = *frame;

  copy.name = places_keep(self, frame->name);
  copy.linkage_name = frame->linkage_name ? places_keep(self, frame->linkage_name) : copy.name;
  copy.file = places_keep(self, frame->file);
  copy.declared_file = places_keep(self, frame->declared_file);
  g_array_append_val(self->frames, copy);
}

void profile_places_add(ProfilePlaces *self, guint64 start, guint64 end, const ProfilePlaceFrame *frames,
                        guint32 n_frames)
{
  ProfilePlace place = {.start = start, .end = end, .first_frame = self->frames->len, .n_frames = n_frames};

  g_return_if_fail(!self->sealed && n_frames > 0);

  if (end <= start)
    return;
  for (guint32 i = 0; i < n_frames; i++)
    add_frame(self, &frames[i]);
  g_array_append_val(self->places, place);
}

static gint places_compare(gconstpointer a, gconstpointer b)
{
  const ProfilePlace *left = a, *right = b;

  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return left->end < right->end ? -1 : left->end > right->end;
}

void profile_places_seal(ProfilePlaces *self)
{
  ProfilePlace *places = (ProfilePlace *)(gpointer)self->places->data;
  guint n = 0;

  g_return_if_fail(!self->sealed);

  g_array_sort(self->places, places_compare);
  for (guint i = 0; i < self->places->len; i++) {
    if (n > 0 && places[n - 1].start == places[i].start)
      n--;
    else if (n > 0)
      places[n - 1].end = MIN(places[n - 1].end, places[i].start);
    places[n++] = places[i];
  }
  g_array_set_size(self->places, n);
  self->sealed = TRUE;
}

void profile_places_move(ProfilePlaces *self, guint64 by)
{
  ProfilePlace *places = (ProfilePlace *)(gpointer)self->places->data;

  for (guint i = 0; i < self->places->len; i++) {
    places[i].start += by;
    places[i].end += by;
  }
}

void profile_places_set_outcome(ProfilePlaces *self, enum capture_places_outcome outcome)
{
  self->outcome = outcome;
}

enum capture_places_outcome profile_places_get_outcome(const ProfilePlaces *self)
{
  return self->outcome;
}

/* Those of `from` that begin where `better` (NULL: nothing) says nothing. */
static void places_take(ProfilePlaces *self, const ProfilePlaces *from, const ProfilePlaces *better)
{
  for (guint i = 0; i < from->places->len; i++) {
    const ProfilePlace *place = &g_array_index(from->places, ProfilePlace, i);

    if (!better || !profile_places_lookup(better, place->start))
      profile_places_add(self, place->start, place->end, profile_places_get_frames(from, place),
                         place->n_frames);
  }
}

ProfilePlaces *profile_places_join(const ProfilePlaces *old, const ProfilePlaces *places)
{
  ProfilePlaces *both = profile_places_new();

  both->outcome = MAX(old->outcome, places->outcome);
  places_take(both, old, places);
  places_take(both, places, NULL);
  profile_places_seal(both);
  return both;
}

const ProfilePlace *profile_places_get(const ProfilePlaces *self, gsize *n)
{
  *n = self->places->len;
  return (const ProfilePlace *)(gconstpointer)self->places->data;
}

const ProfilePlaceFrame *profile_places_get_frames(const ProfilePlaces *self, const ProfilePlace *place)
{
  return &g_array_index(self->frames, ProfilePlaceFrame, place->first_frame);
}

const ProfilePlace *profile_places_find_from(const ProfilePlaces *self, guint64 offset)
{
  const ProfilePlace *places = (const ProfilePlace *)(gconstpointer)self->places->data;
  guint low = 0, high = self->places->len;

  g_return_val_if_fail(self->sealed, NULL);

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (places[middle].end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->places->len ? &places[low] : NULL;
}

const ProfilePlace *profile_places_lookup(const ProfilePlaces *self, guint64 offset)
{
  const ProfilePlace *place = profile_places_find_from(self, offset);

  return place && place->start <= offset ? place : NULL;
}
