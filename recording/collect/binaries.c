/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/collect/binaries.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libcapture/file/capture-reader.h"
#include "recording/common/limits-private.h"

/* Descriptors left to everything else in this process. */
#define RESERVED_DESCRIPTORS 128
#define MAX_KEPT             8192
/* Remembered so that each counts once. */
#define MAX_DROPPED 65536
/* Paths of one epoch that are remembered until their binary comes; what a stream defines is not trusted. */
#define MAX_PATH_BYTES (16 << 20)
/* Of a program that speaks for itself: nobody needs more, and others want theirs. */
#define MAX_KEPT_OF_ONE 1024

#define NO_FILE (CAPTURE_BINARY_VDSO | CAPTURE_BINARY_KERNEL | CAPTURE_BINARY_SPECIAL)

typedef struct {
  gint32 pid;   /* of the only process that it speaks of; 0: of any */
  guint n_left; /* binaries that may still be opened for it */
  guint32 epoch;
  gsize bytes;
  GHashTable *paths; /* string identifier -> path */
} Strings;

struct _RecordingBinaries {
  GHashTable *strings; /* stream -> Strings */
  RecordingFound found;
  GMutex mutex;      /* guards what follows */
  GHashTable *files; /* key -> descriptor + 1, 0: not kept */
  guint n_kept;
  guint n_dropped;
  guint max_kept;
};

static void strings_free(gpointer data)
{
  Strings *strings = data;
  g_hash_table_unref(strings->paths);
  g_free(strings);
}

static void close_kept(gpointer data)
{
  if (data)
    close(GPOINTER_TO_INT(data) - 1);
}

RecordingBinaries *recording_binaries_new(void)
{
  RecordingBinaries *self = g_new0(RecordingBinaries, 1);
  guint limit = recording_limits_raise();

  g_mutex_init(&self->mutex);
  self->strings = g_hash_table_new_full(NULL, NULL, NULL, strings_free);
  self->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, close_kept);
  self->max_kept = limit > RESERVED_DESCRIPTORS ? MIN(limit - RESERVED_DESCRIPTORS, MAX_KEPT) : 0;
  return self;
}

void recording_binaries_free(RecordingBinaries *self)
{
  g_hash_table_unref(self->strings);
  g_hash_table_unref(self->files);
  g_mutex_clear(&self->mutex);
  g_free(self);
}

void recording_binaries_tell(RecordingBinaries *self, const RecordingFound *found)
{
  self->found = found ? *found : (RecordingFound){0};
}

static char *make_key(const guint8 *build_id, gsize build_id_size, const char *path, guint64 device,
                      guint64 inode)
{
  if (build_id_size == 0)
    return g_strdup_printf("%" G_GINT64_MODIFIER "x:%" G_GUINT64_FORMAT ":%s", device, inode, path);

  GString *key = g_string_new("build-id:");
  for (gsize i = 0; i < MIN(build_id_size, CAPTURE_BUILD_ID_MAX); i++)
    g_string_append_printf(key, "%02x", build_id[i]);
  return g_string_free(key, FALSE);
}

static Strings *get_strings(RecordingBinaries *self, guint32 stream)
{
  Strings *strings = g_hash_table_lookup(self->strings, GUINT_TO_POINTER(stream));

  if (!strings) {
    strings = g_new0(Strings, 1);
    strings->n_left = G_MAXUINT;
    strings->paths = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_hash_table_insert(self->strings, GUINT_TO_POINTER(stream), strings);
  }
  return strings;
}

void recording_binaries_confine(RecordingBinaries *self, guint32 stream, gint32 pid)
{
  Strings *strings = get_strings(self, stream);

  strings->pid = pid;
  strings->n_left = MAX_KEPT_OF_ONE;
}

void recording_binaries_forget(RecordingBinaries *self, guint32 stream)
{
  g_hash_table_remove(self->strings, GUINT_TO_POINTER(stream));
}

static Strings *enter_epoch(RecordingBinaries *self, guint32 stream, guint32 epoch)
{
  Strings *strings = get_strings(self, stream);

  if (strings->epoch != epoch) {
    g_hash_table_remove_all(strings->paths);
    strings->bytes = 0;
    strings->epoch = epoch;
  }
  return strings;
}

static void remember_path(Strings *strings, const struct capture_record_string *string)
{
  if (string->length == 0 || string->bytes[0] != '/' || strings->bytes + string->length > MAX_PATH_BYTES)
    return;
  strings->bytes += string->length;
  g_hash_table_insert(strings->paths, GUINT_TO_POINTER(string->id), g_strndup(string->bytes, string->length));
}

/* Anything but a regular file is never opened for reading: a device may react to it. With a path the inode
 * number is all that tells; device numbers of mappings and of stat differ on btrfs. */
static int reopen_regular(int path_fd, guint64 inode)
{
  struct stat status;
  char name[64];
  int fd = -1;

  if (path_fd < 0)
    return -1;
  if (fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode) && (inode == 0 || status.st_ino == inode)) {
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", path_fd);
    fd = open(name, O_RDONLY | O_CLOEXEC);
  }
  close(path_fd);
  return fd;
}

static int open_mapped(const struct capture_record_binary *binary, gint32 pid)
{
  char name[96];

  g_snprintf(name, sizeof name, "/proc/%d/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", pid,
             binary->mapped_start, binary->mapped_end);
  return reopen_regular(open(name, O_PATH | O_CLOEXEC), 0);
}

static int open_below(const char *root, const char *path, guint64 inode)
{
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

  if (directory < 0)
    return -1;
  int fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
  close(directory);
  return reopen_regular(fd, inode);
}

static int open_binary(const struct capture_record_binary *binary, gint32 pid, const char *path)
{
  char root[32];
  int fd = -1;

  if (pid > 0 && binary->mapped_end > 0)
    fd = open_mapped(binary, pid);
  if (fd >= 0 || !path || (binary->flags & CAPTURE_BINARY_DELETED))
    return fd;
  if (pid > 0) {
    g_snprintf(root, sizeof root, "/proc/%d/root", pid);
    fd = open_below(root, path, binary->inode);
  }
  return fd >= 0 ? fd : open_below("/", path, binary->inode);
}

static void see_binary(RecordingBinaries *self, Strings *strings, const struct capture_record_binary *binary)
{
  const char *path = g_hash_table_lookup(strings->paths, GUINT_TO_POINTER(binary->path));

  if ((binary->flags & NO_FILE) || (!path && binary->build_id_size == 0))
    return;

  g_autofree char *key =
      make_key(binary->build_id, binary->build_id_size, path ? path : "", binary->device, binary->inode);
  g_mutex_lock(&self->mutex);
  gboolean known = g_hash_table_lookup(self->files, key) != NULL;
  gboolean full = self->n_kept >= self->max_kept;
  if (!known && full && self->n_dropped < MAX_DROPPED && !g_hash_table_contains(self->files, key)) {
    g_hash_table_insert(self->files, g_strdup(key), NULL);
    self->n_dropped++;
  }
  g_mutex_unlock(&self->mutex);
  if (known || full || strings->n_left == 0)
    return;

  int fd = open_binary(binary, strings->pid ? strings->pid : binary->mapped_pid, path);
  if (fd < 0)
    return;
  strings->n_left--;
  g_mutex_lock(&self->mutex);
  g_hash_table_insert(self->files, g_steal_pointer(&key), GINT_TO_POINTER(fd + 1));
  self->n_kept++;
  g_mutex_unlock(&self->mutex);
}

static void look_at(RecordingBinaries *self, Strings *strings, const struct capture_record *record)
{
  if (record->type == CAPTURE_RECORD_STRING) {
    remember_path(strings, (const struct capture_record_string *)record);
  } else if (record->type == CAPTURE_RECORD_PROCESS) {
    const struct capture_record_process *process = (const struct capture_record_process *)record;
    if (self->found.process)
      self->found.process(process, strings->pid ? strings->pid : process->pid, self->found.data);
  } else {
    const struct capture_record_binary *binary = (const struct capture_record_binary *)record;
    see_binary(self, strings, binary);
    if (self->found.binary)
      self->found.binary(binary, strings->pid ? strings->pid : binary->mapped_pid,
                         g_hash_table_lookup(strings->paths, GUINT_TO_POINTER(binary->path)),
                         self->found.data);
  }
}

void recording_binaries_scan(RecordingBinaries *self, guint32 stream, guint32 epoch, const guint8 *content,
                             gsize length)
{
  Strings *strings = enter_epoch(self, stream, epoch);
  const struct capture_record *record;
  size_t position = 0;

  while ((record = capture_records_next(content, length, &position))) {
    if (record->type != CAPTURE_RECORD_STRING && record->type != CAPTURE_RECORD_BINARY &&
        record->type != CAPTURE_RECORD_PROCESS)
      continue;
    if (capture_record_is_valid(record))
      look_at(self, strings, record);
  }
}

int recording_binaries_open(RecordingBinaries *self, const guint8 *build_id, gsize build_id_size,
                            const char *path, guint64 device, guint64 inode)
{
  g_autofree char *key = make_key(build_id, build_id_size, path ? path : "", device, inode);
  char name[64];

  g_mutex_lock(&self->mutex);
  int fd = GPOINTER_TO_INT(g_hash_table_lookup(self->files, key)) - 1;
  if (fd >= 0) {
    /* Opened anew, not duplicated, so that nobody shares a file position. */
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    fd = open(name, O_RDONLY | O_CLOEXEC);
  }
  g_mutex_unlock(&self->mutex);
  return fd;
}

guint recording_binaries_get_n_dropped(RecordingBinaries *self)
{
  g_mutex_lock(&self->mutex);
  guint n = self->n_dropped;
  g_mutex_unlock(&self->mutex);
  return n;
}

char *recording_binaries_describe_dropped(RecordingBinaries *self)
{
  guint n = recording_binaries_get_n_dropped(self);

  if (n == 0)
    return NULL;
  return g_strdup_printf(
      ngettext("%u binary was not kept open, because no more descriptors are permitted; it has no names if "
               "it was deleted meanwhile. Raise the limit with “ulimit -n”.",
               "%u binaries were not kept open, because no more descriptors are permitted; those that were "
               "deleted meanwhile have no names. Raise the limit with “ulimit -n”.",
               n),
      n);
}
