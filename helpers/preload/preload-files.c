/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "libcapture/capture.h"
#include "libcapture/pool/capture-announce.h"

/* So many bytes of code are compared where device numbers say nothing. */
#define COMPARED 256

static int64_t preload_files_nanoseconds(const struct timespec *time)
{
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* Of this process's memory, by the kernel: another thread may have unmapped it, or its file been cut off. */
static bool read_memory(uint64_t address, char *bytes, size_t size)
{
  int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = pread(fd, bytes, size, (off_t)address);
  close(fd);
  return n == (ssize_t)size;
}

/* File systems that are put together from others (btrfs, overlayfs) have device numbers of their own in
 * stat(); there the code tells whether it is the file that is mapped. */
static bool is_mapped(const struct preload_map *map, int fd, const struct stat *status)
{
  char bytes[COMPARED], mapped[COMPARED];
  if (status->st_ino != map->inode || !S_ISREG(status->st_mode))
    return false;
  if (status->st_dev == map->device)
    return true;
  size_t size = map->end - map->start < sizeof bytes ? map->end - map->start : sizeof bytes;
  return pread(fd, bytes, size, (off_t)map->offset) == (ssize_t)size &&
         read_memory(map->start, mapped, size) && memcmp(bytes, mapped, size) == 0;
}

/* Looks before it opens, since to open some things does something. */
static int open_path(const struct preload_map *map, const char *path, struct stat *status)
{
  if (stat(path, status) != 0 || status->st_ino != map->inode || !S_ISREG(status->st_mode))
    return -1;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -1;
  if (fstat(fd, status) == 0 && is_mapped(map, fd, status))
    return fd;
  close(fd);
  return -1;
}

/* By its path; then ways to files that were deleted, of which the first is open to few. */
static int open_mapped(const struct preload_map *map, struct stat *status)
{
  char path[64];
  int fd = map->is_deleted ? -1 : open_path(map, map->path, status);
  if (fd >= 0)
    return fd;
  snprintf(path, sizeof path, "/proc/self/map_files/%llx-%llx", (unsigned long long)map->start,
           (unsigned long long)map->end);
  fd = open_path(map, path, status);
  return fd >= 0 ? fd : open_path(map, "/proc/self/exe", status);
}

static bool is_vdso(const struct preload_map *map)
{
  return map->inode == 0 && strcmp(map->path, "[vdso]") == 0;
}

static bool preload_files_fits(const struct preload_file *file, const struct preload_map *map,
                               const struct stat *status)
{
  if (file->device != map->device || file->inode != map->inode)
    return false;
  return !status || (file->size == (uint64_t)status->st_size &&
                     file->modified == preload_files_nanoseconds(&status->st_mtim) &&
                     file->changed == preload_files_nanoseconds(&status->st_ctim));
}

/* The newest of that identity: of any times when the file cannot be looked at any more. */
static struct preload_file *preload_files_known(struct preload_files *files, const struct preload_map *map,
                                                const struct stat *status)
{
  for (uint32_t i = files->count; i-- > 0;) {
    if (preload_files_fits(&files->files[i], map, status))
      return &files->files[i];
  }
  return NULL;
}

/* fd -1: of the vDSO, which the recording has as well. */
static void preload_files_ask(struct preload_files *files, struct preload_file *file, int fd)
{
  struct capture_table_message message = {.type = CAPTURE_ANNOUNCE_TABLE_WANTED,
                                          .cookie = (uint64_t)(file - files->files)};
  int error = files->socket < 0 ? -EBADF : packet_send(files->socket, &message, sizeof message, fd, false);
  /* Both sides' queues are full: make room. */
  for (int i = 0; error == -EAGAIN && i < 100; i++) {
    preload_files_receive(files, capture_time() + 10000000);
    error = packet_send(files->socket, &message, sizeof message, fd, false);
  }
  file->state = error == 0 ? PRELOAD_FILE_WANTED : PRELOAD_FILE_NONE;
  files->n_wanted += error == 0;
}

static struct preload_file *preload_files_add(struct preload_files *files, const struct preload_map *map,
                                              const struct stat *status, int fd)
{
  if (files->count == PRELOAD_FILES_MAX)
    return NULL;
  struct preload_file *file = &files->files[files->count];
  *file = (struct preload_file){.device = map->device, .inode = map->inode, .state = PRELOAD_FILE_NONE};
  if (status) {
    file->size = (uint64_t)status->st_size;
    file->modified = preload_files_nanoseconds(&status->st_mtim);
    file->changed = preload_files_nanoseconds(&status->st_ctim);
  }
  files->count++;
  preload_files_ask(files, file, fd);
  return file;
}

static struct preload_file *add_mapped(struct preload_files *files, const struct preload_map *map)
{
  struct stat status;
  int fd = open_mapped(map, &status);
  struct preload_file *file = fd >= 0 ? preload_files_add(files, map, &status, fd) : NULL;
  if (fd >= 0)
    close(fd);
  return file;
}

const struct preload_file *preload_files_find(struct preload_files *files, const struct preload_map *map)
{
  struct stat status;
  struct preload_file *file;
  if (is_vdso(map))
    return (file = preload_files_known(files, map, NULL)) != NULL ? file
                                                                  : preload_files_add(files, map, NULL, -1);
  if (map->inode == 0)
    return NULL;
  if (map->is_deleted || stat(map->path, &status) != 0 || status.st_ino != map->inode)
    return (file = preload_files_known(files, map, NULL)) != NULL ? file : add_mapped(files, map);
  file = preload_files_known(files, map, &status);
  return file ? file : add_mapped(files, map);
}

static void take_answer(struct preload_files *files, const struct capture_table_message *message, int fd)
{
  if (message->cookie >= files->count || files->files[message->cookie].state != PRELOAD_FILE_WANTED)
    return;
  struct preload_file *file = &files->files[message->cookie];
  int error = message->error != 0 || fd < 0
                  ? -ENODATA
                  : preload_area_add_table(files->area, fd, message->length, &file->table);
  file->state = error == 0 ? PRELOAD_FILE_TABLE : PRELOAD_FILE_NONE;
  files->n_wanted--;
  files->n_not_placed += error == -ENOSPC;
}

/* False when nothing more will come. */
static bool receive_one(struct preload_files *files)
{
  struct capture_table_message message;
  int fd = -1;
  ssize_t size = packet_receive(files->socket, &message, sizeof message, &fd, false);
  if (size == -EAGAIN)
    return true;
  if (size == (ssize_t)sizeof message && message.type == CAPTURE_ANNOUNCE_TABLE)
    take_answer(files, &message, fd);
  else
    preload_files_disconnect(files);
  if (fd >= 0)
    close(fd);
  return files->socket >= 0;
}

void preload_files_receive(struct preload_files *files, uint64_t deadline)
{
  bool goes_on = files->socket >= 0;
  while (goes_on && files->n_wanted != 0) {
    uint64_t now = capture_time();
    struct pollfd polled = {.fd = files->socket, .events = POLLIN};
    int ready = poll(&polled, 1, now < deadline ? (int)((deadline - now + 999999) / 1000000) : 0);
    if (ready == 0)
      return;
    goes_on = ready < 0 ? errno == EINTR : receive_one(files);
  }
}

void preload_files_disconnect(struct preload_files *files)
{
  files->socket = -1;
  files->n_wanted = 0;
  for (uint32_t i = 0; i < files->count; i++) {
    if (files->files[i].state == PRELOAD_FILE_WANTED)
      files->files[i].state = PRELOAD_FILE_NONE;
  }
}
