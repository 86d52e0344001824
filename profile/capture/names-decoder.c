/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "libcapture/file/capture-reader.h"
#include "profile/base/demangle.h"
#include "profile/capture/decoded-places.h"
#include "profile/capture/names-window.h"

gboolean profile_names_binary_matches(const ProfileBinary *a, const ProfileBinary *b)
{
  if ((a->flags | b->flags) & CAPTURE_BINARY_KERNEL)
    return (a->flags & b->flags & CAPTURE_BINARY_KERNEL) != 0;
  if (a->build_id_size > 0 && b->build_id_size > 0)
    return a->build_id_size == b->build_id_size && memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
  return a->device == b->device && a->inode == b->inode && g_str_equal(a->path, b->path);
}

typedef struct {
  struct capture_record_named_binary record;
  ProfileFunctionTable *table;
  ProfilePlaces *places;    /* NULL: none */
  ProfileMachineCode *code; /* likewise */
} NamedBinary;

struct _ProfileNamesDecoder {
  GHashTable *strings; /* identifier → text */
  GArray *binaries;    /* NamedBinary */
  GHashTable *by_id;   /* identifier → number of the binary + 1 */
  GPtrArray *kept;     /* GBytes: records that refer to strings and binaries, which may come later */
  DecodedPlaces *places;
  gboolean served;
};

ProfileNamesDecoder *profile_names_decoder_new(gboolean served)
{
  ProfileNamesDecoder *self = g_new0(ProfileNamesDecoder, 1);

  self->served = served;
  self->strings = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  self->binaries = g_array_new(FALSE, TRUE, sizeof(NamedBinary));
  self->by_id = g_hash_table_new(NULL, NULL);
  self->kept = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  self->places = decoded_places_new();
  return self;
}

static void decode_string(ProfileNamesDecoder *self, const struct capture_record_string *record)
{
  gpointer id = GUINT_TO_POINTER(record->id);

  if (record->id != 0 && !g_hash_table_contains(self->strings, id))
    g_hash_table_insert(self->strings, id, g_strndup(record->bytes, record->length));
}

static void decode_binary(ProfileNamesDecoder *self, const struct capture_record_named_binary *record)
{
  NamedBinary binary = {.record = *record};

  if (record->id == 0 || g_hash_table_contains(self->by_id, GUINT_TO_POINTER(record->id)))
    return;
  binary.record.build_id_size = MIN(record->build_id_size, CAPTURE_BUILD_ID_MAX);
  g_array_append_val(self->binaries, binary);
  g_hash_table_insert(self->by_id, GUINT_TO_POINTER(record->id), GUINT_TO_POINTER(self->binaries->len));
}

static gboolean is_kept(const struct capture_record *record)
{
  return record->type == CAPTURE_RECORD_FUNCTIONS || record->type == CAPTURE_RECORD_MACHINE_CODE ||
         record->type == CAPTURE_RECORD_PLACES_OUTCOME || record->type == CAPTURE_RECORD_SOURCE_TEXT;
}

gboolean profile_names_decoder_add(ProfileNamesDecoder *self, const guint8 *content, gsize length)
{
  const struct capture_record *record;
  size_t position = 0;

  while ((record = capture_records_next(content, length, &position))) {
    if (!capture_record_is_valid(record))
      continue;
    if (record->type == CAPTURE_RECORD_STRING)
      decode_string(self, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_NAMED_BINARY)
      decode_binary(self, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_PLACE_FRAMES)
      decoded_places_add_frames(self->places, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_PLACE)
      decoded_places_add(self->places, (gconstpointer)record);
    else if (is_kept(record))
      g_ptr_array_add(self->kept, g_bytes_new(record, record->size));
  }
  return position == length;
}

static const char *get_string(ProfileNamesDecoder *self, guint32 id)
{
  return id ? g_hash_table_lookup(self->strings, GUINT_TO_POINTER(id)) : NULL;
}

static NamedBinary *find_binary(ProfileNamesDecoder *self, guint32 id)
{
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(self->by_id, GUINT_TO_POINTER(id)));

  return number > 0 ? &g_array_index(self->binaries, NamedBinary, number - 1) : NULL;
}

static void add_function(ProfileNamesDecoder *self, const NamedBinary *binary,
                         const struct capture_function *function)
{
  ProfileFunctionRange range = {.start = function->start,
                                .end = function->end,
                                .name = get_string(self, function->name),
                                .linkage_name = get_string(self, function->linkage_name),
                                .file = get_string(self, function->file),
                                .module = get_string(self, function->module),
                                .line = function->line,
                                .served = self->served,
                                .nameless = (function->flags & CAPTURE_FUNCTION_NAMELESS) != 0};
  g_autofree char *demangled = NULL;

  if (!range.name && range.linkage_name) {
    demangled = range.nameless ? NULL : profile_demangle(range.linkage_name);
    range.name = demangled ? demangled : range.linkage_name;
  }
  if (!range.name)
    return;
  if (!range.linkage_name)
    range.linkage_name = range.name;
  profile_function_table_add(binary->table, &range);
}

static void add_functions(ProfileNamesDecoder *self, const struct capture_record_functions *record)
{
  const NamedBinary *binary = find_binary(self, record->binary);

  for (guint i = 0; binary && i < record->record.count; i++)
    if (record->functions[i].start < record->functions[i].end)
      add_function(self, binary, &record->functions[i]);
}

static ProfilePlaces *get_places(NamedBinary *binary)
{
  if (!binary->places)
    binary->places = profile_places_new();
  return binary->places;
}

/* Values that this version does not know say nothing. */
static void set_outcome(ProfileNamesDecoder *self, const struct capture_record_places_outcome *record)
{
  NamedBinary *binary = find_binary(self, record->binary);

  if (binary && record->outcome <= CAPTURE_PLACES_LEFT &&
      record->outcome > profile_places_get_outcome(get_places(binary)))
    profile_places_set_outcome(binary->places, record->outcome);
}

static void add_place(guint32 id, const ProfilePlace *place, const ProfilePlaceFrame *frames, gpointer data)
{
  NamedBinary *binary = find_binary(data, id);

  if (binary)
    profile_places_add(get_places(binary), place->start, place->end, frames, place->n_frames);
}

static void add_code(ProfileNamesDecoder *self, GBytes *kept)
{
  const struct capture_record_machine_code *record = g_bytes_get_data(kept, NULL);
  NamedBinary *binary = find_binary(self, record->binary);
  g_autoptr(GBytes) bytes = NULL;

  if (!binary)
    return;
  if (!binary->code)
    binary->code = profile_machine_code_new();
  bytes = g_bytes_new_from_bytes(kept, offsetof(struct capture_record_machine_code, code), record->length);
  profile_machine_code_add(binary->code, record->start, record->address, record->machine, bytes);
}

static void add_kept(ProfileNamesDecoder *self, GBytes *kept)
{
  const struct capture_record *record = g_bytes_get_data(kept, NULL);

  if (record->type == CAPTURE_RECORD_FUNCTIONS)
    add_functions(self, (gconstpointer)record);
  else if (record->type == CAPTURE_RECORD_MACHINE_CODE)
    add_code(self, kept);
  else if (record->type == CAPTURE_RECORD_PLACES_OUTCOME)
    set_outcome(self, (gconstpointer)record);
}

static void hand_out(ProfileNamesDecoder *self, const NamedBinary *named, ProfileNamesFoundFunc found,
                     gpointer data)
{
  const struct capture_record_named_binary *record = &named->record;
  const char *path = get_string(self, record->path);
  ProfileBinary binary = {.path = path ? path : "",
                          .device = record->device,
                          .inode = record->inode,
                          .flags = record->flags,
                          .build_id_size = record->build_id_size};

  memcpy(binary.build_id, record->build_id, sizeof binary.build_id);
  profile_function_table_seal(named->table);
  if (named->places)
    profile_places_seal(named->places);
  if (named->code)
    profile_machine_code_seal(named->code);
  found(&binary, named->table, named->places, named->code, data);
}

static enum capture_naming get_status(const NamedBinary *named)
{
  return named->record.status <= CAPTURE_NAMING_HIDDEN ? (enum capture_naming)named->record.status
                                                       : CAPTURE_NAMING_SYMBOLS;
}

void profile_names_decoder_take_sources(ProfileNamesDecoder *self, ProfileSourceTexts *texts)
{
  for (guint i = 0; i < self->kept->len; i++) {
    const struct capture_record_source_text *record = g_bytes_get_data(self->kept->pdata[i], NULL);
    const char *path =
        record->record.type == CAPTURE_RECORD_SOURCE_TEXT ? get_string(self, record->path) : NULL;

    if (path)
      profile_source_texts_add(texts, path, record->offset, record->text, record->length);
  }
}

void profile_names_decoder_finish(ProfileNamesDecoder *self, ProfileNamesFoundFunc found, gpointer data)
{
  NamedBinary *binaries = (NamedBinary *)(gpointer)self->binaries->data;

  for (guint i = 0; i < self->binaries->len; i++)
    binaries[i].table = profile_function_table_new(get_status(&binaries[i]));
  for (guint i = 0; i < self->kept->len; i++)
    add_kept(self, self->kept->pdata[i]);
  decoded_places_finish(self->places, self->strings, add_place, self);
  for (guint i = 0; i < self->binaries->len; i++) {
    hand_out(self, &binaries[i], found, data);
    profile_function_table_unref(binaries[i].table);
    g_clear_pointer(&binaries[i].places, profile_places_unref);
    g_clear_pointer(&binaries[i].code, profile_machine_code_unref);
  }
  g_hash_table_unref(self->strings);
  g_hash_table_unref(self->by_id);
  g_array_unref(self->binaries);
  g_ptr_array_unref(self->kept);
  g_free(self);
}
