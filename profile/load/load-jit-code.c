/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code that runtimes left in jitdumps, for what was sampled of it. */
#include <string.h>

#include "profile/import/jitdump.h"
#include "profile/load/loader-private.h"

/* Jitdumps are in memory as long as the capture is being loaded: no more of them. */
enum { MAX_BYTES = 256 << 20 };

/* One that was loaded. */
typedef struct {
  guint64 start, length, time;
  gint32 pid;
  guint32 machine;
  GBytes *file;
  gsize at; /* of the code in it */
} JitCode;

static void clear_jit_code(gpointer data)
{
  g_bytes_unref(((JitCode *)data)->file);
}

static guint hash_jit_code(gconstpointer key)
{
  const JitCode *code = key;

  return g_int64_hash(&code->start) * 31 + g_int64_hash(&code->time);
}

static gboolean equal_jit_code(gconstpointer a, gconstpointer b)
{
  const JitCode *left = a, *right = b;

  return left->start == right->start && left->length == right->length && left->time == right->time &&
         left->pid == right->pid;
}

void load_keep_jit_code(Load *load, gint32 pid, GBytes *file)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data(file, &length);
  ProfileJitdumpRecord record;
  ProfileJitdump dump;

  if (length > MAX_BYTES - MIN(load->jit_bytes, MAX_BYTES) || !profile_jitdump_open(&dump, bytes, length))
    return;
  load->jit_bytes += length;
  if (!load->jit_code) {
    load->jit_code = g_array_new(FALSE, FALSE, sizeof(JitCode));
    g_array_set_clear_func(load->jit_code, clear_jit_code);
  }
  while (profile_jitdump_next(&dump, &record)) {
    JitCode code = {.start = record.start,
                    .length = record.length,
                    .time = record.time,
                    .pid = pid > 0 ? pid : dump.pid,
                    .machine = dump.machine};

    if (record.type != PROFILE_JITDUMP_LOAD || !record.code)
      continue;
    code.file = g_bytes_ref(file);
    code.at = (gsize)(record.code - bytes);
    g_array_append_val(load->jit_code, code);
  }
}

static GHashTable *list_jit_code(const Load *load)
{
  GHashTable *known = g_hash_table_new(hash_jit_code, equal_jit_code);

  for (guint i = 0; i < load->jit_code->len; i++)
    g_hash_table_add(known, &g_array_index(load->jit_code, JitCode, i));
  return known;
}

/* Copied, so that the rest of the jitdump goes. */
static void give_jit_code(const Load *load, GHashTable *known, ProfileCode *code)
{
  const ProfileProcess *process = &g_array_index(load->capture->processes, ProfileProcess, code->process);
  const JitCode wanted = {
      .start = code->start, .length = code->length, .time = code->time, .pid = process->pid};
  const JitCode *found = g_hash_table_lookup(known, &wanted);

  if (!found)
    return;
  code->bytes = g_bytes_new((const guint8 *)g_bytes_get_data(found->file, NULL) + found->at, found->length);
  code->machine = found->machine;
}

void load_give_jit_code(Load *load)
{
  g_autoptr(GHashTable) known = load->jit_code ? list_jit_code(load) : NULL;

  for (guint i = 0; known && i < load->capture->code->len; i++) {
    ProfileCode *code = &g_array_index(load->capture->code, ProfileCode, i);
    if (code->source == PROFILE_CODE_JITDUMP && load->capture->code_functions[i] != G_MAXUINT32)
      give_jit_code(load, known, code);
  }
  g_clear_pointer(&load->jit_code, g_array_unref);
}
