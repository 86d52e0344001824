/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/common/image.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "helpers/elf-reader-protocol.h"
#include "unwind/unwind-compile.h"

int recorder_image_map_checked(int fd, uint64_t size, const struct unwind_table **ret)
{
  if (size < sizeof **ret || size > INT32_MAX)
    return -EBADMSG;
  void *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  if (memory == MAP_FAILED)
    return -errno;
  *ret = memory;
  return 0;
}

static int map_and_check(int fd, uint64_t size, bool crc, const struct unwind_table **ret)
{
  const struct unwind_table *table = NULL;
  int result = recorder_image_map_checked(fd, size, &table);
  if (result < 0)
    return result;
  if (!unwind_table_is_valid(table, size, crc)) {
    recorder_image_unmap(table, size);
    return -EBADMSG;
  }
  *ret = table;
  return 0;
}

int recorder_image_map_cached(int fd, uint64_t size, const struct unwind_table **ret)
{
  return map_and_check(fd, size, true, ret);
}

/* Reading a hole, or a page of a huge memfd that there is no memory for, would kill this process. */
static bool is_whole(int fd, uint64_t size)
{
  struct stat status;
  struct statfs file_system;
  return fstat(fd, &status) == 0 && fstatfs(fd, &file_system) == 0 && S_ISREG(status.st_mode) &&
         (uint64_t)status.st_size == size && (uint64_t)status.st_blocks >= size / 512 &&
         file_system.f_type == TMPFS_MAGIC;
}

/* Nobody can change it, or take it away. */
static bool is_for_good(int fd, uint64_t size)
{
  int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & ELF_READER_SEALS) == ELF_READER_SEALS && is_whole(fd, size);
}

int recorder_image_map_answer(int fd, uint64_t size, const struct unwind_table **ret)
{
  if (!is_for_good(fd, size))
    return -EBADMSG;
  /* Its checksum says nothing that whoever wrote it could not have said. */
  return map_and_check(fd, size, false, ret);
}

int recorder_image_map_names(int fd, uint64_t size, const struct unwind_names **ret)
{
  if (size < sizeof **ret || size > INT32_MAX || !is_for_good(fd, size))
    return -EBADMSG;
  void *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  if (memory == MAP_FAILED)
    return -errno;
  if (!unwind_names_are_valid(memory, size)) {
    munmap(memory, size);
    return -EBADMSG;
  }
  *ret = memory;
  return 0;
}

void recorder_image_unmap(const struct unwind_table *table, uint64_t size)
{
  munmap((void *)table, size);
}
