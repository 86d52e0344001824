/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/opener/opener-open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "helpers/common/proc.h"
#include "helpers/opener/opener-build-id.h"
#include "helpers/text-file.h"

#ifndef BCACHEFS_SUPER_MAGIC
#define BCACHEFS_SUPER_MAGIC 0xca451a4e
#endif

struct build_id {
  uint32_t size;
  uint8_t bytes[CAPTURE_BUILD_ID_MAX];
};

/* File systems whose mappings show another device than stat does. */
static bool has_devices_of_its_own(int fd)
{
  struct statfs status;
  return fstatfs(fd, &status) == 0 &&
         (status.f_type == OVERLAYFS_SUPER_MAGIC || status.f_type == BTRFS_SUPER_MAGIC ||
          (uint32_t)status.f_type == BCACHEFS_SUPER_MAGIC);
}

/* Whether the file is the one that the mapping shows. */
static bool opener_open_agrees(const struct recorder_binary_key *key, int fd, const struct stat *status,
                               const struct build_id *build_id)
{
  if (key->build_id_size != 0)
    return build_id->size == key->build_id_size &&
           memcmp(build_id->bytes, key->build_id, build_id->size) == 0;
  if (key->inode != status->st_ino)
    return false;
  uint64_t device = (uint64_t)major(status->st_dev) << 32 | minor(status->st_dev);
  return key->device == device || has_devices_of_its_own(fd);
}

/* What anybody but root and this user may have written must not pass for theirs. */
static bool is_of_others(const struct stat *status)
{
  return (status->st_uid != 0 && status->st_uid != geteuid()) || (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

static void opener_open_identify(const struct recorder_binary_key *key, const struct stat *status,
                                 const struct build_id *build_id, char identity[OPENER_IDENTITY_MAX])
{
  if (build_id->size == 0) {
    uint64_t changed = (uint64_t)status->st_ctim.tv_sec * 1000000000u + (uint64_t)status->st_ctim.tv_nsec;
    snprintf(identity, OPENER_IDENTITY_MAX, "inode-%jx-%jx-%jx-%jx", (uintmax_t)status->st_dev,
             (uintmax_t)status->st_ino, (uintmax_t)key->inode_generation, (uintmax_t)changed);
    return;
  }
  for (uint32_t i = 0; i < build_id->size; i++)
    snprintf(identity + 2 * i, 3, "%02x", build_id->bytes[i]);
  if (is_of_others(status))
    snprintf(identity + 2 * build_id->size, 16, "-%u", status->st_uid);
}

/* Opens for reading what `found` (O_PATH) stands for; closes that. Opening a device or a FIFO could do
 * something, so it is looked at first. */
static int opener_open_take(const struct recorder_binary_key *key, int found, struct opener_opened *ret)
{
  struct stat status;
  char path[40];
  int result = fstat(found, &status) < 0 ? -errno : S_ISREG(status.st_mode) ? 0 : -EINVAL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", found);
  int fd = result == 0 ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  if (result == 0 && fd < 0)
    result = -errno;
  close(found);
  if (result < 0)
    return result;
  struct build_id build_id;
  build_id.size = opener_build_id_read(fd, build_id.bytes);
  if (!opener_open_agrees(key, fd, &status, &build_id)) {
    close(fd);
    return -ESTALE;
  }
  ret->fd = fd;
  ret->size = (uint64_t)status.st_size;
  opener_open_identify(key, &status, &build_id, ret->identity);
  return 0;
}

static int open_link(const struct recorder_binary_key *key, const char *path, struct opener_opened *ret)
{
  int found = open(path, O_PATH | O_CLOEXEC);
  return found < 0 ? -errno : opener_open_take(key, found, ret);
}

struct search {
  uint64_t address;
  uint64_t start;
  uint64_t end;
};

static void find_line(const struct recorder_map_line *line, void *data)
{
  struct search *search = data;
  if (line->start <= search->address && search->address < line->end) {
    search->start = line->start;
    search->end = line->end;
  }
}

/* A mapping's name there is its range, which may have been split or joined since it was recorded. */
static int open_map_file(const struct recorder_binary_key *key, int32_t pid, uint64_t start, uint64_t end,
                         struct opener_opened *ret)
{
  char path[80];
  snprintf(path, sizeof path, "/proc/%d/map_files/%jx-%jx", pid, (uintmax_t)start, (uintmax_t)end);
  int result = open_link(key, path, ret);
  struct search search = {.address = start};
  if (result != -ENOENT || recorder_proc_maps(pid, find_line, &search) < 0 || search.end == 0)
    return result;
  snprintf(path, sizeof path, "/proc/%d/map_files/%jx-%jx", pid, (uintmax_t)search.start,
           (uintmax_t)search.end);
  return open_link(key, path, ret);
}

static int open_below(const struct recorder_binary_key *key, const char *root, struct opener_opened *ret)
{
  char path[4096];
  if (key->path_length == 0 || key->path_length >= sizeof path || key->path[0] != '/')
    return -ENOENT;
  memcpy(path, key->path, key->path_length);
  path[key->path_length] = '\0';
  int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0)
    return -errno;
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  long found = syscall(SYS_openat2, directory, path, &how, sizeof how);
  int error = errno;
  close(directory);
  return found < 0 ? -error : opener_open_take(key, (int)found, ret);
}

int opener_open_mapped(const struct recorder_binary_key *key, int32_t pid, uint64_t start, uint64_t end,
                       struct opener_opened *ret)
{
  char path[32];
  int first = open_map_file(key, pid, start, end, ret);
  if (first == 0)
    return 0;
  snprintf(path, sizeof path, "/proc/%d/root", pid);
  int result = open_below(key, path, ret);
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  if (result < 0 && open_link(key, path, ret) == 0)
    return 0;
  if (result < 0 && open_below(key, "/", ret) == 0)
    return 0;
  return result;
}

/* Whether everybody may search the directories of an absolute path. */
static bool is_within_reach(char *path)
{
  struct stat status;
  for (char *slash = path; slash != NULL; slash = strchr(slash + 1, '/')) {
    char kept = slash[1];
    slash[1] = '\0';
    bool searchable = stat(path, &status) == 0 && (status.st_mode & S_IXOTH) != 0;
    slash[1] = kept;
    if (!searchable)
      return false;
  }
  return true;
}

bool opener_open_is_public(int fd)
{
  char link[40], path[4096];
  struct stat opened, found;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path);
  if (fstat(fd, &opened) < 0 || (opened.st_mode & S_IROTH) == 0 || length <= 0 ||
      length == (ssize_t)sizeof path || path[0] != '/' || (geteuid() == 0 && is_of_others(&opened)))
    return false;
  path[length] = '\0';
  return stat(path, &found) == 0 && found.st_dev == opened.st_dev && found.st_ino == opened.st_ino &&
         is_within_reach(path);
}

static void find_vdso(const struct recorder_map_line *line, void *data)
{
  struct search *search = data;
  if (line->path_length == strlen("[vdso]") && memcmp(line->path, "[vdso]", line->path_length) == 0) {
    search->start = line->start;
    search->end = line->end;
  }
}

/* It stays the same until the next boot. */
static void identify_vdso(const struct build_id *build_id, char identity[OPENER_IDENTITY_MAX])
{
  static const struct recorder_binary_key none;
  static const struct stat roots;
  char boot[64] = "";
  if (build_id->size != 0) {
    opener_open_identify(&none, &roots, build_id, identity);
    return;
  }
  text_file_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  boot[strcspn(boot, "\n")] = '\0';
  snprintf(identity, OPENER_IDENTITY_MAX, "vdso-%s", boot);
}

int opener_open_vdso(struct opener_opened *ret)
{
  struct search search = {0};
  int result = recorder_proc_maps(getpid(), find_vdso, &search);
  if (result == 0 && search.end == 0)
    result = -ENOENT;
  if (result < 0)
    return result;
  size_t size = search.end - search.start;
  int fd = memfd_create("vdso", MFD_CLOEXEC);
  if (fd < 0)
    return -errno;
  if (write(fd, (const void *)(uintptr_t)search.start, size) != (ssize_t)size) {
    close(fd);
    return -EIO;
  }
  struct build_id build_id;
  build_id.size = opener_build_id_read(fd, build_id.bytes);
  identify_vdso(&build_id, ret->identity);
  ret->fd = fd;
  ret->size = size;
  return 0;
}
