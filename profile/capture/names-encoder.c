/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/names-window.h"

#include <string.h>

#define CONTENT_MAX   (1u << 20)
#define FUNCTIONS_MAX 512 /* a record */
#define FRAMES_MAX    512 /* a record */
#define SOURCE_MAX    (256u << 10)

struct _ProfileNamesEncoder {
  ProfileNamesWriteFunc write;
  gpointer data;
  GByteArray *content;
  GHashTable *strings; /* text → identifier */
  guint32 n_strings;
  guint32 n_binaries;
  guint32 n_frames; /* of all binaries before */
  gboolean failed;
};

ProfileNamesEncoder *profile_names_encoder_new(ProfileNamesWriteFunc write, gpointer data)
{
  ProfileNamesEncoder *self = g_new0(ProfileNamesEncoder, 1);

  self->write = write;
  self->data = data;
  self->content = g_byte_array_new();
  self->strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

static void names_window_flush(ProfileNamesEncoder *self)
{
  if (self->content->len > 0 && !self->failed)
    self->failed = !self->write(self->content->data, self->content->len, self->data);
  g_byte_array_set_size(self->content, 0);
}

/* Zeroed room for a record of at least `size` bytes; its size and type are set. */
static gpointer begin_record(ProfileNamesEncoder *self, gsize size, guint16 type, guint16 count)
{
  struct capture_record *record;
  gsize padded = (size + 7) & ~(gsize)7;
  guint at;

  if (self->content->len + padded > CONTENT_MAX)
    names_window_flush(self);
  at = self->content->len;
  g_byte_array_set_size(self->content, at + (guint)padded);
  memset(self->content->data + at, 0, padded);
  record = (gpointer)(self->content->data + at);
  *record = (struct capture_record){.size = (guint32)padded, .type = type, .count = count};
  return record;
}

static guint32 add_string(ProfileNamesEncoder *self, const char *text)
{
  guint32 id = text ? GPOINTER_TO_UINT(g_hash_table_lookup(self->strings, text)) : 0;
  struct capture_record_string *string;
  gsize length;

  if (!text || id)
    return id;
  length = MIN(strlen(text), CONTENT_MAX / 2);
  id = ++self->n_strings;
  string = begin_record(self, sizeof *string + length + 1, CAPTURE_RECORD_STRING, 0);
  string->id = id;
  string->length = (guint32)length;
  memcpy(string->bytes, text, length);
  g_hash_table_insert(self->strings, g_strdup(text), GUINT_TO_POINTER(id));
  return id;
}

static void add_binary(ProfileNamesEncoder *self, const ProfileBinary *binary, enum capture_naming status)
{
  guint32 path = add_string(self, binary ? binary->path : "[kernel]");
  struct capture_record_named_binary *named =
      begin_record(self, sizeof *named, CAPTURE_RECORD_NAMED_BINARY, 0);

  named->id = ++self->n_binaries;
  named->path = path;
  named->status = status;
  named->flags = binary ? binary->flags : CAPTURE_BINARY_KERNEL;
  if (!binary)
    return;
  named->device = binary->device;
  named->inode = binary->inode;
  named->build_id_size = binary->build_id_size;
  memcpy(named->build_id, binary->build_id, sizeof named->build_id);
}

static struct capture_function encode_function(ProfileNamesEncoder *self, const ProfileFunctionRange *range)
{
  gboolean same = !range->linkage_name || g_str_equal(range->linkage_name, range->name);

  return (struct capture_function){.start = range->start,
                                   .end = range->end,
                                   .name = add_string(self, range->name),
                                   .linkage_name = same ? 0 : add_string(self, range->linkage_name),
                                   .file = add_string(self, range->file),
                                   .line = range->line,
                                   .module = add_string(self, range->module),
                                   .flags = range->nameless ? CAPTURE_FUNCTION_NAMELESS : 0};
}

/* Those of the binary that was added last. */
static void add_functions(ProfileNamesEncoder *self, const ProfileFunctionTable *table)
{
  struct capture_function functions[FUNCTIONS_MAX];
  gsize n_ranges;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n_ranges);

  for (gsize first = 0; first < n_ranges; first += FUNCTIONS_MAX) {
    gsize n = MIN(n_ranges - first, FUNCTIONS_MAX);
    struct capture_record_functions *record;

    for (gsize i = 0; i < n; i++)
      functions[i] = encode_function(self, &ranges[first + i]);
    record = begin_record(self, sizeof *record + n * sizeof *functions, CAPTURE_RECORD_FUNCTIONS, (guint16)n);
    record->binary = self->n_binaries;
    memcpy(record->functions, functions, n * sizeof *functions);
  }
}

static struct capture_place_frame encode_place_frame(ProfileNamesEncoder *self,
                                                     const ProfilePlaceFrame *frame)
{
  gboolean same = g_strcmp0(frame->linkage_name, frame->name) == 0;

  return (struct capture_place_frame){.name = add_string(self, frame->name),
                                      .linkage_name = same ? 0 : add_string(self, frame->linkage_name),
                                      .file = add_string(self, frame->file),
                                      .line = frame->line,
                                      .column = frame->column,
                                      .declared_file = add_string(self, frame->declared_file),
                                      .declared_line = frame->declared_line};
}

/* Those of the binary that was added last; they stand before the places that refer to them. */
static void add_place_frames(ProfileNamesEncoder *self, const ProfilePlaces *places)
{
  struct capture_place_frame frames[FRAMES_MAX];
  guint32 n_frames;
  const ProfilePlaceFrame *all = profile_places_get_frames(places, &n_frames);

  for (guint32 first = 0; first < n_frames; first += FRAMES_MAX) {
    guint32 n = MIN(n_frames - first, FRAMES_MAX);
    struct capture_record_place_frames *record;

    for (guint32 i = 0; i < n; i++)
      frames[i] = encode_place_frame(self, &all[first + i]);
    record = begin_record(self, sizeof *record + n * sizeof *frames, CAPTURE_RECORD_PLACE_FRAMES, (guint16)n);
    record->first = self->n_frames + first + 1;
    memcpy(record->frames, frames, n * sizeof *frames);
  }
}

static void add_place(ProfileNamesEncoder *self, const ProfilePlaces *places, const ProfilePlace *place)
{
  const guint32 *numbers = profile_places_get_numbers(places, place);
  struct capture_record_place *record;

  record = begin_record(self, sizeof *record + place->n_frames * sizeof *numbers, CAPTURE_RECORD_PLACE,
                        (guint16)place->n_frames);
  record->binary = self->n_binaries;
  record->start = place->start;
  record->end = place->end;
  for (guint32 i = 0; i < place->n_frames; i++)
    record->frames[i] = self->n_frames + numbers[i] + 1;
}

static void add_outcome(ProfileNamesEncoder *self, enum capture_places_outcome outcome)
{
  struct capture_record_places_outcome *record =
      begin_record(self, sizeof *record, CAPTURE_RECORD_PLACES_OUTCOME, 0);

  record->binary = self->n_binaries;
  record->outcome = outcome;
}

static void add_places(ProfileNamesEncoder *self, const ProfilePlaces *places)
{
  gsize n;
  const ProfilePlace *all = profile_places_get(places, &n);
  guint32 n_frames;

  add_place_frames(self, places);
  for (gsize i = 0; i < n; i++)
    add_place(self, places, &all[i]);
  profile_places_get_frames(places, &n_frames);
  self->n_frames += n_frames;
}

static void add_copy(ProfileNamesEncoder *self, const ProfileCodeCopy *copy)
{
  gsize length = MIN(copy->end - copy->start, PROFILE_MACHINE_CODE_MAX);
  struct capture_record_machine_code *record =
      begin_record(self, sizeof *record + length, CAPTURE_RECORD_MACHINE_CODE, 0);

  record->binary = self->n_binaries;
  record->machine = copy->machine;
  record->start = copy->start;
  record->address = copy->address;
  record->length = (guint32)length;
  memcpy(record->code, g_bytes_get_data(copy->bytes, NULL), length);
}

/* That of the binary that was added last. */
static void add_code(ProfileNamesEncoder *self, const ProfileMachineCode *code)
{
  gsize n;
  const ProfileCodeCopy *copies = profile_machine_code_get(code, &n);

  for (gsize i = 0; i < n; i++)
    add_copy(self, &copies[i]);
}

void profile_names_encoder_add(ProfileNamesEncoder *self, const ProfileBinary *binary,
                               const ProfileFunctionTable *table, const ProfilePlaces *places,
                               const ProfileMachineCode *code)
{
  add_binary(self, binary, profile_function_table_get_status(table));
  add_functions(self, table);
  if (places)
    add_places(self, places);
  if (code)
    add_code(self, code);
  if (places && profile_places_get_outcome(places) != CAPTURE_PLACES_COMPLETE)
    add_outcome(self, profile_places_get_outcome(places));
}

/* In pieces, as records fit into windows. */
static void add_source(gpointer path, gpointer text, gpointer data)
{
  const GByteArray *bytes = text;

  for (guint at = 0; at < bytes->len;) {
    guint32 id = add_string(data, path), length = MIN(bytes->len - at, SOURCE_MAX);
    struct capture_record_source_text *record =
        begin_record(data, sizeof *record + length, CAPTURE_RECORD_SOURCE_TEXT, 0);

    record->path = id;
    record->length = length;
    record->offset = at;
    memcpy(record->text, bytes->data + at, length);
    at += length;
  }
}

void profile_names_encoder_add_sources(ProfileNamesEncoder *self, const ProfileSourceTexts *texts)
{
  profile_source_texts_foreach(texts, add_source, self);
}

gboolean profile_names_encoder_finish(ProfileNamesEncoder *self)
{
  gboolean done;

  names_window_flush(self);
  done = !self->failed;
  g_byte_array_unref(self->content);
  g_hash_table_unref(self->strings);
  g_free(self);
  return done;
}
