/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/perf-maps.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recording/collect/foreign.h"
#include "recording/common/proc-file-private.h"

#define MAX_PROCESSES 65536
/* Between two rounds of looking up: a program may tell of itself what it likes as often as it likes. */
#define MAX_SEEN 8192
/* Of containers: each keeps two descriptors, and with them what is mounted there. */
#define MAX_ROOTS    128
#define MAX_MESSAGES 10
#define LENGTH_MAX   (G_GUINT64_CONSTANT(256) << 20)
/* Files are stamped with a clock that is behind by up to a tick. */
#define LENIENCY (G_GINT64_CONSTANT(1000000000))
#define NO_USER  ((uid_t)-1)
#define SECOND   G_GINT64_CONSTANT(1000000000)

typedef struct {
  guint64 time;  /* of what it executes, as it was told */
  gint32 number; /* in its own namespace */
  uid_t user;    /* NO_USER: not known */
  int root;      /* of a container; -1: this one */
  int mounts;    /* its namespace of them: as long as that is open they stay */
  gint64 began;  /* CLOCK_REALTIME, nanoseconds */
} Process;

struct _RecordingPerfMaps {
  GHashTable *processes; /* pid -> Process */
  GArray *seen;          /* of gint32: pids to be looked up */
  char own_mounts[64];   /* what the links in /proc say of this process's namespaces */
  char own_pids[64];
  guint n_roots;
  guint n_messages;
  gint64 began;       /* CLOCK_REALTIME, nanoseconds */
  gint64 realtime;    /* what is added to CLOCK_MONOTONIC for it */
  gint64 booted;      /* CLOCK_REALTIME, nanoseconds */
  GByteArray *buffer; /* for files of /proc */
};

static gint64 perf_maps_now(clockid_t clock)
{
  struct timespec time;

  clock_gettime(clock, &time);
  return time.tv_sec * SECOND + time.tv_nsec;
}

static void close_root(Process *process)
{
  if (process->root >= 0)
    close(process->root);
  if (process->mounts >= 0)
    close(process->mounts);
  process->root = process->mounts = -1;
}

static void process_free(gpointer data)
{
  Process *process = data;

  close_root(process);
  g_free(process);
}

/* Empty where it cannot be read. */
static void read_link(int directory, const char *name, char *buffer, gsize size)
{
  ssize_t n = readlinkat(directory, name, buffer, size - 1);

  buffer[MAX(n, 0)] = '\0';
}

static gboolean has_link(int directory, const char *name, const char *target)
{
  char found[64];

  read_link(directory, name, found, sizeof found);
  return strcmp(found, target) == 0;
}

RecordingPerfMaps *recording_perf_maps_new(void)
{
  RecordingPerfMaps *self = g_new0(RecordingPerfMaps, 1);

  self->processes = g_hash_table_new_full(NULL, NULL, NULL, process_free);
  self->seen = g_array_new(FALSE, FALSE, sizeof(gint32));
  read_link(AT_FDCWD, "/proc/self/ns/mnt", self->own_mounts, sizeof self->own_mounts);
  read_link(AT_FDCWD, "/proc/self/ns/pid", self->own_pids, sizeof self->own_pids);
  self->buffer = g_byte_array_new();
  self->began = perf_maps_now(CLOCK_REALTIME);
  self->realtime = self->began - perf_maps_now(CLOCK_MONOTONIC);
  self->booted = self->began - perf_maps_now(CLOCK_BOOTTIME);
  return self;
}

void recording_perf_maps_free(RecordingPerfMaps *self)
{
  g_hash_table_unref(self->processes);
  g_array_unref(self->seen);
  g_byte_array_unref(self->buffer);
  g_free(self);
}

static const char *read_process_file(RecordingPerfMaps *self, int directory, const char *name)
{
  int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
  const char *text = recording_proc_file_read(fd, self->buffer);

  if (fd >= 0)
    close(fd);
  return text;
}

/* The 20th field behind the name, which may hold anything, is the time since boot, in ticks. */
static gint64 read_began(RecordingPerfMaps *self, int directory)
{
  const char *text = read_process_file(self, directory, "stat");
  const char *behind = text ? strrchr(text, ')') : NULL;
  unsigned long long ticks;

  if (!behind ||
      sscanf(behind, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
             &ticks) != 1)
    return self->began;
  return self->booted + (gint64)(ticks / (guint64)sysconf(_SC_CLK_TCK)) * SECOND;
}

/* "NSpid:\t1234\t7": the last one is what it calls itself. */
static gint32 read_number(RecordingPerfMaps *self, int directory, gint32 pid)
{
  const char *text = read_process_file(self, directory, "status");
  const char *line = text ? strstr(text, "\nNSpid:") : NULL;
  guint64 number = (guint64)pid;

  if (!line)
    return pid;
  line += strlen("\nNSpid:");
  while (recording_proc_file_scan(&line, &number))
    continue;
  return number <= G_MAXINT32 ? (gint32)number : pid;
}

static void look_at_root(RecordingPerfMaps *self, Process *process, int directory)
{
  self->n_roots -= process->root >= 0;
  close_root(process);
  if (self->n_roots >= MAX_ROOTS ||
      (has_link(directory, "ns/mnt", self->own_mounts) && has_link(directory, "root", "/")))
    return;
  process->root = openat(directory, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
  process->mounts = openat(directory, "ns/mnt", O_RDONLY | O_CLOEXEC);
  self->n_roots += process->root >= 0;
}

static int open_process(gint32 pid)
{
  char name[32];

  g_snprintf(name, sizeof name, "/proc/%d", pid);
  return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The directory of a process belongs to its user. */
static void look_at_user(Process *process, int directory)
{
  struct stat status;

  if (fstat(directory, &status) == 0)
    process->user = status.st_uid;
}

static void look_up(RecordingPerfMaps *self, gint32 pid)
{
  Process *process = g_hash_table_lookup(self->processes, GINT_TO_POINTER(pid));
  int directory = open_process(pid);

  if (directory < 0)
    return;
  look_at_user(process, directory);
  look_at_root(self, process, directory);
  if (!has_link(directory, "ns/pid", self->own_pids))
    process->number = read_number(self, directory, pid);
  if (process->time == 0)
    process->began = read_began(self, directory);
  close(directory);
}

void recording_perf_maps_look_up(RecordingPerfMaps *self)
{
  for (guint i = 0; i < self->seen->len; i++)
    look_up(self, g_array_index(self->seen, gint32, i));
  g_array_set_size(self->seen, 0);
}

static void add_process(RecordingPerfMaps *self, gint32 pid, guint64 time)
{
  gboolean is_known = time > 0 && time <= G_MAXINT64 / 2;
  Process *process = g_new(Process, 1);

  *process = (Process){.time = time,
                       .number = pid,
                       .user = NO_USER,
                       .root = -1,
                       .mounts = -1,
                       .began = is_known ? (gint64)time + self->realtime : self->began};
  g_hash_table_insert(self->processes, GINT_TO_POINTER(pid), process);
}

void recording_perf_maps_see(RecordingPerfMaps *self, gint32 pid, guint64 time)
{
  Process *process = g_hash_table_lookup(self->processes, GINT_TO_POINTER(pid));

  if (pid <= 0 || (process && process->time == time) ||
      (!process && g_hash_table_size(self->processes) >= MAX_PROCESSES))
    return;
  if (!process)
    add_process(self, pid, time);
  else
    process->time = time;
  if (self->seen->len < MAX_SEEN)
    g_array_append_val(self->seen, pid);
}

/* Only looked up, not opened: what is no file might react to that. */
static int find_map(const Process *process, const char *name)
{
  struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                         .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  int root = process->root >= 0 ? process->root : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int fd = root >= 0 ? (int)syscall(SYS_openat2, root, name, &how, sizeof how) : -1;

  if (root >= 0 && root != process->root)
    close(root);
  return fd;
}

static int open_found(int found)
{
  char name[64];

  g_snprintf(name, sizeof name, "/proc/self/fd/%d", found);
  return open(name, O_RDONLY | O_CLOEXEC);
}

static int perf_maps_tell(RecordingPerfMaps *self, capture_file *file, const char *name, const char *sentence)
{
  if (self->n_messages++ >= MAX_MESSAGES)
    return 0;
  g_autofree char *text = g_strdup_printf("“%s”: %s", name, sentence);
  return capture_file_add_message(file, (guint64)perf_maps_now(CLOCK_MONOTONIC), 4, text);
}

/* In mounts of its own a program may show any file there that it cannot read itself, root's or the
 * recorder's. */
static gboolean is_of_trusted(const Process *process, uid_t owner)
{
  if (process->user != NO_USER && owner == process->user)
    return TRUE;
  return process->root < 0 && (owner == geteuid() || owner == 0);
}

static int copy_content(RecordingPerfMaps *self, capture_file *file, gint32 pid, const char *name, int found)
{
  g_autoptr(RecordingForeign) foreign = recording_foreign_new(file, CAPTURE_FOREIGN_PERF_MAP, pid, name);
  int fd = open_found(found);
  struct stat status;

  if (fd < 0)
    return perf_maps_tell(self, file, name, g_strerror(errno));
  int result = recording_foreign_copy(foreign, fd, 0, LENGTH_MAX, NULL);
  if (result == 0 && fstat(fd, &status) == 0 && (guint64)status.st_size > LENGTH_MAX)
    result = perf_maps_tell(self, file, name, _("only its first 256 MiB were read."));
  close(fd);
  return result;
}

/* It may have become another user since it was seen. */
static void look_at_user_again(Process *process, gint32 pid)
{
  int directory = open_process(pid);

  if (directory < 0)
    return;
  look_at_user(process, directory);
  close(directory);
}

static int copy_map(RecordingPerfMaps *self, capture_file *file, gint32 pid, Process *process)
{
  struct stat status;
  char name[64];
  int result = 0;

  g_snprintf(name, sizeof name, "/tmp/perf-%d.map", process->number);
  int found = find_map(process, name);
  if (found < 0)
    return 0;
  look_at_user_again(process, pid);
  if (fstat(found, &status) < 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    result = perf_maps_tell(self, file, name,
                            _("it was ignored: it is a link or a device, or has a second name."));
  else if (!is_of_trusted(process, status.st_uid))
    result =
        perf_maps_tell(self, file, name, _("it was ignored: it does not belong to the user of the process."));
  else if (status.st_mtim.tv_sec * SECOND + status.st_mtim.tv_nsec + LENIENCY >= process->began)
    result = copy_content(self, file, pid, name, found);
  close(found);
  return result;
}

int recording_perf_maps_copy(RecordingPerfMaps *self, capture_file *file)
{
  GHashTableIter iter;
  gpointer pid, process;
  int result = 0;

  recording_perf_maps_look_up(self);
  g_hash_table_iter_init(&iter, self->processes);
  while (result == 0 && g_hash_table_iter_next(&iter, &pid, &process))
    result = copy_map(self, file, GPOINTER_TO_INT(pid), process);
  return result;
}
