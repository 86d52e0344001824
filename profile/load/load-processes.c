/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes and threads of several streams. A recorder sees processes from outside and knows of every exec;
 * what a program says of itself begins when it joins the recording. Both mean the same process, so what comes
 * from inside is added to the generation of its pid that had begun last by then. Recorders are read first.
 */
#include "profile/load/loader-private.h"

/* What is looked among; no honest capture has so many. */
enum {
  MAX_GENERATIONS = 4096, /* of one pid or tid */
  MAX_TELLERS = 64        /* streams with one event in one process */
};

/* A generation of a pid, or a thread under one name. */
typedef struct {
  guint64 time;
  guint32 index;
  const LoadStream *inside; /* who told of it; NULL: a recorder */
} Generation;

static const char *or_unknown(const char *name)
{
  return name ? name : "[unknown]";
}

static void add_generation(GHashTable *table, guint64 key, const Generation *generation)
{
  GArray *all = g_hash_table_lookup(table, &key);
  guint at;

  if (!all) {
    all = g_array_new(FALSE, FALSE, sizeof(Generation));
    g_hash_table_insert(table, g_memdup2(&key, sizeof key), all);
  }
  if (all->len == MAX_GENERATIONS)
    return;
  for (at = all->len; at > 0 && g_array_index(all, Generation, at - 1).time > generation->time;)
    at--;
  g_array_insert_vals(all, at, generation, 1);
}

/* The one that had begun last by then, or NULL. */
static const Generation *find_generation(GHashTable *table, guint64 key, guint64 time)
{
  const GArray *all = g_hash_table_lookup(table, &key);
  guint low = 0, high = all ? all->len : 0;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(all, Generation, middle).time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &g_array_index(all, Generation, low - 1) : NULL;
}

/* When a stream speaks of something that it gives no time for. */
static guint64 get_time(const LoadEpoch *epoch, guint64 time)
{
  return time ? time : epoch->of->first;
}

static gboolean load_processes_overlap(const LoadStream *a, const LoadStream *b)
{
  return a != b && a->first <= b->last && b->first <= a->last;
}

/* A file of machine code tells of whichever process has the pid: neither its time nor its name. */
static gboolean is_of_any(const LoadStream *stream, const struct capture_record_process *process)
{
  return stream->kind == CAPTURE_STREAM_FOREIGN && process->time == 0 && process->name == 0;
}

/* Where no recorder saw an exec: two that tell of one pid at the same time are in one program; one after the
 * other they are when that says so by its name. */
static gboolean is_same(Load *load, const Generation *generation, const LoadEpoch *epoch,
                        const struct capture_record_process *process)
{
  const ProfileProcess *known;

  if (!generation || !generation->inside || generation->inside == epoch->of || is_of_any(epoch->of, process))
    return generation != NULL;
  known = &g_array_index(load->capture->processes, ProfileProcess, generation->index);
  if (process->origin != CAPTURE_PROCESS_EXISTED && process->time > 0)
    return FALSE;
  return load_processes_overlap(generation->inside, epoch->of) ||
         g_strcmp0(known->name, load_get_string(epoch, process->name)) == 0;
}

static guint32 append_process(Load *load, LoadEpoch *epoch, const struct capture_record_process *process)
{
  gboolean inside = load_is_inside(epoch->of);
  guint64 time = inside ? get_time(epoch, process->time) : process->time;
  const Generation *same = inside ? find_generation(load->processes, (guint32)process->pid, time) : NULL;

  if (inside && is_same(load, same, epoch, process))
    return same->index;
  ProfileProcess item = {.pid = process->pid,
                         .name = or_unknown(load_keep_string(load, epoch, process->name)),
                         .command_line = load_keep_string(load, epoch, process->command_line),
                         .time = process->time,
                         .origin = process->origin,
                         .binary = G_MAXUINT32};
  Generation generation = {
      .time = time, .index = load->capture->processes->len, .inside = inside ? epoch->of : NULL};
  add_generation(load->processes, (guint32)process->pid, &generation);
  g_array_append_val(load->capture->processes, item);
  return generation.index;
}

/* Epochs repeat what they use. */
static guint32 find_or_append(GHashTable *known, char *key, guint32 index)
{
  g_hash_table_insert(known, key, GUINT_TO_POINTER(index));
  return index;
}

guint32 load_merge_process(Load *load, GHashTable *known, LoadEpoch *epoch,
                           const struct capture_record *record)
{
  const struct capture_record_process *process = (gconstpointer)record;
  gconstpointer teller = load_is_inside(epoch->of) ? epoch->of : NULL;
  char *key = g_strdup_printf("%p %d %" G_GUINT64_FORMAT, teller, process->pid, process->time);
  gpointer index;

  if (!g_hash_table_lookup_extended(known, key, NULL, &index))
    return find_or_append(known, key, append_process(load, epoch, process));
  g_free(key);
  return GPOINTER_TO_UINT(index);
}

/* The leader's exit says that the process is going; what is left of it may take longer. */
void load_end_thread(Load *load, const struct capture_record_task *task)
{
  const Generation *generation = find_generation(load->processes, (guint32)task->pid, task->time);
  ProfileProcess *process;

  if (!generation)
    return;
  process = &g_array_index(load->capture->processes, ProfileProcess, generation->index);
  if (task->tid == task->pid || process->end > 0)
    process->end = MAX(process->end, task->time);
}

/* A name that a program gave a thread says more than the kernel's, which it is cut from at best. */
static void rename_thread(Load *load, const Generation *same, const char *name)
{
  ProfileThread *thread = &g_array_index(load->capture->threads, ProfileThread, same->index);

  if (name && *name && !same->inside)
    thread->name = name;
}

static guint32 append_thread(Load *load, LoadEpoch *epoch, const struct capture_record_thread *thread)
{
  guint32 process = load_get_index(epoch, LOAD_PROCESS, thread->process);
  guint64 key = (guint64)process << 32 | (guint32)thread->tid;
  gboolean inside = load_is_inside(epoch->of);
  guint64 time = inside ? get_time(epoch, thread->time) : thread->time;
  const Generation *same = inside ? find_generation(load->threads, key, time) : NULL;
  const char *name = load_keep_string(load, epoch, thread->name);

  if (same && same->inside != epoch->of) {
    rename_thread(load, same, name);
    return same->index;
  }
  ProfileThread item = {.tid = thread->tid, .process = process, .name = or_unknown(name)};
  Generation generation = {
      .time = time, .index = load->capture->threads->len, .inside = inside ? epoch->of : NULL};
  add_generation(load->threads, key, &generation);
  g_array_append_val(load->capture->threads, item);
  return generation.index;
}

guint32 load_merge_thread(Load *load, GHashTable *known, LoadEpoch *epoch,
                          const struct capture_record *record)
{
  const struct capture_record_thread *thread = (gconstpointer)record;
  gconstpointer teller = load_is_inside(epoch->of) ? epoch->of : NULL;
  const char *name = load_get_string(epoch, thread->name);
  char *key = g_strdup_printf("%p %d %u %s", teller, thread->tid,
                              load_get_index(epoch, LOAD_PROCESS, thread->process), or_unknown(name));
  gpointer index;

  if (!g_hash_table_lookup_extended(known, key, NULL, &index))
    return find_or_append(known, key, append_thread(load, epoch, thread));
  g_free(key);
  return GPOINTER_TO_UINT(index);
}

/* Whether nobody else who told of that key did so while the stream was there. */
static gboolean note_teller(Load *load, char *key, LoadStream *stream)
{
  GPtrArray *tellers = g_hash_table_lookup(load->tellers, key);
  gboolean alone = TRUE;

  if (!tellers) {
    tellers = g_ptr_array_new();
    g_hash_table_insert(load->tellers, g_strdup(key), tellers);
  }
  for (guint i = 0; i < tellers->len; i++)
    alone &= !load_processes_overlap(tellers->pdata[i], stream);
  if (tellers->len < MAX_TELLERS && (tellers->len == 0 || tellers->pdata[tellers->len - 1] != stream))
    g_ptr_array_add(tellers, stream);
  g_free(key);
  return alone;
}

/* Who comes first keeps the event's plain name. */
gboolean load_is_alone(Load *load, const LoadEpoch *epoch, const char *event)
{
  guint32 process = epoch->n[LOAD_PROCESS] > 0 ? epoch->index[LOAD_PROCESS][1] : 0;
  g_autofree char *outside = g_strdup_printf("%s", event);

  if (!load_is_inside(epoch->of))
    return note_teller(load, g_steal_pointer(&outside), epoch->of);
  return !g_hash_table_contains(load->tellers, outside) &&
         note_teller(load, g_strdup_printf("%u\n%s", process, event), epoch->of);
}
