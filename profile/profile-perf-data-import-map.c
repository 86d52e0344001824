/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/mman.h>

#include "profile/profile-perf-data-bytes.h"
#include "profile/profile-perf-data-import-private.h"

#define DELETED       " (deleted)"
#define KERNEL_PREFIX "[kernel."

typedef struct {
  gint32 pid, tid;
  ProfilePerfMapping mapping;
  guint64 device, inode, inode_generation;
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
  guint32 build_id_size;
  char *path;
} MapRecord;

void profile_perf_import_free_binary(gpointer data)
{
  ProfilePerfBinary *binary = data;

  g_free(binary->path);
  g_free(binary);
}

/* Device and inode, or in their place a build-id; then protection and flags. */
static void take_identity(ProfilePerfBytes *bytes, guint16 misc, MapRecord *ret)
{
  const guint8 *at = profile_perf_bytes_take(bytes, 24);

  if (at && misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
    ret->build_id_size = MIN(at[0], sizeof ret->build_id);
    memcpy(ret->build_id, at + 4, ret->build_id_size);
  } else if (at) {
    ret->device = (guint64)profile_perf_load_32(at) << 32 | profile_perf_load_32(at + 4);
    ret->inode = profile_perf_load_64(at + 8);
    ret->inode_generation = profile_perf_load_64(at + 16);
  }
  ret->mapping.protection = profile_perf_bytes_take_32(bytes);
  ret->mapping.flags = profile_perf_bytes_take_32(bytes);
}

static gboolean parse(const ProfilePerfRecord *record, MapRecord *ret)
{
  ProfilePerfBytes bytes = {record->data, record->data + record->length, FALSE};
  ProfilePerfMapping *mapping = &ret->mapping;
  guint64 length;

  ret->pid = (gint32)profile_perf_bytes_take_32(&bytes);
  ret->tid = (gint32)profile_perf_bytes_take_32(&bytes);
  mapping->start = profile_perf_bytes_take_64(&bytes);
  length = profile_perf_bytes_take_64(&bytes);
  mapping->offset = profile_perf_bytes_take_64(&bytes);
  mapping->time = record->time;
  if (record->type == PERF_RECORD_MMAP2)
    take_identity(&bytes, record->misc, ret);
  else
    mapping->protection = record->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
  ret->path = profile_perf_bytes_take_text(&bytes, bytes.end - bytes.at);
  if (length == 0 || __builtin_add_overflow(mapping->start, length, &mapping->end))
    return FALSE;
  mapping->ambiguous = mapping->offset > G_MAXUINT64 - length;
  return ret->path && *ret->path;
}

static guint32 get_flags(const char *path)
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

static guint32 add_binary(ProfilePerfImport *self, const MapRecord *map, guint32 flags, char *key)
{
  const ProfilePerfBuildId *build_id = profile_perf_data_get_build_id(self->data, map->path);
  ProfilePerfBinary *binary = g_new0(ProfilePerfBinary, 1);

  binary->path = flags & CAPTURE_BINARY_KERNEL ? g_strdup("[kernel]") : g_strdup(map->path);
  if (flags & CAPTURE_BINARY_DELETED)
    binary->path[strlen(binary->path) - strlen(DELETED)] = '\0';
  binary->device = map->device;
  binary->inode = map->inode;
  binary->inode_generation = map->inode_generation;
  binary->mapped_start = map->mapping.start;
  binary->mapped_end = map->mapping.end;
  binary->flags = flags;
  binary->build_id_size = map->build_id_size;
  memcpy(binary->build_id, map->build_id, sizeof binary->build_id);
  if (binary->build_id_size == 0 && build_id) {
    binary->build_id_size = build_id->size;
    memcpy(binary->build_id, build_id->bytes, build_id->size);
  }
  g_ptr_array_add(self->binaries, binary);
  g_hash_table_insert(self->binary_by_key, key, GUINT_TO_POINTER(self->binaries->len));
  return self->binaries->len - 1;
}

static guint32 find_binary(ProfilePerfImport *self, const MapRecord *map, guint32 flags)
{
  g_autoptr(GString) key = g_string_new(NULL);
  guint known;

  g_string_printf(key,
                  "%" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x:", map->device,
                  map->inode, map->inode_generation);
  for (guint i = 0; i < map->build_id_size; i++)
    g_string_append_printf(key, "%02x", map->build_id[i]);
  g_string_append_printf(key, ":%u:%s", flags, map->path);
  known = GPOINTER_TO_UINT(g_hash_table_lookup(self->binary_by_key, key->str));
  return known > 0 ? known - 1 : add_binary(self, map, flags, g_strdup(key->str));
}

static int map_kernel(ProfilePerfImport *self, MapRecord *map)
{
  map->mapping.binary = find_binary(self, map, get_kernel_flags(map->path));
  g_array_append_val(self->kernel_mappings, map->mapping);
  return self->writer ? profile_perf_import_define_mapping(self, 0, &map->mapping) : 0;
}

static int map_user(ProfilePerfImport *self, MapRecord *map)
{
  ProfilePerfProcess *process;

  map->mapping.binary = find_binary(self, map, get_flags(map->path));
  process = profile_perf_machine_map(self->machine, map->pid, map->tid, &map->mapping);
  if (!process)
    return -E2BIG;
  if (!self->writer || process->epoch != capture_writer_epoch(self->writer))
    return 0;
  return profile_perf_import_define_mapping(self, process->id, &map->mapping);
}

int profile_perf_import_map(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  guint16 mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
  MapRecord map = {0};
  int status = 0;

  if (parse(record, &map) && mode == PERF_RECORD_MISC_KERNEL)
    status = map_kernel(self, &map);
  else if (map.path && *map.path && map.mapping.end > map.mapping.start && mode == PERF_RECORD_MISC_USER)
    status = map_user(self, &map);
  g_free(map.path);
  return status;
}
