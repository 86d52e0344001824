/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-area.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "unwind/unwind-compile.h"

/* The tables of the largest browsers take a quarter of it. No more, since programs may lock all their memory.
 */
#define SIZE_MAX_BYTES (UINT64_C(1) << 27)
#define SIZE_MIN_BYTES (UINT64_C(1) << 21)
/* Of addresses that are limited the program has most. */
#define SHARE       16
#define ARRAY_BYTES (WALK_MAPPINGS_MAX * sizeof(struct walk_mapping))
#define ARRAYS_AT   UINT64_C(65536) /* no array, no table is at 0; a multiple of any page size */
#define SEALS       (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static uint64_t round_to_pages(uint64_t size)
{
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return (size + page - 1) & ~(page - 1);
}

static uint8_t *preload_area_reserve(uint64_t size)
{
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  uint8_t *bytes = mmap(NULL, size, PROT_READ, flags, -1, 0);
  if (bytes == MAP_FAILED)
    return NULL;
  if (mprotect(bytes + ARRAYS_AT, PRELOAD_VERSIONS * ARRAY_BYTES, PROT_READ | PROT_WRITE) == 0)
    return bytes;
  munmap(bytes, size);
  return NULL;
}

static uint64_t choose_size(void)
{
  struct rlimit limit;
  uint64_t size = SIZE_MAX_BYTES;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    while (size > SIZE_MIN_BYTES && size > limit.rlim_cur / SHARE)
      size /= 2;
  }
  return size;
}

int preload_area_init(struct preload_area *area)
{
  uint64_t size = choose_size();
  uint8_t *bytes = preload_area_reserve(size);
  if (!bytes)
    return -ENOMEM;
  area->bytes = bytes;
  area->size = size;
  area->used = round_to_pages(ARRAYS_AT + PRELOAD_VERSIONS * ARRAY_BYTES);
  area->serial = 0;
  atomic_init(&area->current, PRELOAD_VERSIONS);
  preload_area_forget_readers(area);
  return 0;
}

void preload_area_clear(struct preload_area *area)
{
  atomic_store(&area->current, PRELOAD_VERSIONS);
  if (area->bytes)
    munmap(area->bytes, area->size);
  area->bytes = NULL;
}

/* Nobody can change it or take it away, and no page of it is a hole that there may be no memory for. */
static int check_file(int fd, uint64_t length)
{
  struct stat status;
  struct statfs file_system;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &status) != 0 || fstatfs(fd, &file_system) != 0)
    return -EBADMSG;
  if (!S_ISREG(status.st_mode) || file_system.f_type != TMPFS_MAGIC || (uint64_t)status.st_size != length ||
      (uint64_t)status.st_blocks < length / 512)
    return -EBADMSG;
  return length >= sizeof(struct unwind_table) ? 0 : -EBADMSG;
}

/* Gives the addresses back to the area. */
static void take_away(uint8_t *at, uint64_t size)
{
  mmap(at, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

int preload_area_add_table(struct preload_area *area, int fd, uint64_t length, uint32_t *ret)
{
  int error = check_file(fd, length);
  if (error != 0)
    return error;
  if (length > area->size || round_to_pages(length) > area->size - area->used)
    return -ENOSPC;
  uint8_t *at = area->bytes + area->used;
  if (mmap(at, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
    return -errno;
  /* Its checksum says nothing that whoever wrote it could not have said. */
  if (!unwind_table_is_valid(at, length, false)) {
    take_away(at, round_to_pages(length));
    return -EBADMSG;
  }
  *ret = (uint32_t)area->used;
  area->used += round_to_pages(length);
  return 0;
}

const struct unwind_table *preload_area_table(const struct preload_area *area, uint32_t offset)
{
  return (const struct unwind_table *)(const void *)(area->bytes + offset);
}

static uint32_t free_version(struct preload_area *area)
{
  uint32_t current = atomic_load(&area->current);
  for (uint32_t i = 0; i < PRELOAD_VERSIONS; i++) {
    if (i != current && atomic_load(&area->versions[i].readers) == 0)
      return i;
  }
  return PRELOAD_VERSIONS;
}

int preload_area_publish(struct preload_area *area, const struct walk_mapping *mappings, uint32_t n)
{
  uint32_t version = free_version(area);
  if (version == PRELOAD_VERSIONS)
    return -EAGAIN;
  if (n > WALK_MAPPINGS_MAX)
    n = WALK_MAPPINGS_MAX;
  uint64_t at = ARRAYS_AT + version * ARRAY_BYTES;
  memcpy(area->bytes + at, mappings, n * sizeof *mappings);
  /* Every executable mapping there is was looked at: what lies in none is nobody's. */
  area->versions[version].process =
      (struct walk_process){.mappings = (uint32_t)at,
                            .n_mappings = n,
                            .flags = WALK_PROCESS_FRAME_POINTERS | WALK_PROCESS_CERTAIN,
                            .serial = ++area->serial};
  atomic_store(&area->current, version);
  return 0;
}

const struct walk_process *preload_area_enter(struct preload_area *area, struct preload_version **ret)
{
  for (int i = 0; i < PRELOAD_VERSIONS; i++) {
    uint32_t current = atomic_load(&area->current);
    if (current >= PRELOAD_VERSIONS)
      return NULL;
    struct preload_version *version = &area->versions[current];
    atomic_fetch_add(&version->readers, 1);
    /* Whoever writes it looked before that, and has made another one current by then. */
    if (atomic_load(&area->current) == current) {
      *ret = version;
      return &version->process;
    }
    atomic_fetch_sub(&version->readers, 1);
  }
  return NULL;
}

void preload_area_leave(struct preload_version *version)
{
  atomic_fetch_sub(&version->readers, 1);
}

void preload_area_forget_readers(struct preload_area *area)
{
  for (uint32_t i = 0; i < PRELOAD_VERSIONS; i++)
    atomic_store(&area->versions[i].readers, 0);
}
