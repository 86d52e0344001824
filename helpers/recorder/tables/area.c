/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tables/area.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "helpers/common/memory.h"

#define ALIGNMENT 64u
/* Blocks below this are taken from the end, so that arrays that come and go do not cut the room for tables in
 * pieces. */
#define SMALL 65536u
/* Far longer than a program takes, where the kernel cannot be asked. */
#define PATIENCE_NANOSECONDS 50000000

static uint32_t round_up(uint32_t size)
{
  return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static void area_insert(struct recorder_extents *extents, uint32_t index, struct recorder_extent extent)
{
  if (extents->count == extents->capacity) {
    extents->capacity = extents->capacity != 0 ? 2 * extents->capacity : 64;
    extents->items = recorder_reallocate(extents->items, extents->capacity, sizeof *extents->items);
  }
  memmove(&extents->items[index + 1], &extents->items[index],
          (extents->count - index) * sizeof *extents->items);
  extents->items[index] = extent;
  extents->count++;
}

static void area_drop(struct recorder_extents *extents, uint32_t index)
{
  extents->count--;
  memmove(&extents->items[index], &extents->items[index + 1],
          (extents->count - index) * sizeof *extents->items);
}

/* The first free extent behind `at`. */
static uint32_t area_position(const struct recorder_extents *extents, uint32_t at)
{
  uint32_t low = 0, high = extents->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (extents->items[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void area_release(struct recorder_extents *extents, struct recorder_extent extent)
{
  uint32_t index = area_position(extents, extent.at);
  if (index != 0 && extents->items[index - 1].at + extents->items[index - 1].size == extent.at) {
    index--;
    extents->items[index].size += extent.size;
  } else {
    area_insert(extents, index, extent);
  }
  struct recorder_extent *here = &extents->items[index];
  if (index + 1 < extents->count && here->at + here->size == here[1].at) {
    here->size += here[1].size;
    area_drop(extents, index + 1);
  }
}

int recorder_area_init(struct recorder_area *area, void *bytes, uint32_t size)
{
  *area = (struct recorder_area){.bytes = bytes, .size = size, .own = bytes == NULL};
  if (area->own) {
    area->bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area->bytes == MAP_FAILED)
      return -errno;
  }
  area_insert(&area->free, 0, (struct recorder_extent){ALIGNMENT, size - ALIGNMENT});
  return 0;
}

void recorder_area_clear(struct recorder_area *area)
{
  if (area->own)
    munmap(area->bytes, area->size);
  free(area->free.items);
  free(area->left.items);
  *area = (struct recorder_area){0};
}

static uint32_t take_low(struct recorder_extents *extents, uint32_t size)
{
  for (uint32_t i = 0; i < extents->count; i++) {
    struct recorder_extent *extent = &extents->items[i];
    uint32_t at = extent->at;
    if (extent->size < size)
      continue;
    extent->at += size;
    extent->size -= size;
    if (extent->size == 0)
      area_drop(extents, i);
    return at;
  }
  return 0;
}

static uint32_t take_high(struct recorder_extents *extents, uint32_t size)
{
  for (uint32_t i = extents->count; i-- > 0;) {
    struct recorder_extent *extent = &extents->items[i];
    if (extent->size < size)
      continue;
    extent->size -= size;
    uint32_t at = extent->at + extent->size;
    if (extent->size == 0)
      area_drop(extents, i);
    return at;
  }
  return 0;
}

/* Programs run in sections that the kernel waits for here. */
static void wait_for_programs(void)
{
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
    nanosleep(&(struct timespec){.tv_nsec = PATIENCE_NANOSECONDS}, NULL);
}

static void area_reclaim(struct recorder_area *area)
{
  wait_for_programs();
  for (uint32_t i = 0; i < area->left.count; i++)
    area_release(&area->free, area->left.items[i]);
  area->left.count = 0;
}

static uint32_t area_take(struct recorder_area *area, uint32_t size)
{
  return size < SMALL ? take_high(&area->free, size) : take_low(&area->free, size);
}

uint32_t recorder_area_take(struct recorder_area *area, uint32_t size)
{
  if (size == 0 || size > area->size - ALIGNMENT)
    return 0;
  size = round_up(size);
  uint32_t at = area_take(area, size);
  if (at == 0 && area->left.count != 0) {
    area_reclaim(area);
    at = area_take(area, size);
  }
  return at;
}

void recorder_area_give(struct recorder_area *area, uint32_t at, uint32_t size)
{
  struct recorder_extent extent = {at, round_up(size)};
  if (area->own)
    area_release(&area->free, extent);
  else
    area_insert(&area->left, area->left.count, extent);
}

uint32_t recorder_area_room(const struct recorder_area *area)
{
  uint32_t room = 0;
  for (uint32_t i = 0; i < area->free.count; i++)
    room += area->free.items[i].size;
  for (uint32_t i = 0; i < area->left.count; i++)
    room += area->left.items[i].size;
  return room;
}
