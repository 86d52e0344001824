/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/names-window.h"

#include <string.h>

#include "libcapture/file/capture-reader.h"
#include "profile/base/demangle.h"

#define CONTENT_MAX   (1u << 20)
#define FUNCTIONS_MAX 512 /* a record */

struct _ProfileNamesEncoder {
  ProfileNamesWriteFunc write;
  gpointer data;
  GByteArray *content;
  GHashTable *strings; /* text → identifier */
  guint32 n_strings;
  guint32 n_binaries;
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

void profile_names_encoder_add(ProfileNamesEncoder *self, const ProfileBinary *binary,
                               const ProfileFunctionTable *table)
{
  struct capture_function functions[FUNCTIONS_MAX];
  gsize n_ranges;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n_ranges);

  add_binary(self, binary, profile_function_table_get_status(table));
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
} NamedBinary;

typedef struct {
  struct capture_function function;
  guint32 binary;
} DecodedFunction;

struct _ProfileNamesDecoder {
  GHashTable *strings; /* identifier → text */
  GArray *binaries;    /* NamedBinary */
  GHashTable *by_id;   /* identifier → number of the binary + 1 */
  GArray *functions;   /* DecodedFunction; kept, because strings may come later */
  gboolean served;
};

ProfileNamesDecoder *profile_names_decoder_new(gboolean served)
{
  ProfileNamesDecoder *self = g_new0(ProfileNamesDecoder, 1);

  self->served = served;
  self->strings = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  self->binaries = g_array_new(FALSE, TRUE, sizeof(NamedBinary));
  self->by_id = g_hash_table_new(NULL, NULL);
  self->functions = g_array_new(FALSE, FALSE, sizeof(DecodedFunction));
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

static void decode_functions(ProfileNamesDecoder *self, const struct capture_record_functions *record)
{
  for (guint i = 0; i < record->record.count; i++) {
    DecodedFunction function = {record->functions[i], record->binary};

    if (function.function.start < function.function.end)
      g_array_append_val(self->functions, function);
  }
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
    else if (record->type == CAPTURE_RECORD_FUNCTIONS)
      decode_functions(self, (gconstpointer)record);
  }
  return position == length;
}

static const char *get_string(ProfileNamesDecoder *self, guint32 id)
{
  return id ? g_hash_table_lookup(self->strings, GUINT_TO_POINTER(id)) : NULL;
}

static void add_function(ProfileNamesDecoder *self, const DecodedFunction *decoded)
{
  const struct capture_function *function = &decoded->function;
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(self->by_id, GUINT_TO_POINTER(decoded->binary)));
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
  if (number == 0 || !range.name)
    return;
  if (!range.linkage_name)
    range.linkage_name = range.name;
  profile_function_table_add(g_array_index(self->binaries, NamedBinary, number - 1).table, &range);
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
  found(&binary, named->table, data);
}

static enum capture_naming get_status(const NamedBinary *named)
{
  return named->record.status <= CAPTURE_NAMING_HIDDEN ? (enum capture_naming)named->record.status
                                                       : CAPTURE_NAMING_SYMBOLS;
}

void profile_names_decoder_finish(ProfileNamesDecoder *self, ProfileNamesFoundFunc found, gpointer data)
{
  NamedBinary *binaries = (NamedBinary *)(gpointer)self->binaries->data;

  for (guint i = 0; i < self->binaries->len; i++)
    binaries[i].table = profile_function_table_new(get_status(&binaries[i]));
  for (guint i = 0; i < self->functions->len; i++)
    add_function(self, &g_array_index(self->functions, DecodedFunction, i));
  for (guint i = 0; i < self->binaries->len; i++) {
    hand_out(self, &binaries[i], found, data);
    profile_function_table_unref(binaries[i].table);
  }
  g_hash_table_unref(self->strings);
  g_hash_table_unref(self->by_id);
  g_array_unref(self->binaries);
  g_array_unref(self->functions);
  g_free(self);
}
