/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/places.h"

#include <string.h>

struct _ProfilePlaces {
  gatomicrefcount references;
  GArray *places;  /* ProfilePlace */
  GArray *frames;  /* ProfilePlaceFrame, each once; equal strings are one pointer */
  GArray *numbers; /* guint32: chains of frames, each once */
  GStringChunk *strings;
  GHashTable *known_frames; /* ProfilePlaceFrame → number + 1; as the next, NULL when sealed */
  GHashTable *known_chains; /* Chain → itself */
  enum capture_places_outcome outcome;
  gboolean sealed;
};

/* Where it is among the numbers. */
typedef struct {
  const GArray *numbers;
  guint32 first, n;
} Chain;

static guint place_frame_hash(gconstpointer key)
{
  const ProfilePlaceFrame *frame = key;

  return g_direct_hash(frame->name) ^ g_direct_hash(frame->file) * 31 ^ frame->line * 65599 ^
         frame->column * 257 ^ g_direct_hash(frame->linkage_name) * 17 ^ frame->declared_line;
}

static gboolean place_frame_equal(gconstpointer a, gconstpointer b)
{
  const ProfilePlaceFrame *x = a, *y = b;

  return x->name == y->name && x->linkage_name == y->linkage_name && x->file == y->file &&
         x->line == y->line && x->column == y->column && x->declared_file == y->declared_file &&
         x->declared_line == y->declared_line;
}

static const guint32 *chain_get(const Chain *chain)
{
  return &g_array_index(chain->numbers, guint32, chain->first);
}

static guint chain_hash(gconstpointer key)
{
  const Chain *chain = key;
  guint hash = chain->n;

  for (guint32 i = 0; i < chain->n; i++)
    hash = hash * 31 + chain_get(chain)[i];
  return hash;
}

static gboolean chain_equal(gconstpointer a, gconstpointer b)
{
  const Chain *x = a, *y = b;

  return x->n == y->n && memcmp(chain_get(x), chain_get(y), x->n * sizeof(guint32)) == 0;
}

ProfilePlaces *profile_places_new(void)
{
  ProfilePlaces *self = g_new0(ProfilePlaces, 1);

  g_atomic_ref_count_init(&self->references);
  self->places = g_array_new(FALSE, FALSE, sizeof(ProfilePlace));
  self->frames = g_array_new(FALSE, FALSE, sizeof(ProfilePlaceFrame));
  self->numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->strings = g_string_chunk_new(16384);
  self->known_frames = g_hash_table_new_full(place_frame_hash, place_frame_equal, g_free, NULL);
  self->known_chains = g_hash_table_new_full(chain_hash, chain_equal, g_free, NULL);
  return self;
}

ProfilePlaces *profile_places_ref(ProfilePlaces *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

static void places_forget_known(ProfilePlaces *self)
{
  g_clear_pointer(&self->known_frames, g_hash_table_unref);
  g_clear_pointer(&self->known_chains, g_hash_table_unref);
}

void profile_places_unref(ProfilePlaces *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  places_forget_known(self);
  g_array_unref(self->places);
  g_array_unref(self->frames);
  g_array_unref(self->numbers);
  g_string_chunk_free(self->strings);
  g_free(self);
}

static const char *places_keep(ProfilePlaces *self, const char *string)
{
  return string ? g_string_chunk_insert_const(self->strings, string) : NULL;
}

static guint32 places_add_frame(ProfilePlaces *self, const ProfilePlaceFrame *frame)
{
  ProfilePlaceFrame copy = *frame;
  guint32 number;

  copy.name = places_keep(self, frame->name);
  copy.linkage_name = frame->linkage_name ? places_keep(self, frame->linkage_name) : copy.name;
  copy.file = places_keep(self, frame->file);
  copy.declared_file = places_keep(self, frame->declared_file);
  number = GPOINTER_TO_UINT(g_hash_table_lookup(self->known_frames, &copy));
  if (number == 0) {
    g_array_append_val(self->frames, copy);
    number = self->frames->len;
    g_hash_table_insert(self->known_frames, g_memdup2(&copy, sizeof copy), GUINT_TO_POINTER(number));
  }
  return number - 1;
}

static guint32 places_add_chain(ProfilePlaces *self, const ProfilePlaceFrame *frames, guint32 n)
{
  Chain chain = {self->numbers, self->numbers->len, n};
  const Chain *known;

  for (guint32 i = 0; i < n; i++) {
    guint32 number = places_add_frame(self, &frames[i]);

    g_array_append_val(self->numbers, number);
  }
  known = g_hash_table_lookup(self->known_chains, &chain);
  if (known)
    g_array_set_size(self->numbers, chain.first);
  else
    g_hash_table_add(self->known_chains, g_memdup2(&chain, sizeof chain));
  return known ? known->first : chain.first;
}

void profile_places_add(ProfilePlaces *self, guint64 start, guint64 end, const ProfilePlaceFrame *frames,
                        guint32 n_frames)
{
  ProfilePlaceFrame fewer[PROFILE_PLACE_FRAMES_MAX];
  ProfilePlace place = {.start = start, .end = end, .n_frames = MIN(n_frames, PROFILE_PLACE_FRAMES_MAX)};

  g_return_if_fail(!self->sealed && n_frames > 0);

  if (end <= start)
    return;
  if (n_frames > PROFILE_PLACE_FRAMES_MAX) {
    memcpy(fewer, frames, sizeof fewer);
    fewer[PROFILE_PLACE_FRAMES_MAX - 1] = frames[n_frames - 1];
    frames = fewer;
  }
  place.chain = places_add_chain(self, frames, place.n_frames);
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
  places_forget_known(self);
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
  g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(ProfilePlaceFrame)); /* of one place */

  for (guint i = 0; i < from->places->len; i++) {
    const ProfilePlace *place = &g_array_index(from->places, ProfilePlace, i);

    if (better && profile_places_lookup(better, place->start))
      continue;
    g_array_set_size(frames, 0);
    for (guint32 j = 0; j < place->n_frames; j++)
      g_array_append_vals(frames, profile_places_get_frame(from, place, j), 1);
    profile_places_add(self, place->start, place->end, (const ProfilePlaceFrame *)(gconstpointer)frames->data,
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

ProfilePlaces *profile_places_merge(ProfilePlaces *old, ProfilePlaces *places)
{
  ProfilePlaces *both;

  if (!old || !places)
    return old ? old : places;
  both = profile_places_join(old, places);
  profile_places_unref(old);
  profile_places_unref(places);
  return both;
}

const ProfilePlace *profile_places_get(const ProfilePlaces *self, gsize *n)
{
  *n = self->places->len;
  return (const ProfilePlace *)(gconstpointer)self->places->data;
}

const ProfilePlaceFrame *profile_places_get_frame(const ProfilePlaces *self, const ProfilePlace *place,
                                                  guint32 i)
{
  return &g_array_index(self->frames, ProfilePlaceFrame, profile_places_get_numbers(self, place)[i]);
}

const ProfilePlaceFrame *profile_places_get_frames(const ProfilePlaces *self, guint32 *n)
{
  *n = self->frames->len;
  return (const ProfilePlaceFrame *)(gconstpointer)self->frames->data;
}

const guint32 *profile_places_get_numbers(const ProfilePlaces *self, const ProfilePlace *place)
{
  return &g_array_index(self->numbers, guint32, place->chain);
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
