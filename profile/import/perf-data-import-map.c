/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/mman.h>

#include "profile/base/bytes.h"
#include "profile/import/perf-data-import-private.h"

#define KERNEL_PREFIX "[kernel."

typedef struct {
  gint32 pid, tid;
  ProfilePerfMapping mapping;
  guint64 device, inode, inode_generation;
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
  guint32 build_id_size;
  char *path;
} MapRecord;

/* Device and inode, or in their place a build-id; then protection and flags. */
static void take_identity(ProfileBytes *bytes, guint16 misc, MapRecord *ret)
{
  const guint8 *at = profile_bytes_take(bytes, 24);

  if (at && misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
    ret->build_id_size = MIN(at[0], sizeof ret->build_id);
    memcpy(ret->build_id, at + 4, ret->build_id_size);
  } else if (at) {
    ret->device = (guint64)profile_bytes_load_32(at) << 32 | profile_bytes_load_32(at + 4);
    ret->inode = profile_bytes_load_64(at + 8);
    ret->inode_generation = profile_bytes_load_64(at + 16);
  }
  ret->mapping.protection = profile_bytes_take_32(bytes);
  ret->mapping.flags = profile_bytes_take_32(bytes);
}

static gboolean perf_data_import_map_parse(const ProfilePerfRecord *record, MapRecord *ret)
{
  ProfileBytes bytes = {record->data, record->data + record->length, FALSE};
  ProfilePerfMapping *mapping = &ret->mapping;
  guint64 length;

  ret->pid = (gint32)profile_bytes_take_32(&bytes);
  ret->tid = (gint32)profile_bytes_take_32(&bytes);
  mapping->start = profile_bytes_take_64(&bytes);
  length = profile_bytes_take_64(&bytes);
  mapping->offset = profile_bytes_take_64(&bytes);
  mapping->time = record->time;
  if (record->type == PERF_RECORD_MMAP2)
    take_identity(&bytes, record->misc, ret);
  else
    mapping->protection = record->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
  ret->path = profile_bytes_take_text(&bytes, bytes.end - bytes.at);
  if (length == 0 || __builtin_add_overflow(mapping->start, length, &mapping->end))
    return FALSE;
  mapping->ambiguous = mapping->offset > G_MAXUINT64 - length;
  return ret->path && *ret->path;
}

/* perf calls the kernel "[kernel.kallsyms]", followed in its mapping by the name of a symbol. */
static guint32 get_kernel_flags(char *path)
{
  char *end = strchr(path, ']');

  if (!g_str_has_prefix(path, KERNEL_PREFIX))
    return CAPTURE_BINARY_KERNEL_MODULE;
  if (end)
    end[1] = '\0';
  return CAPTURE_BINARY_KERNEL;
}

static guint32 find_binary(ProfilePerfImport *self, const MapRecord *map, guint32 flags)
{
  const ProfilePerfBuildId *build_id = profile_perf_data_get_build_id(self->data, map->path);
  ProfilePerfBinary like = {
      .path = flags & CAPTURE_BINARY_KERNEL ? (char *)"[kernel]" : map->path,
      .device = map->device,
      .inode = map->inode,
      .inode_generation = map->inode_generation,
      .mapped_start = map->mapping.start,
      .mapped_end = map->mapping.end,
      .first_pid = map->pid,
      .flags = flags,
      .build_id_size = map->build_id_size,
  };

  memcpy(like.build_id, map->build_id, sizeof like.build_id);
  if (like.build_id_size == 0 && build_id) {
    like.build_id_size = build_id->size;
    memcpy(like.build_id, build_id->bytes, build_id->size);
  }
  return profile_import_find_binary(&self->import, &like);
}

static int map_kernel(ProfilePerfImport *self, MapRecord *map)
{
  map->mapping.binary = find_binary(self, map, get_kernel_flags(map->path));
  g_array_append_val(self->kernel_mappings, map->mapping);
  return self->import.writer ? profile_import_define_mapping(&self->import, 0, &map->mapping) : 0;
}

static int map_user(ProfilePerfImport *self, MapRecord *map)
{
  ProfilePerfProcess *process;

  map->mapping.binary = find_binary(self, map, profile_import_get_flags(map->path));
  process = profile_perf_machine_map(self->machine, map->pid, map->tid, &map->mapping);
  if (!process)
    return -E2BIG;
  if (!self->import.writer || process->epoch != capture_writer_epoch(self->import.writer))
    return 0;
  return profile_import_define_mapping(&self->import, process->id, &map->mapping);
}

int profile_perf_import_map(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  guint16 mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
  MapRecord map = {0};
  int status = 0;

  if (perf_data_import_map_parse(record, &map) && mode == PERF_RECORD_MISC_KERNEL)
    status = map_kernel(self, &map);
  else if (map.path && *map.path && map.mapping.end > map.mapping.start && mode == PERF_RECORD_MISC_USER)
    status = map_user(self, &map);
  g_free(map.path);
  return status;
}
