/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/import.h"

#include <string.h>

#define DELETED " (deleted)"
/* How many ancestors are defined with a process that was sampled. */
#define ANCESTORS_MAX 32
#define STRING_MAX    4095

static void free_binary(gpointer data)
{
  ProfilePerfBinary *binary = data;

  g_free(binary->path);
  g_free(binary);
}

void profile_import_init(ProfileImport *self)
{
  self->binaries = g_ptr_array_new_with_free_func(free_binary);
  self->binary_by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void profile_import_clear(ProfileImport *self)
{
  g_ptr_array_unref(self->binaries);
  g_hash_table_unref(self->binary_by_key);
}

guint32 profile_import_get_flags(const char *path)
{
  static const char *const special[] = {"//anon", "/dev/zero", "/anon_hugepage", "/SYSV", "/memfd:"};
  guint32 flags = path[0] == '/' ? 0 : CAPTURE_BINARY_SPECIAL;

  if (strcmp(path, "[vdso]") == 0)
    return CAPTURE_BINARY_VDSO;
  for (guint i = 0; i < G_N_ELEMENTS(special); i++)
    if (g_str_has_prefix(path, special[i]))
      flags = CAPTURE_BINARY_SPECIAL;
  return g_str_has_suffix(path, DELETED) ? flags | CAPTURE_BINARY_DELETED : flags;
}

static ProfilePerfBinary *copy_binary(const ProfilePerfBinary *like)
{
  ProfilePerfBinary *binary = g_memdup2(like, sizeof *like);

  binary->path = g_strdup(like->path);
  if (binary->flags & CAPTURE_BINARY_DELETED && g_str_has_suffix(binary->path, DELETED))
    binary->path[strlen(binary->path) - strlen(DELETED)] = '\0';
  return binary;
}

guint32 profile_import_find_binary(ProfileImport *self, const ProfilePerfBinary *like)
{
  GString *key = g_string_new(NULL);
  guint known;

  g_string_printf(key,
                  "%" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x:", like->device,
                  like->inode, like->inode_generation);
  for (guint i = 0; i < like->build_id_size; i++)
    g_string_append_printf(key, "%02x", like->build_id[i]);
  g_string_append_printf(key, ":%u:%s", like->flags, like->path);
  known = GPOINTER_TO_UINT(g_hash_table_lookup(self->binary_by_key, key->str));
  if (known > 0) {
    g_string_free(key, TRUE);
    return known - 1;
  }
  g_ptr_array_add(self->binaries, copy_binary(like));
  g_hash_table_insert(self->binary_by_key, g_string_free(key, FALSE), GUINT_TO_POINTER(self->binaries->len));
  return self->binaries->len - 1;
}

gint64 profile_import_define_string(ProfileImport *self, const char *text)
{
  return capture_writer_string(self->writer, text, MIN(strlen(text), STRING_MAX));
}

#define RECORD_HEADER(what, record_type)                                                                     \
  {                                                                                                          \
    .size = sizeof(what), .type = (record_type)                                                              \
  }

gint64 profile_import_define_binary(ProfileImport *self, guint32 index)
{
  ProfilePerfBinary *binary = self->binaries->pdata[index];
  struct capture_record_binary record = {.record = RECORD_HEADER(record, CAPTURE_RECORD_BINARY)};
  gint64 path;
  int status;

  if (binary->epoch == capture_writer_epoch(self->writer))
    return binary->id;
  path = profile_import_define_string(self, binary->path);
  if (path < 0)
    return path;
  record.id = capture_writer_next_id(self->writer, CAPTURE_RECORD_BINARY);
  record.path = (guint32)path;
  record.device = binary->device;
  record.inode = binary->inode;
  record.inode_generation = binary->inode_generation;
  record.mapped_start = binary->mapped_start;
  record.mapped_end = binary->mapped_end;
  record.mapped_pid = binary->mapped_pid;
  record.flags = binary->flags;
  record.build_id_size = binary->build_id_size;
  memcpy(record.build_id, binary->build_id, sizeof record.build_id);
  status = capture_writer_define(self->writer, &record.record);
  if (status < 0)
    return status;
  binary->epoch = capture_writer_epoch(self->writer);
  return binary->id = record.id;
}

int profile_import_define_mapping(ProfileImport *self, guint32 process, const ProfilePerfMapping *mapping)
{
  gint64 binary = profile_import_define_binary(self, mapping->binary);
  struct capture_record_mapping record = {
      .record = RECORD_HEADER(record, CAPTURE_RECORD_MAPPING),
      .process = process,
      .binary = (guint32)MAX(binary, 0),
      .start = mapping->start,
      .end = mapping->end,
      .offset = mapping->offset,
      .time = mapping->time,
      .protection = mapping->protection,
      .flags = mapping->flags,
  };

  return binary < 0 ? (int)binary : capture_writer_define(self->writer, &record.record);
}

static gint64 define_generation(ProfileImport *self, ProfilePerfProcess *process)
{
  guint32 epoch = capture_writer_epoch(self->writer);
  gint64 name = self->nameless ? 0 : profile_import_define_string(self, process->name);
  gint64 command_line = process->command_line ? profile_import_define_string(self, process->command_line) : 0;
  struct capture_record_process record = {
      .record = RECORD_HEADER(record, CAPTURE_RECORD_PROCESS),
      .id = capture_writer_next_id(self->writer, CAPTURE_RECORD_PROCESS),
      .pid = process->pid,
      .parent = process->parent && process->parent->epoch == epoch ? process->parent->id : 0,
      .origin = process->origin,
      .name = (guint32)MAX(name, 0),
      .command_line = (guint32)MAX(command_line, 0),
      .time = process->time,
  };
  int status = (int)MIN(name, MIN(command_line, 0));

  if (status == 0)
    status = capture_writer_define(self->writer, &record.record);

  for (guint i = 0; i < process->maps->n && status == 0; i++)
    status = profile_import_define_mapping(self, record.id, &process->maps->items[i]);
  if (status < 0)
    return status;
  process->epoch = epoch;
  return process->id = record.id;
}

gint64 profile_import_define_process(ProfileImport *self, ProfilePerfProcess *process)
{
  guint32 epoch = capture_writer_epoch(self->writer);
  ProfilePerfProcess *wanted[ANCESTORS_MAX];
  guint n = 0;

  for (ProfilePerfProcess *p = process; p && p->epoch != epoch && n < ANCESTORS_MAX; p = p->parent)
    wanted[n++] = p;
  while (n > 0) {
    gint64 id = define_generation(self, wanted[--n]);

    if (id < 0)
      return id;
  }
  return process->id;
}

gint64 profile_import_define_thread(ProfileImport *self, ProfilePerfThread *thread)
{
  struct capture_record_thread record = {.record = RECORD_HEADER(record, CAPTURE_RECORD_THREAD)};
  gint64 process, name;
  int status;

  if (thread->epoch == capture_writer_epoch(self->writer))
    return thread->id;
  process = profile_import_define_process(self, thread->process);
  name = process < 0 || self->nameless ? MIN(process, 0) : profile_import_define_string(self, thread->name);
  if (name < 0)
    return name;
  record.id = capture_writer_next_id(self->writer, CAPTURE_RECORD_THREAD);
  record.process = (guint32)process;
  record.tid = thread->tid;
  record.name = (guint32)name;
  record.time = thread->since;
  status = capture_writer_define(self->writer, &record.record);
  if (status < 0)
    return status;
  thread->epoch = capture_writer_epoch(self->writer);
  return thread->id = record.id;
}

static guint64 make_address(const ProfilePerfMapping *mapping, guint64 address)
{
  return address - mapping->start + mapping->offset;
}

/* A memfd and the like has no path, but offsets; anonymous memory has neither. Nobody's code is made on the
 * stack, so what is said to be there is best told by where. */
static gboolean has_offsets(const ProfilePerfBinary *binary)
{
  return !(binary->flags & CAPTURE_BINARY_SPECIAL) || binary->inode > 0 ||
         strcmp(binary->path, "[stack]") == 0;
}

/* An offset in a file is taken only where it leads back to the address: through one mapping, which was there
 * at that time. */
gint64 profile_import_define_address(ProfileImport *self, ProfilePerfProcess *process, guint64 address,
                                     guint64 time)
{
  const ProfilePerfMapping *mapping = profile_perf_maps_find(process->maps, address);
  const ProfilePerfBinary *binary = mapping ? self->binaries->pdata[mapping->binary] : NULL;
  gint64 owner;

  if (binary && !mapping->ambiguous && has_offsets(binary) && time >= process->changed) {
    owner = profile_import_define_binary(self, mapping->binary);
    return owner < 0 ? owner
                     : capture_writer_frame(self->writer, CAPTURE_SPACE_BINARY, owner,
                                            make_address(mapping, address));
  }
  owner = profile_import_define_process(self, process);
  return owner < 0 ? owner : capture_writer_frame(self->writer, CAPTURE_SPACE_PROCESS, owner, address);
}
