/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/profile-loader-private.h"
#include "profile/profile-names-window.h"

static void add_loss(ProfileCapture *capture, const struct capture_record_lost *record)
{
  ProfileLoss loss = {.time = record->time,
                      .samples = record->samples,
                      .records = record->records,
                      .reason = record->reason,
                      .cpu = record->cpu};

  g_array_append_val(capture->losses, loss);
}

static void set_metadata(ProfileCapture *capture, const struct capture_record_metadata *record)
{
  const char *value = record->bytes + record->key_length + 1;

  g_hash_table_insert(capture->metadata, g_string_chunk_insert_const(capture->strings, record->bytes),
                      g_string_chunk_insert(capture->strings, value));
}

void load_records(Load *load, LoadPart *part)
{
  ProfileCapture *capture = load->capture;
  const struct capture_record *record;
  size_t position = 0;

  if (!load_content(load, part))
    return;
  while ((record = capture_records_next(part->content, part->length, &position))) {
    if (!capture_record_is_valid(record))
      continue;
    if (record->type == CAPTURE_RECORD_LOST)
      add_loss(capture, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_THROTTLE)
      capture->n_throttled += ((const struct capture_record_throttle *)record)->on != 0;
    else if (record->type == CAPTURE_RECORD_METADATA)
      set_metadata(capture, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_MESSAGE)
      g_ptr_array_add(capture->messages, g_strdup(((const struct capture_record_message *)record)->text));
  }
  load_release_content(load, part);
}

/* What both say, where they differ table. One file that was mapped by two paths is named twice, each time
 * with what was hit there. */
static ProfileFunctionTable *join_tables(const ProfileFunctionTable *old, const ProfileFunctionTable *table)
{
  gsize n_old, n;
  const ProfileFunctionRange *old_ranges = profile_function_table_get_ranges(old, &n_old);
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n);
  ProfileFunctionTable *both =
      profile_function_table_new(n == 0 && n_old > 0 ? profile_function_table_get_status(old)
                                                     : profile_function_table_get_status(table));

  for (gsize i = 0; i < n_old; i++)
    if (!profile_function_table_lookup(table, old_ranges[i].start))
      profile_function_table_add(both, &old_ranges[i]);
  for (gsize i = 0; i < n; i++)
    profile_function_table_add(both, &ranges[i]);
  profile_function_table_seal(both);
  return both;
}

static void keep_table_of(ProfileCapture *capture, guint32 binary, ProfileFunctionTable *table)
{
  const ProfileFunctionTable *old = profile_capture_get_table(capture, binary);
  g_autoptr(ProfileFunctionTable) both = old ? join_tables(old, table) : profile_function_table_ref(table);

  profile_capture_set_table(capture, binary, both);
}

static void keep_table(const ProfileBinary *binary, ProfileFunctionTable *table, gpointer data)
{
  ProfileCapture *capture = data;

  if (binary->flags & CAPTURE_BINARY_KERNEL)
    keep_table_of(capture, G_MAXUINT32, table);
  for (guint i = 0; i < capture->binaries->len; i++)
    if (profile_names_binary_matches(binary, &g_array_index(capture->binaries, ProfileBinary, i)))
      keep_table_of(capture, i, table);
}

/* Identifiers of names windows are local to their epoch; what a later epoch says replaces what was said
 * before. */
void load_names(Load *load)
{
  GArray *parts = load->parts[CAPTURE_WINDOW_NAMES];
  ProfileNamesDecoder *decoder = NULL;

  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);
    if (!decoder)
      decoder = profile_names_decoder_new();
    if (load_content(load, part) && !profile_names_decoder_add(decoder, part->content, part->length))
      load_problem(load,
                   _("A window of names makes no sense to its end; some functions may lack their names."));
    load_release_content(load, part);
    if (i + 1 == parts->len || g_array_index(parts, LoadPart, i + 1).epoch != part->epoch) {
      profile_names_decoder_finish(decoder, keep_table, load->capture);
      decoder = NULL;
    }
  }
}
