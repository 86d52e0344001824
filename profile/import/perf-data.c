/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/capture/reader.h"
#include "profile/import/perf-data-private.h"

#define MAGIC            "PERFILE2"
#define SWAPPED_MAGIC    "2ELIFREP"
#define FILE_HEADER_SIZE 104
#define PIPE_HEADER_SIZE 16
#define SECTION_SIZE     16
#define N_FEATURES       256

void profile_perf_data_set_damaged(const ProfilePerfData *self, GError **error, const char *what)
{
  g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED, _("“%s” is damaged: %s."), self->name, what);
}

static gboolean take_section(ProfilePerfData *self, const guint8 *at, ProfileBytes *ret)
{
  guint64 offset = profile_bytes_load_64(at), size = profile_bytes_load_64(at + 8);

  if (offset > self->size || size > self->size - offset)
    return FALSE;
  *ret = (ProfileBytes){self->bytes + offset, self->bytes + offset + size, FALSE};
  return TRUE;
}

static gboolean take_attrs(ProfilePerfData *self, guint64 entry_size, ProfileBytes attrs, GError **error)
{
  while (attrs.at < attrs.end) {
    const guint8 *entry = profile_bytes_take(&attrs, entry_size);
    ProfileBytes ids;

    if (!entry || !take_section(self, entry + entry_size - SECTION_SIZE, &ids) ||
        !profile_perf_data_add_event(self, entry, entry_size - SECTION_SIZE, &ids)) {
      profile_perf_data_set_damaged(self, error, _("the description of its events makes no sense"));
      return FALSE;
    }
  }
  return TRUE;
}

static void take_features(ProfilePerfData *self)
{
  gsize at = self->data_end;

  for (guint feature = 0; feature < N_FEATURES; feature++) {
    ProfileBytes bytes;

    if (!(self->feature_bits[feature / 64] >> (feature % 64) & 1))
      continue;
    if (at > self->size || self->size - at < SECTION_SIZE)
      return;
    if (take_section(self, self->bytes + at, &bytes))
      profile_perf_data_add_feature(self, feature, bytes);
    at += SECTION_SIZE;
  }
}

/* A killed perf leaves the size of the data zero; the records reach to the end of the file then. */
static void take_data(ProfilePerfData *self, guint64 offset, guint64 size)
{
  self->data_start = MIN(offset, self->size);
  self->unfinished = size == 0;
  self->cut_off = offset > self->size || size > self->size - offset;
  self->data_end = self->unfinished || self->cut_off ? self->size : offset + size;
}

static gboolean take_file_header(ProfilePerfData *self, GError **error)
{
  const guint8 *header = self->bytes;
  guint64 attr_size = self->size < FILE_HEADER_SIZE ? 0 : profile_bytes_load_64(header + 16);
  ProfileBytes attrs;

  if (attr_size < PERF_ATTR_SIZE_VER0 + SECTION_SIZE || attr_size > 65536 ||
      !take_section(self, header + 24, &attrs)) {
    profile_perf_data_set_damaged(self, error,
                                  _("its header makes no sense, or the file was cut off right after it"));
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(self->feature_bits); i++)
    self->feature_bits[i] = profile_bytes_load_64(header + 72 + 8 * i);
  take_data(self, profile_bytes_load_64(header + 40), profile_bytes_load_64(header + 48));
  if (!take_attrs(self, attr_size, attrs, error))
    return FALSE;
  if (!self->unfinished && !self->cut_off)
    take_features(self);
  return TRUE;
}

static gboolean take_pipe_record(ProfilePerfData *self, const guint8 *at)
{
  guint32 type = profile_bytes_load_32(at);
  guint16 size = profile_bytes_load_16(at + 6);
  ProfileBytes bytes = {at + PROFILE_PERF_RECORD_HEADER, at + size, FALSE};

  if (type == PROFILE_PERF_HEADER_ATTR) {
    gsize length = bytes.end - bytes.at;
    guint32 attr_size = length < PERF_ATTR_SIZE_VER0 ? 0 : profile_bytes_load_32(bytes.at + 4);
    ProfileBytes ids = {bytes.at + MIN(length, attr_size ? attr_size : PERF_ATTR_SIZE_VER0), bytes.end,
                        FALSE};

    return profile_perf_data_add_event(self, bytes.at, length, &ids);
  }
  if (type == PROFILE_PERF_EVENT_UPDATE)
    profile_perf_data_update_event(self, bytes);
  if (type == PROFILE_PERF_HEADER_FEATURE) {
    guint64 feature = profile_bytes_take_64(&bytes);

    profile_perf_data_add_feature(self, feature, bytes);
  }
  if (type == PROFILE_PERF_HEADER_BUILD_ID)
    profile_perf_data_add_build_id(self, profile_bytes_load_16(at + 4), bytes);
  return TRUE;
}

/* In a pipe attributes and features are records; build-ids come last, but are wanted first. */
static gboolean take_pipe_header(ProfilePerfData *self, GError **error)
{
  self->data_start = PIPE_HEADER_SIZE;
  self->data_end = self->size;
  for (gsize at = self->data_start, size; at < self->data_end; at += size) {
    size = profile_perf_data_record_size(self->bytes + at, self->data_end - at);
    if (size == 0)
      break;
    if (!take_pipe_record(self, self->bytes + at)) {
      profile_perf_data_set_damaged(self, error, _("the description of its events makes no sense"));
      return FALSE;
    }
  }
  return TRUE;
}

gboolean profile_perf_data_recognise(const guint8 *bytes, gsize size)
{
  return size >= 8 && (memcmp(bytes, MAGIC, 8) == 0 || memcmp(bytes, SWAPPED_MAGIC, 8) == 0);
}

static gboolean take_header(ProfilePerfData *self, GError **error)
{
  static const char wrong[] = N_("“%s” is not a perf.data file.");
  static const char swapped[] = N_("“%s” was recorded on a machine with the other byte order; import it on "
                                   "a machine of that kind.");

  if (self->size >= 8 && memcmp(self->bytes, SWAPPED_MAGIC, 8) == 0) {
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_UNSUPPORTED, _(swapped), self->name);
    return FALSE;
  }
  if (self->size < PIPE_HEADER_SIZE || memcmp(self->bytes, MAGIC, 8) != 0) {
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE, _(wrong), self->name);
    return FALSE;
  }
  self->pipe = profile_bytes_load_64(self->bytes + 8) == PIPE_HEADER_SIZE;
  if (!(self->pipe ? take_pipe_header(self, error) : take_file_header(self, error)))
    return FALSE;
  if (self->events->len > 0)
    return TRUE;
  profile_perf_data_set_damaged(self, error, _("it describes no event"));
  return FALSE;
}

ProfilePerfData *profile_perf_data_new(ProfileInput *input, GError **error)
{
  g_autoptr(ProfilePerfData) self = g_new0(ProfilePerfData, 1);

  profile_perf_data_init(self);
  self->input = input;
  self->name = input->name;
  self->bytes = input->bytes;
  self->size = input->size;
  return take_header(self, error) ? g_steal_pointer(&self) : NULL;
}

ProfilePerfData *profile_perf_data_open(const char *path, GError **error)
{
  ProfileInput *input = profile_input_open(path, error);

  return input ? profile_perf_data_new(input, error) : NULL;
}

void profile_perf_data_free(ProfilePerfData *self)
{
  if (!self)
    return;
  profile_perf_data_clear(self);
  profile_perf_queue_clear(&self->queue);
  profile_perf_inflate_free(self->inflate);
  profile_input_free(self->input);
  g_free(self);
}

const ProfilePerfEvent *profile_perf_data_get_event(ProfilePerfData *self, guint index)
{
  return self->events->pdata[index];
}

guint profile_perf_data_get_n_events(ProfilePerfData *self)
{
  return self->events->len;
}

const ProfilePerfFacts *profile_perf_data_get_facts(ProfilePerfData *self)
{
  return &self->facts;
}

const ProfilePerfBuildId *profile_perf_data_get_build_id(ProfilePerfData *self, const char *path)
{
  return g_hash_table_lookup(self->build_ids, path);
}

gint64 profile_perf_data_get_modified(ProfilePerfData *self)
{
  return self->input->modified;
}

gint64 profile_perf_data_get_created(ProfilePerfData *self)
{
  return self->input->created;
}

guint64 profile_perf_data_get_size(ProfilePerfData *self)
{
  return self->size;
}

const char *profile_perf_data_get_name(ProfilePerfData *self)
{
  return self->name;
}
