/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/stored-names.h"

#include <string.h>

struct _ProfileStoredNames {
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
  guint build_id_size;
  enum capture_naming status;
  ProfileNameSources sources;
  char *link;
  GArray *ranges; /* ProfileFunctionRange */
  GStringChunk *strings;
  gsize bytes; /* of all strings */
  ProfileStoredPlaces *places;
};

ProfileStoredNames *profile_stored_names_new(const guint8 *build_id, guint size, enum capture_naming status,
                                             const ProfileNameSources *sources, const char *link)
{
  ProfileStoredNames *self = g_new0(ProfileStoredNames, 1);

  self->build_id_size = MIN(size, CAPTURE_BUILD_ID_MAX);
  memcpy(self->build_id, build_id, self->build_id_size);
  self->status = status;
  self->sources = *sources;
  self->link = g_strdup(link);
  self->ranges = g_array_new(FALSE, FALSE, sizeof(ProfileFunctionRange));
  self->strings = g_string_chunk_new(16384);
  return self;
}

void profile_stored_names_free(ProfileStoredNames *self)
{
  g_clear_pointer(&self->places, profile_stored_places_free);
  g_free(self->link);
  g_array_unref(self->ranges);
  g_string_chunk_free(self->strings);
  g_free(self);
}

static gboolean stored_names_follows(const ProfileStoredNames *self, const ProfileFunctionRange *range)
{
  guint n = self->ranges->len;

  return range->start < range->end && range->end <= G_MAXINT64 &&
         (n == 0 || g_array_index(self->ranges, ProfileFunctionRange, n - 1).end <= range->start);
}

/* Lengths of the strings of range, or -1 when one is too long. */
static gssize stored_names_measure(const ProfileFunctionRange *range)
{
  const char *strings[] = {range->name, range->linkage_name};
  gssize sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS(strings); i++) {
    gsize length = strings[i] ? strnlen(strings[i], PROFILE_STORED_NAMES_STRING_MAX + 1) : 0;

    if (length > PROFILE_STORED_NAMES_STRING_MAX)
      return -1;
    sum += (gssize)length;
  }
  return sum;
}

/* Only what is kept. */
static ProfileFunctionRange stored_names_copy(ProfileStoredNames *self, const ProfileFunctionRange *range)
{
  ProfileFunctionRange copy = {.start = range->start, .end = range->end};
  gboolean same = !range->linkage_name || g_strcmp0(range->name, range->linkage_name) == 0;

  if (!range->name)
    return copy;
  copy.name = g_string_chunk_insert(self->strings, range->name);
  copy.linkage_name = same ? copy.name : g_string_chunk_insert(self->strings, range->linkage_name);
  copy.nameless = range->nameless;
  return copy;
}

gboolean profile_stored_names_add(ProfileStoredNames *self, const ProfileFunctionRange *range)
{
  gssize bytes = stored_names_measure(range);
  ProfileFunctionRange copy;

  if (!stored_names_follows(self, range) || bytes < 0 ||
      self->bytes + (gsize)bytes > PROFILE_STORED_NAMES_BYTES_MAX)
    return FALSE;
  self->bytes += (gsize)bytes;
  copy = stored_names_copy(self, range);
  g_array_append_val(self->ranges, copy);
  return TRUE;
}

const guint8 *profile_stored_names_get_build_id(const ProfileStoredNames *self, guint *ret_size)
{
  *ret_size = self->build_id_size;
  return self->build_id;
}

enum capture_naming profile_stored_names_get_status(const ProfileStoredNames *self)
{
  return self->status;
}

const ProfileNameSources *profile_stored_names_get_sources(const ProfileStoredNames *self)
{
  return &self->sources;
}

const char *profile_stored_names_get_link(const ProfileStoredNames *self)
{
  return self->link;
}

const ProfileFunctionRange *profile_stored_names_get_ranges(const ProfileStoredNames *self, gsize *ret_n)
{
  *ret_n = self->ranges->len;
  return (const ProfileFunctionRange *)(gconstpointer)self->ranges->data;
}

const ProfileFunctionRange *profile_stored_names_find(const ProfileStoredNames *self, guint64 offset)
{
  const ProfileFunctionRange *ranges = (const ProfileFunctionRange *)(gconstpointer)self->ranges->data;
  guint low = 0, high = self->ranges->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (ranges[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && offset < ranges[low - 1].end ? &ranges[low - 1] : NULL;
}

const ProfileStoredPlaces *profile_stored_names_get_places(const ProfileStoredNames *self)
{
  return self->places;
}

void profile_stored_names_take_places(ProfileStoredNames *self, ProfileStoredPlaces *places)
{
  g_clear_pointer(&self->places, profile_stored_places_free);
  self->places = places;
}

static gboolean stamps_equal(const ProfileFileStamp *a, const ProfileFileStamp *b)
{
  return a->inode == b->inode && a->size == b->size && a->time == b->time;
}

gboolean profile_name_sources_equal(const ProfileNameSources *a, const ProfileNameSources *b)
{
  return stamps_equal(&a->binary, &b->binary) && stamps_equal(&a->debug, &b->debug);
}
