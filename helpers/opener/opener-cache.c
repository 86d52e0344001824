/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/opener/opener-cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "helpers/common/image.h"
#include "helpers/common/memory.h"
#include "libcapture/file/capture-crc32c.h"

#define NONE_MAGIC     0x656e6f6eu
#define NEW_PREFIX     ".new-"
#define ABANDONED      3600 /* seconds until an unfinished file is taken for one whose writer died */
#define USED_PRECISION 3600 /* seconds */
#define BLOCK          4096u

/* What is kept for a binary without a table. */
struct none {
  uint32_t magic;
  uint32_t version; /* of tables: what one cannot compile the next one may */
  int32_t error;
  uint32_t crc; /* CRC-32C of what is above */
};

struct cached_file {
  char name[NAME_MAX + 1];
  time_t used;
  uint64_t size;
};

struct listing {
  struct cached_file *files;
  size_t count;
  size_t capacity;
  uint64_t size;
};

static bool is_ours(const struct stat *status)
{
  return (status->st_uid == 0 || status->st_uid == geteuid()) && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static uint64_t space_of(uint64_t size)
{
  return (size + BLOCK - 1) / BLOCK * BLOCK;
}

static int make_directories(const char *path)
{
  char part[PATH_MAX];
  if (strlen(path) >= sizeof part)
    return -ENAMETOOLONG;
  strcpy(part, path);
  for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(part, 0700) < 0 && errno != EEXIST)
      return -errno;
    *slash = '/';
  }
  return mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int opener_cache_open(struct opener_cache *cache, const char *path, uint64_t limit)
{
  *cache = (struct opener_cache){.directory = -1, .limit = limit != 0 ? limit : OPENER_CACHE_LIMIT};
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    int result = make_directories(path);
    if (result < 0)
      return result;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  if (fd < 0)
    return -errno;
  struct stat status;
  if (fstat(fd, &status) < 0 || !is_ours(&status)) {
    close(fd);
    return -EPERM;
  }
  cache->directory = fd;
  cache->used = cache->limit;
  return 0;
}

void opener_cache_close(struct opener_cache *cache)
{
  if (cache->directory >= 0)
    close(cache->directory);
  cache->directory = -1;
}

static void name_of(const char *identity, char name[NAME_MAX + 1])
{
  snprintf(name, NAME_MAX + 1, "%s.unwind%d", identity, UNWIND_TABLE_VERSION);
}

static void cache_add(struct listing *listing, const char *name, const struct stat *status)
{
  if (listing->count == listing->capacity) {
    listing->capacity = listing->capacity != 0 ? 2 * listing->capacity : 64;
    listing->files = recorder_reallocate(listing->files, listing->capacity, sizeof *listing->files);
  }
  struct cached_file *file = &listing->files[listing->count++];
  snprintf(file->name, sizeof file->name, "%s", name);
  file->used = status->st_mtime;
  file->size = space_of((uint64_t)status->st_size);
  listing->size += file->size;
}

/* Adds to an empty listing. Also removes what writers left behind that died. */
static int cache_list(const struct opener_cache *cache, struct listing *ret)
{
  int fd = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
  if (directory == NULL) {
    int error = errno;
    if (fd >= 0)
      close(fd);
    return -error;
  }
  time_t now = time(NULL);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    struct stat status;
    if (fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
      continue;
    if (strncmp(entry->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) != 0)
      cache_add(ret, entry->d_name, &status);
    else if (status.st_mtime < now - ABANDONED)
      unlinkat(fd, entry->d_name, 0);
  }
  closedir(directory);
  return 0;
}

static int compare_use(const void *a, const void *b)
{
  const struct cached_file *left = a, *right = b;
  return (left->used > right->used) - (left->used < right->used);
}

/* Makes room for `more` bytes, and some beyond, so that it is not needed each time. Others may have stored or
 * removed files meanwhile: what is there counts. */
static void make_room(struct opener_cache *cache, uint64_t more)
{
  struct listing listing = {0};
  if (cache->used + more <= cache->limit || cache_list(cache, &listing) < 0)
    return;
  cache->used = listing.size;
  if (cache->used + more > cache->limit) {
    qsort(listing.files, listing.count, sizeof *listing.files, compare_use);
    uint64_t wanted = more < cache->limit / 4 ? cache->limit / 4 * 3 : cache->limit - more;
    for (size_t i = 0; i < listing.count && cache->used > wanted; i++)
      if (unlinkat(cache->directory, listing.files[i].name, 0) == 0)
        cache->used -= listing.files[i].size;
  }
  free(listing.files);
}

static bool is_none(int fd, int *ret_error)
{
  struct none none;
  if (pread(fd, &none, sizeof none, 0) != sizeof none || none.magic != NONE_MAGIC ||
      none.version != UNWIND_TABLE_VERSION || none.error <= 0 ||
      none.crc != capture_crc32c(0, &none, offsetof(struct none, crc)))
    return false;
  *ret_error = none.error;
  return true;
}

static enum opener_cache_answer cache_check(int fd, const struct stat *status, int *ret_error)
{
  if (status->st_size == sizeof(struct none))
    return is_none(fd, ret_error) ? OPENER_CACHE_NONE : OPENER_CACHE_ABSENT;
  const struct unwind_table *table;
  if (recorder_image_map_cached(fd, (uint64_t)status->st_size, &table) < 0)
    return OPENER_CACHE_ABSENT;
  recorder_image_unmap(table, (uint64_t)status->st_size);
  return OPENER_CACHE_TABLE;
}

/* Not the time of access, which file systems may be told not to keep; and not each time, which would be a
 * write each. */
static void mark_used(int fd, const struct stat *status)
{
  if (status->st_mtime < time(NULL) - USED_PRECISION)
    futimens(fd, NULL);
}

enum opener_cache_answer opener_cache_find(struct opener_cache *cache, const char *identity, int *ret_fd,
                                           uint64_t *ret_size, int *ret_error)
{
  char name[NAME_MAX + 1];
  struct stat status;
  if (cache->directory < 0)
    return OPENER_CACHE_ABSENT;
  name_of(identity, name);
  int fd = openat(cache->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 && errno != ELOOP)
    return OPENER_CACHE_ABSENT;
  enum opener_cache_answer answer = OPENER_CACHE_ABSENT;
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_ours(&status))
    answer = cache_check(fd, &status, ret_error);
  if (answer == OPENER_CACHE_ABSENT)
    unlinkat(cache->directory, name, 0);
  else
    mark_used(fd, &status);
  if (answer == OPENER_CACHE_TABLE) {
    *ret_fd = fd;
    *ret_size = (uint64_t)status.st_size;
  } else if (fd >= 0) {
    close(fd);
  }
  return answer;
}

static int write_all(int fd, const void *bytes, uint64_t size)
{
  for (uint64_t done = 0; done < size;) {
    ssize_t written = write(fd, (const char *)bytes + done, size - done);
    if (written < 0)
      return -errno;
    done += (uint64_t)written;
  }
  return 0;
}

static int cache_store(struct opener_cache *cache, const char *identity, const void *bytes, uint64_t size)
{
  char name[NAME_MAX + 1], fresh[64];
  if (cache->directory < 0)
    return -ENOENT;
  if (space_of(size) > cache->limit)
    return -EFBIG;
  make_room(cache, space_of(size));
  name_of(identity, name);
  snprintf(fresh, sizeof fresh, NEW_PREFIX "%d-%u", getpid(), cache->serial++);
  int fd = openat(cache->directory, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return -errno;
  int result = write_all(fd, bytes, size);
  close(fd);
  if (result == 0 && renameat(cache->directory, fresh, cache->directory, name) < 0)
    result = -errno;
  if (result < 0)
    unlinkat(cache->directory, fresh, 0);
  else
    cache->used += space_of(size);
  return result;
}

int opener_cache_store(struct opener_cache *cache, const char *identity, const struct unwind_table *table,
                       uint64_t size)
{
  return cache_store(cache, identity, table, size);
}

int opener_cache_store_none(struct opener_cache *cache, const char *identity, int error)
{
  struct none none = {.magic = NONE_MAGIC, .version = UNWIND_TABLE_VERSION, .error = error};
  none.crc = capture_crc32c(0, &none, offsetof(struct none, crc));
  return cache_store(cache, identity, &none, sizeof none);
}
