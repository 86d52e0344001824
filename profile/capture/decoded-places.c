/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/decoded-places.h"

#include "profile/base/demangle.h"

typedef struct {
  ProfilePlace place; /* its frames: identifiers in `items` */
  guint32 binary;
} DecodedPlace;

struct _DecodedPlaces {
  GHashTable *numbers; /* identifier of a frame → number + 1 */
  GArray *frames;      /* struct capture_place_frame, by number */
  GArray *places;      /* DecodedPlace */
  GArray *items;       /* guint32 */
};

DecodedPlaces *decoded_places_new(void)
{
  DecodedPlaces *self = g_new0(DecodedPlaces, 1);

  self->numbers = g_hash_table_new(NULL, NULL);
  self->frames = g_array_new(FALSE, FALSE, sizeof(struct capture_place_frame));
  self->places = g_array_new(FALSE, FALSE, sizeof(DecodedPlace));
  self->items = g_array_new(FALSE, FALSE, sizeof(guint32));
  return self;
}

/* As of strings, the first definition counts. */
static void decoded_places_define(DecodedPlaces *self, guint64 id, const struct capture_place_frame *frame)
{
  if (id == 0 || id > G_MAXUINT32 || g_hash_table_contains(self->numbers, GUINT_TO_POINTER((guint)id)))
    return;
  g_array_append_val(self->frames, *frame);
  g_hash_table_insert(self->numbers, GUINT_TO_POINTER((guint)id), GUINT_TO_POINTER(self->frames->len));
}

void decoded_places_add_frames(DecodedPlaces *self, const struct capture_record_place_frames *record)
{
  for (guint i = 0; i < record->record.count; i++)
    decoded_places_define(self, (guint64)record->first + i, &record->frames[i]);
}

void decoded_places_add(DecodedPlaces *self, const struct capture_record_place *record)
{
  DecodedPlace decoded = {.place = {.start = record->start,
                                    .end = record->end,
                                    .chain = self->items->len,
                                    .n_frames = record->record.count},
                          .binary = record->binary};

  if (record->record.count == 0 || record->start >= record->end)
    return;
  g_array_append_vals(self->items, record->frames, record->record.count);
  g_array_append_val(self->places, decoded);
}

static const char *get_place_text(GHashTable *strings, guint32 id)
{
  return id ? g_hash_table_lookup(strings, GUINT_TO_POINTER(id)) : NULL;
}

static ProfilePlaceFrame resolve_place_frame(const struct capture_place_frame *frame, GHashTable *strings,
                                             GPtrArray *demangled)
{
  ProfilePlaceFrame resolved = {.name = get_place_text(strings, frame->name),
                                .linkage_name = get_place_text(strings, frame->linkage_name),
                                .file = get_place_text(strings, frame->file),
                                .line = frame->line,
                                .column = frame->column,
                                .declared_file = get_place_text(strings, frame->declared_file),
                                .declared_line = frame->declared_line};

  if (!resolved.name && resolved.linkage_name) {
    char *name = profile_demangle(resolved.linkage_name);

    if (name)
      g_ptr_array_add(demangled, name);
    resolved.name = name ? name : resolved.linkage_name;
  }
  return resolved;
}

/* Once each, since places share them. */
static ProfilePlaceFrame *decoded_places_resolve(const DecodedPlaces *self, GHashTable *strings,
                                                 GPtrArray *demangled)
{
  ProfilePlaceFrame *frames = g_new(ProfilePlaceFrame, self->frames->len);

  for (guint i = 0; i < self->frames->len; i++)
    frames[i] =
        resolve_place_frame(&g_array_index(self->frames, struct capture_place_frame, i), strings, demangled);
  return frames;
}

/* False when one of them is not defined: the others would tell of calls that were never made. */
static gboolean decoded_places_collect(const DecodedPlaces *self, const ProfilePlace *place,
                                       const ProfilePlaceFrame *frames, GArray *ret)
{
  g_array_set_size(ret, 0);
  for (guint32 i = 0; i < place->n_frames; i++) {
    guint32 id = g_array_index(self->items, guint32, place->chain + i);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(self->numbers, GUINT_TO_POINTER(id)));

    if (number == 0)
      return FALSE;
    g_array_append_val(ret, frames[number - 1]);
  }
  return TRUE;
}

static void decoded_places_hand_out(const DecodedPlaces *self, const ProfilePlaceFrame *frames,
                                    DecodedPlaceFunc func, gpointer data)
{
  g_autoptr(GArray) of_place = g_array_new(FALSE, FALSE, sizeof(ProfilePlaceFrame));

  for (guint i = 0; i < self->places->len; i++) {
    const DecodedPlace *decoded = &g_array_index(self->places, DecodedPlace, i);

    if (decoded_places_collect(self, &decoded->place, frames, of_place))
      func(decoded->binary, &decoded->place, (const ProfilePlaceFrame *)(gconstpointer)of_place->data, data);
  }
}

void decoded_places_finish(DecodedPlaces *self, GHashTable *strings, DecodedPlaceFunc func, gpointer data)
{
  g_autoptr(GPtrArray) demangled = g_ptr_array_new_with_free_func(g_free);
  g_autofree ProfilePlaceFrame *frames = decoded_places_resolve(self, strings, demangled);

  decoded_places_hand_out(self, frames, func, data);
  g_hash_table_unref(self->numbers);
  g_array_unref(self->frames);
  g_array_unref(self->places);
  g_array_unref(self->items);
  g_free(self);
}
