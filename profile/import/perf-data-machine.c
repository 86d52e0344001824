/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-machine.h"

struct _ProfilePerfMachine {
  GHashTable *threads;     /* tid → ProfilePerfThread */
  ProfilePerfThread *last; /* the thread asked for last: samples come in flocks */
  GPtrArray *processes;
  GStringChunk *names;
  gint64 mappings;
  gint64 mappings_max;
  guint32 versions;
};

static void free_process(gpointer data)
{
  ProfilePerfProcess *process = data;

  profile_perf_maps_unref(process->maps);
  g_free(process);
}

ProfilePerfMachine *profile_perf_machine_new(gint64 mappings_max)
{
  ProfilePerfMachine *self = g_new0(ProfilePerfMachine, 1);

  self->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  self->processes = g_ptr_array_new_with_free_func(free_process);
  self->names = g_string_chunk_new(4096);
  self->mappings_max = mappings_max;
  self->versions = PROFILE_PERF_VERSION_FIRST - 1;
  profile_perf_machine_rename(self, 0, 0, "swapper", FALSE, 0);
  return self;
}

void profile_perf_machine_free(ProfilePerfMachine *self)
{
  if (!self)
    return;
  g_hash_table_unref(self->threads);
  g_ptr_array_unref(self->processes);
  g_string_chunk_free(self->names);
  g_free(self);
}

static void perf_data_machine_touch(ProfilePerfMachine *self, ProfilePerfProcess *process)
{
  process->version = ++self->versions;
}

static ProfilePerfProcess *add_process(ProfilePerfMachine *self, gint32 pid, guint32 origin, guint64 time)
{
  ProfilePerfProcess *process = g_new0(ProfilePerfProcess, 1);

  process->pid = pid;
  process->origin = origin;
  process->time = time;
  process->maps = profile_perf_maps_new();
  perf_data_machine_touch(self, process);
  g_ptr_array_add(self->processes, process);
  return process;
}

/* Threads are known by tid alone, as in perf. A thread that is being reaped has none any more (-1), so that
 * those of different processes must be told apart. */
static gpointer make_key(gint32 pid, gint32 tid)
{
  return tid == -1 ? GSIZE_TO_POINTER((gsize)((guint64)(guint32)pid << 32 | G_MAXUINT32))
                   : GSIZE_TO_POINTER((guint32)tid);
}

static ProfilePerfThread *find_thread(ProfilePerfMachine *self, gint32 pid, gint32 tid)
{
  if (!self->last || self->last->tid != tid || tid == -1)
    self->last = g_hash_table_lookup(self->threads, make_key(pid, tid));
  return self->last;
}

static void remove_thread(ProfilePerfMachine *self, ProfilePerfThread *thread)
{
  self->last = NULL;
  g_hash_table_remove(self->threads, make_key(thread->pid, thread->tid));
}

static ProfilePerfThread *add_thread(ProfilePerfMachine *self, gint32 pid, gint32 tid)
{
  ProfilePerfThread *thread = g_new0(ProfilePerfThread, 1);
  char name[16];

  g_snprintf(name, sizeof name, ":%d", tid);
  thread->pid = pid;
  thread->tid = tid;
  thread->name = g_string_chunk_insert_const(self->names, name);
  g_hash_table_insert(self->threads, make_key(pid, tid), thread);
  return thread;
}

/* A leader, and a thread of nobody knows whom, has an address space of its own; others have their leader's.
 */
static ProfilePerfProcess *find_process(ProfilePerfMachine *self, gint32 pid, gint32 tid)
{
  ProfilePerfProcess *process;

  if (pid != tid && pid != -1)
    return profile_perf_machine_get_thread(self, pid, pid)->process;
  process = add_process(self, pid, CAPTURE_PROCESS_EXISTED, 0);
  process->name = find_thread(self, pid, tid)->name;
  return process;
}

ProfilePerfThread *profile_perf_machine_get_thread(ProfilePerfMachine *self, gint32 pid, gint32 tid)
{
  ProfilePerfThread *thread = find_thread(self, pid, tid);

  if (thread && (thread->pid == pid || pid == -1 || thread->pid != -1))
    return thread;
  if (!thread)
    thread = add_thread(self, pid, tid);
  thread->pid = pid;
  if (!thread->process || pid != tid) {
    thread->process = find_process(self, pid, tid);
    thread->epoch = 0;
  } else {
    thread->process->pid = pid;
  }
  return thread;
}

static void set_name(ProfilePerfThread *thread, const char *name, guint64 time)
{
  if (thread->name != name)
    thread->epoch = 0;
  thread->name = name;
  thread->named = TRUE;
  thread->since = time;
  if (thread->tid == thread->pid)
    thread->process->name = name;
}

static void begin_generation(ProfilePerfMachine *self, ProfilePerfThread *thread, guint64 time)
{
  ProfilePerfProcess *process = add_process(self, thread->pid, CAPTURE_PROCESS_EXECED, time);

  process->parent = thread->process;
  thread->process = process;
  thread->epoch = 0;
}

void profile_perf_machine_rename(ProfilePerfMachine *self, gint32 pid, gint32 tid, const char *name,
                                 gboolean exec, guint64 time)
{
  ProfilePerfThread *thread = profile_perf_machine_get_thread(self, pid, tid);

  if (exec && thread->tid == thread->pid)
    begin_generation(self, thread, time);
  set_name(thread, g_string_chunk_insert_const(self->names, name), time);
}

void profile_perf_machine_set_command_line(ProfilePerfMachine *self, gint32 pid, const char *text)
{
  profile_perf_machine_get_thread(self, pid, pid)->process->command_line =
      g_string_chunk_insert_const(self->names, text);
}

static void inherit_maps(ProfilePerfMachine *self, ProfilePerfProcess *process, ProfilePerfProcess *parent)
{
  profile_perf_maps_unref(process->maps);
  process->maps = profile_perf_maps_ref(parent->maps);
  process->changed = parent->changed;
  perf_data_machine_touch(self, process);
}

/* A parent that belongs to another process is left over from a tid that was used before. */
static ProfilePerfThread *find_parent(ProfilePerfMachine *self, gint32 pid, gint32 tid)
{
  ProfilePerfThread *parent = profile_perf_machine_get_thread(self, pid, tid);

  if (parent->pid == pid)
    return parent;
  remove_thread(self, parent);
  return profile_perf_machine_get_thread(self, pid, tid);
}

void profile_perf_machine_fork(ProfilePerfMachine *self, gint32 pid, gint32 tid, gint32 parent_pid,
                               gint32 parent_tid, gboolean clone_maps, guint64 time)
{
  ProfilePerfProcess *origin = find_parent(self, parent_pid, parent_tid)->process;
  ProfilePerfThread *thread = find_thread(self, pid, tid), *parent;

  if (thread)
    remove_thread(self, thread);
  thread = profile_perf_machine_get_thread(self, pid, tid);
  parent = profile_perf_machine_get_thread(self, parent_pid, parent_tid);
  if (parent->named)
    set_name(thread, parent->name, time);
  if (thread->pid == parent->pid || thread->process == origin)
    return;
  thread->process->parent = origin;
  thread->process->origin = clone_maps ? CAPTURE_PROCESS_FORKED : CAPTURE_PROCESS_EXISTED;
  thread->process->time = time;
  if (clone_maps)
    inherit_maps(self, thread->process, origin);
}

ProfilePerfProcess *profile_perf_machine_map(ProfilePerfMachine *self, gint32 pid, gint32 tid,
                                             const ProfilePerfMapping *mapping)
{
  ProfilePerfProcess *process = profile_perf_machine_get_thread(self, pid, tid)->process;

  if (self->mappings > self->mappings_max ||
      !profile_perf_maps_insert(&process->maps, mapping, &self->mappings))
    return NULL;
  process->changed = MAX(process->changed, mapping->time);
  perf_data_machine_touch(self, process);
  return process;
}
