/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/stored-places.h"

#include "profile/base/demangle.h"

struct _ProfileStoredPlaces {
  GArray *answers; /* ProfilePlacesAnswer */
};

static void answer_clear(gpointer data)
{
  ProfilePlacesAnswer *answer = data;

  g_free((gpointer)answer->places);
  g_free((gpointer)answer->nothing);
}

ProfileStoredPlaces *profile_stored_places_new(void)
{
  ProfileStoredPlaces *self = g_new0(ProfileStoredPlaces, 1);

  self->answers = g_array_new(FALSE, FALSE, sizeof(ProfilePlacesAnswer));
  g_array_set_clear_func(self->answers, answer_clear);
  return self;
}

void profile_stored_places_free(ProfileStoredPlaces *self)
{
  g_array_unref(self->answers);
  g_free(self);
}

static gboolean stretches_ascend(const ProfileStretch *stretches, gsize n)
{
  guint64 end = 0;

  for (gsize i = 0; i < n; i++) {
    if (stretches[i].start < end || stretches[i].end <= stretches[i].start)
      return FALSE;
    end = stretches[i].end;
  }
  return TRUE;
}

gboolean profile_stored_places_take(ProfileStoredPlaces *self, struct dwarf_places *places, gsize size,
                                    ProfileStretch *nothing, gsize n_nothing, gboolean is_final)
{
  ProfilePlacesAnswer answer = {places, nothing, n_nothing, is_final};

  if (dwarf_places_are_valid(places, size) && stretches_ascend(nothing, n_nothing)) {
    g_array_append_val(self->answers, answer);
    return TRUE;
  }
  answer_clear(&answer);
  return FALSE;
}

const ProfilePlacesAnswer *profile_stored_places_get(const ProfileStoredPlaces *self, guint *ret_n)
{
  *ret_n = self->answers->len;
  return (const ProfilePlacesAnswer *)(gconstpointer)self->answers->data;
}

const struct dwarf_place *profile_stored_places_find(const ProfileStoredPlaces *self, guint64 offset,
                                                     const struct dwarf_places **ret_places)
{
  for (guint i = 0; i < self->answers->len; i++) {
    const struct dwarf_places *places = g_array_index(self->answers, ProfilePlacesAnswer, i).places;
    const struct dwarf_place *place = dwarf_places_find(places, offset);

    if (place) {
      *ret_places = places;
      return place;
    }
  }
  return NULL;
}

static gboolean answer_denies(const ProfilePlacesAnswer *answer, guint64 offset)
{
  gsize low = 0, high = answer->n_nothing;

  while (low < high) {
    gsize middle = low + (high - low) / 2;

    if (answer->nothing[middle].end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < answer->n_nothing && answer->nothing[low].start <= offset;
}

gboolean profile_stored_places_cover(const ProfileStoredPlaces *self, guint64 offset)
{
  const struct dwarf_places *places;

  for (guint i = 0; i < self->answers->len; i++)
    if (answer_denies(&g_array_index(self->answers, ProfilePlacesAnswer, i), offset))
      return TRUE;
  return profile_stored_places_find(self, offset, &places) != NULL;
}

/* What is made of answers: each text of one is taken and demangled once, as it stands there once. */
typedef struct {
  ProfilePlaces *places;
  const struct dwarf_places *of; /* whose texts these are */
  GHashTable *texts;             /* where it is -> char * */
  GHashTable *demangled;         /* likewise; NULL: the text is read as it stands */
  GArray *frames;                /* ProfilePlaceFrame, of one place */
} Making;

static void making_clear(Making *self)
{
  g_clear_pointer(&self->texts, g_hash_table_unref);
  g_clear_pointer(&self->demangled, g_hash_table_unref);
  g_clear_pointer(&self->frames, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Making, making_clear)

/* Texts that begin at one byte and are of several lengths are nothing that an honest elf-reader writes: the
 * first one stands for all. */
static const char *making_get_text(Making *self, const struct dwarf_text *text)
{
  gpointer key = GUINT_TO_POINTER(text->at), found = NULL;

  if (text->length == 0)
    return NULL;
  if (!g_hash_table_lookup_extended(self->texts, key, NULL, &found)) {
    found = g_strndup((const char *)self->of + text->at, text->length);
    g_hash_table_insert(self->texts, key, found);
  }
  return found;
}

static const char *making_demangle(Making *self, const struct dwarf_text *text, const char *linkage_name)
{
  gpointer key = GUINT_TO_POINTER(text->at), found = NULL;

  if (!g_hash_table_lookup_extended(self->demangled, key, NULL, &found)) {
    found = profile_demangle(linkage_name);
    g_hash_table_insert(self->demangled, key, found);
  }
  return found ? found : linkage_name;
}

static void making_add_frame(Making *self, const struct dwarf_frame *said)
{
  const char *name = making_get_text(self, &said->function);
  ProfilePlaceFrame frame = {.name = name,
                             .file = making_get_text(self, &said->file),
                             .line = said->line,
                             .column = said->column,
                             .declared_file = making_get_text(self, &said->declared_file),
                             .declared_line = said->declared_line};

  if (name && (said->flags & DWARF_FRAME_LINKAGE_NAME)) {
    frame.linkage_name = name;
    frame.name = making_demangle(self, &said->function, name);
  }
  g_array_append_val(self->frames, frame);
}

static void making_add(Making *self, const struct dwarf_places *of, const struct dwarf_place *place)
{
  const struct dwarf_frame *frames = dwarf_places_get_frames(of) + place->first_frame;

  if (of != self->of) {
    g_hash_table_remove_all(self->texts);
    g_hash_table_remove_all(self->demangled);
    self->of = of;
  }
  g_array_set_size(self->frames, 0);
  for (guint32 i = 0; i < place->n_frames; i++)
    making_add_frame(self, &frames[i]);
  profile_places_add(self->places, place->start, place->end,
                     (const ProfilePlaceFrame *)(gconstpointer)self->frames->data, self->frames->len);
}

/* Why less is known than could be, other than that time was over. */
static enum capture_places_outcome places_get_outcome(const struct dwarf_places *of)
{
  switch (of->outcome) {
  case DWARF_OUT_OF_MEMORY:
    return CAPTURE_PLACES_OUT_OF_MEMORY;
  case DWARF_DAMAGED:
    return CAPTURE_PLACES_DAMAGED;
  default:
    return CAPTURE_PLACES_COMPLETE;
  }
}

/* Each answer by itself, so that its texts are looked at once. */
static void making_add_answer(Making *self, const struct dwarf_places *of, const guint64 *offsets, gsize n)
{
  const struct dwarf_place *place = dwarf_places_get(of), *end = place + of->n_places;

  for (gsize i = 0; i < n && place < end; i++) {
    while (place < end && place->end <= offsets[i])
      place++;
    if (place < end && place->start <= offsets[i])
      making_add(self, of, place++);
  }
}

ProfilePlaces *profile_stored_places_make(const ProfileStoredPlaces *first, const ProfileStoredPlaces *second,
                                          const guint64 *offsets, gsize n,
                                          enum capture_places_outcome outcome)
{
  g_autoptr(ProfilePlaces) places = profile_places_new();
  g_auto(Making) making = {
      .places = places,
      .texts = g_hash_table_new_full(NULL, NULL, NULL, g_free),
      .demangled = g_hash_table_new_full(NULL, NULL, NULL, g_free),
      .frames = g_array_new(FALSE, FALSE, sizeof(ProfilePlaceFrame)),
  };
  const ProfileStoredPlaces *both[] = {first, second};
  gsize n_places;

  for (guint i = 0; i < G_N_ELEMENTS(both); i++)
    for (guint j = 0; both[i] && j < both[i]->answers->len; j++) {
      const struct dwarf_places *of = g_array_index(both[i]->answers, ProfilePlacesAnswer, j).places;

      making_add_answer(&making, of, offsets, n);
      outcome = MAX(outcome, places_get_outcome(of));
    }
  profile_places_seal(places);
  profile_places_set_outcome(places, outcome);
  profile_places_get(places, &n_places);
  return n_places > 0 || outcome != CAPTURE_PLACES_COMPLETE ? g_steal_pointer(&places) : NULL;
}
