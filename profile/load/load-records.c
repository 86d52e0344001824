/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/capture/names-window.h"
#include "profile/load/loader-private.h"

static void add_loss(ProfileCapture *capture, const struct capture_record_lost *record)
{
  ProfileLoss loss = {.time = record->time,
                      .samples = record->samples,
                      .records = record->records,
                      .reason = record->reason,
                      .cpu = record->cpu};

  g_array_append_val(capture->losses, loss);
}

static void add_message(ProfileCapture *capture, const struct capture_record_message *record)
{
  g_ptr_array_add(capture->messages, g_strdup(record->text));
  g_array_append_val(capture->message_severities, record->severity);
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
    else if (record->type == CAPTURE_RECORD_EXIT)
      load_end_thread(load, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_METADATA)
      set_metadata(capture, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_MESSAGE)
      add_message(capture, (gconstpointer)record);
    else
      load_told_record(load, part, record);
  }
  load_release_content(load, part);
}

/* One file that was mapped by two paths is named twice, each time with what was hit there. */
static void add_table(ProfileFunctionTable **slot, ProfileFunctionTable *table)
{
  g_autoptr(ProfileFunctionTable) old = *slot;

  *slot = old ? profile_function_table_join(old, table) : profile_function_table_ref(table);
}

/* How a later epoch found them counts, whatever an earlier one left. */
static void add_places(ProfileCapture *capture, guint slot, ProfilePlaces *places, gboolean is_other_epoch)
{
  ProfilePlaces *old = profile_capture_get_places(capture, slot);
  g_autoptr(ProfilePlaces) both = old ? profile_places_join(old, places) : profile_places_ref(places);

  if (is_other_epoch)
    profile_places_set_outcome(both, profile_places_get_outcome(places));
  profile_capture_set_places(capture, slot, both);
}

static void add_machine_code(ProfileCapture *capture, guint slot, ProfileMachineCode *code)
{
  ProfileMachineCode *old = profile_capture_get_machine_code(capture, slot);
  g_autoptr(ProfileMachineCode) both =
      old ? profile_machine_code_join(old, code) : profile_machine_code_ref(code);

  profile_capture_set_machine_code(capture, slot, both);
}

/* The names windows of one. */
typedef struct {
  ProfileCapture *capture;
  guint8 *has_places; /* one a slot: some that were said in this one */
  gboolean served;
} NamesEpoch;

/* What they say of one binary. */
typedef struct {
  ProfileFunctionTable *table;
  ProfilePlaces *places;    /* NULL: none */
  ProfileMachineCode *code; /* likewise */
} Said;

static void keep_of_slot(NamesEpoch *epoch, guint slot, const Said *said)
{
  ProfileCapture *capture = epoch->capture;
  gboolean is_kernel = slot == capture->binaries->len;

  add_table(is_kernel ? &capture->kernel_table : &capture->tables[slot], said->table);
  if (epoch->served)
    add_table(&capture->served_tables[slot], said->table);
  else
    capture->looked_for[slot] = TRUE;
  if (said->places)
    add_places(capture, slot, said->places, !epoch->has_places[slot]);
  epoch->has_places[slot] |= said->places != NULL;
  if (said->code)
    add_machine_code(capture, slot, said->code);
}

static void keep_names(const ProfileBinary *binary, ProfileFunctionTable *table, ProfilePlaces *places,
                       ProfileMachineCode *code, gpointer data)
{
  NamesEpoch *epoch = data;
  const GArray *binaries = epoch->capture->binaries;
  const Said said = {table, places, code};

  if (binary->flags & CAPTURE_BINARY_KERNEL)
    keep_of_slot(epoch, binaries->len, &said);
  for (guint i = 0; i < binaries->len; i++)
    if (profile_names_binary_matches(binary, &g_array_index(binaries, ProfileBinary, i)))
      keep_of_slot(epoch, i, &said);
}

static gboolean is_read_now(const LoadPart *part, gboolean served)
{
  return (part->header->stream != 0) == served;
}

static void finish_names(Load *load, ProfileNamesDecoder *decoder, gboolean served)
{
  g_autofree guint8 *has_places = g_new0(guint8, load->capture->binaries->len + 1);
  NamesEpoch epoch = {load->capture, has_places, served};

  profile_names_decoder_take_sources(decoder, load->capture->source_texts);
  profile_names_decoder_finish(decoder, keep_names, &epoch);
}

/* Identifiers of names windows are local to their epoch; what a later epoch says replaces what was said
 * before. Windows of one epoch follow one another. */
static void read_names(Load *load, gboolean served)
{
  GArray *parts = load->parts[CAPTURE_WINDOW_NAMES];
  ProfileNamesDecoder *decoder = NULL;
  const LoadEpoch *epoch = NULL;

  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);

    if (!is_read_now(part, served))
      continue;
    if (decoder && epoch != part->epoch)
      finish_names(load, g_steal_pointer(&decoder), served);
    if (!decoder)
      decoder = profile_names_decoder_new(served);
    epoch = part->epoch;
    if (load_content(load, part) && !profile_names_decoder_add(decoder, part->content, part->length))
      load_problem(load,
                   _("A window of names makes no sense to its end; some functions may lack their names."));
    load_release_content(load, part);
  }
  if (decoder)
    finish_names(load, decoder, served);
}

/* A recorder names what nobody else could; who could, knows better. */
void load_names(Load *load)
{
  read_names(load, TRUE);
  read_names(load, FALSE);
}
