/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that programs told of: interpreted ones, and machine code made at run time. */
#include <string.h>

#include "profile/load/loader-private.h"

enum { MAX_FORKS = 32 }; /* from a process to the one that made its code */

/* Strings are kept ones: equal when their pointers are. */
typedef struct {
  const char *name, *file;
  guint32 line, binary;
} Told;

static guint hash_told(gconstpointer key)
{
  const Told *told = key;

  return (g_direct_hash(told->name) * 31 + g_direct_hash(told->file)) * 31 + told->line * 7 + told->binary;
}

static gboolean equal_told(gconstpointer a, gconstpointer b)
{
  const Told *left = a, *right = b;

  return left->name == right->name && left->file == right->file && left->line == right->line &&
         left->binary == right->binary;
}

guint32 load_tell(Load *load, guint32 process, const char *name, const char *file, guint32 line)
{
  Told key = {.name = name, .file = file, .line = line};
  gpointer number;

  key.binary = g_array_index(load->capture->processes, ProfileProcess, process).binary;
  if (!load->told)
    load->told = g_hash_table_new_full(hash_told, equal_told, g_free, NULL);
  if (g_hash_table_lookup_extended(load->told, &key, NULL, &number))
    return GPOINTER_TO_UINT(number);
  ProfileToldFunction function = {.range = {.name = name, .linkage_name = name, .file = file, .line = line},
                                  .binary = key.binary};
  g_hash_table_insert(load->told, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(load->capture->told->len));
  g_array_append_val(load->capture->told, function);
  return load->capture->told->len - 1;
}

static ProfileCodeLine *read_lines(Load *load, LoadEpoch *epoch, const struct capture_record_code *record)
{
  ProfileCodeLine *lines = g_new(ProfileCodeLine, record->record.count);

  for (guint i = 0; i < record->record.count; i++)
    lines[i] = (ProfileCodeLine){.offset = record->ranges[i].offset,
                                 .line = record->ranges[i].line,
                                 .file = load_keep_string(load, epoch, record->ranges[i].file),
                                 .inlined = load_keep_string(load, epoch, record->ranges[i].function)};
  return lines;
}

static void add_code(Load *load, LoadEpoch *epoch, const struct capture_record_code *record)
{
  const char *name = load_keep_string(load, epoch, record->name);
  ProfileCode code = {.start = record->start,
                      .length = record->length,
                      .time = record->time,
                      .process = load_get_index(epoch, LOAD_PROCESS, record->process),
                      .source = epoch->of->code_source,
                      .name = name ? name : "[unknown]",
                      .file = load_keep_string(load, epoch, record->file),
                      .line = record->line,
                      .n_lines = record->record.count};

  if (code.process == 0)
    return;
  if (code.n_lines > 0)
    code.lines = read_lines(load, epoch, record);
  g_array_append_val(load->capture->code, code);
}

static void end_code(Load *load, const LoadEpoch *epoch, const struct capture_record_code_end *record)
{
  ProfileCode code = {.start = record->start,
                      .length = record->length,
                      .time = record->time,
                      .process = load_get_index(epoch, LOAD_PROCESS, record->process),
                      .source = epoch->of->code_source};

  if (code.process != 0)
    g_array_append_val(load->capture->code, code);
}

void load_add_code(Load *load, LoadEpoch *epoch, const struct capture_record *record)
{
  if (load->capture->code->len >= G_MAXUINT32 / 4)
    return;
  if (record->type == CAPTURE_RECORD_CODE)
    add_code(load, epoch, (gconstpointer)record);
  else
    end_code(load, epoch, (gconstpointer)record);
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
  const ProfileCode *left = a, *right = b;

  return left->time < right->time ? -1 : left->time > right->time;
}

void load_seal_code(Load *load)
{
  GArray *code = load->capture->code;

  if (code->len == 0)
    return;
  g_array_sort(code, compare_times);
  load->code = profile_code_index_new((const ProfileCode *)code->data, code->len);
  load->capture->code_functions = g_new(guint32, code->len);
  memset(load->capture->code_functions, 0xff, code->len * sizeof *load->capture->code_functions);
}

static void make_binary(Load *load, GHashTable *known, guint32 index)
{
  ProfileProcess *process = &g_array_index(load->capture->processes, ProfileProcess, index);
  gpointer binary;

  if (index == 0 || process->binary != G_MAXUINT32)
    return;
  if (!g_hash_table_lookup_extended(known, process->name, NULL, &binary)) {
    g_autofree char *path = g_strdup_printf("[%s]", process->name);
    ProfileBinary item = {.path = g_string_chunk_insert_const(load->capture->strings, path),
                          .flags = CAPTURE_BINARY_SPECIAL};
    binary = GUINT_TO_POINTER(load->capture->binaries->len);
    g_array_append_val(load->capture->binaries, item);
    g_hash_table_insert(known, (gpointer)process->name, binary);
  }
  process->binary = GPOINTER_TO_UINT(binary);
}

void load_make_told_binaries(Load *load)
{
  g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < load->capture->code->len; i++)
    make_binary(load, known, g_array_index(load->capture->code, ProfileCode, i).process);
  for (guint i = 0; i < load->epochs->len; i++) {
    const LoadEpoch *epoch = load->epochs->pdata[i];
    for (guint32 id = 1; id <= epoch->n[LOAD_SPACE]; id++) {
      const struct capture_record_space *space = (gconstpointer)epoch->records[LOAD_SPACE][id];
      if (space && space->kind == CAPTURE_SPACE_IDENTIFIERS)
        make_binary(load, known, load_get_index(epoch, LOAD_PROCESS, space->owner));
    }
  }
}

/* Where the process's memory came from at *time; 0: from nowhere. Times before that are its own. */
static guint32 get_origin(const Load *load, guint32 index, guint64 *time)
{
  const ProfileProcess *process = &g_array_index(load->capture->processes, ProfileProcess, index);

  if (process->origin != CAPTURE_PROCESS_FORKED)
    return 0;
  *time = MIN(*time, process->time);
  return process->parent;
}

gboolean load_has_code(const Load *load, guint32 process, guint64 address)
{
  guint64 time = G_MAXUINT64;

  for (guint depth = 0; load->code && process != 0 && depth < MAX_FORKS; depth++) {
    if (profile_code_index_covers(load->code, process, address))
      return TRUE;
    process = get_origin(load, process, &time);
  }
  return FALSE;
}

/* The last word of a source on an address: the process's own, else that of whom it was forked from. */
static const ProfileCode *find_in(const Load *load, ProfileCodeSource source, guint32 process,
                                  guint64 address, guint64 time, guint64 *from, guint64 *until)
{
  const ProfileCode *found = NULL;
  guint64 asked = time;

  for (guint depth = 0; process != 0 && depth < MAX_FORKS; depth++) {
    guint64 forked = time, later = G_MAXUINT64;
    found = profile_code_index_find(load->code, source, process, address, time, from, &later);
    if (time == asked)
      *until = MIN(*until, later);
    if (found)
      break;
    process = get_origin(load, process, &forked);
    if (forked < time)
      *from = MAX(*from, forked);
    time = forked;
  }
  return found;
}

const ProfileCode *load_find_code(const Load *load, guint32 process, guint64 address, guint64 time,
                                  guint64 *from, guint64 *until)
{
  guint64 ended = 0; /* what a less believed source said before that is not true any more */

  for (guint source = 0; load->code && source < PROFILE_CODE_N_SOURCES; source++) {
    const ProfileCode *code = find_in(load, source, process, address, time, from, until);
    if (code && code->name && code->time >= ended)
      return code;
    if (code)
      ended = MAX(ended, code->time);
  }
  return NULL;
}
