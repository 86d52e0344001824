/* SPDX-License-Identifier: BSD-2-Clause */
/* The strings of a writer's epoch. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "libcapture/file/capture-writer-private.h"

#define LENGTH_MAX 4095u
/* The arena is full, and with it the epoch, when strings are longer than this on average. */
#define AVERAGE_LENGTH 64u

static void *map_zeroes(size_t size)
{
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  return map == MAP_FAILED ? NULL : map;
}

static size_t slots_size(const struct capture_writer_strings *strings)
{
  return ((size_t)strings->mask + 1) * sizeof strings->slots[0];
}

static size_t ends_size(const struct capture_writer_strings *strings)
{
  return ((size_t)strings->max + 1) * sizeof strings->ends[0];
}

int capture_writer_strings_create(struct capture_writer_strings *strings, uint32_t max, uint64_t seed)
{
  uint64_t arena_size = (uint64_t)max * AVERAGE_LENGTH + LENGTH_MAX;
  uint32_t slots = 1;

  while (slots / 2 < max)
    slots *= 2;
  *strings = (struct capture_writer_strings){.seed = seed, .mask = slots - 1, .max = max};
  strings->arena_size = arena_size < UINT32_MAX ? (uint32_t)arena_size : UINT32_MAX;
  strings->arena = map_zeroes(strings->arena_size);
  strings->ends = map_zeroes(ends_size(strings));
  strings->slots = map_zeroes(slots_size(strings));
  if (strings->arena && strings->ends && strings->slots)
    return 0;
  capture_writer_strings_destroy(strings);
  return -ENOMEM;
}

void capture_writer_strings_destroy(struct capture_writer_strings *strings)
{
  if (strings->arena)
    munmap(strings->arena, strings->arena_size);
  if (strings->ends)
    munmap(strings->ends, ends_size(strings));
  if (strings->slots)
    munmap(strings->slots, slots_size(strings));
  strings->arena = NULL;
  strings->ends = NULL;
  strings->slots = NULL;
}

void capture_writer_strings_clear(struct capture_writer_strings *strings)
{
  strings->count = 0;
  memset(strings->slots, 0, slots_size(strings));
}

static uint64_t writer_strings_fold(uint64_t a, uint64_t b)
{
  unsigned __int128 product = (unsigned __int128)a * b;

  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_string(const struct capture_writer_strings *strings, const char *bytes, size_t length)
{
  uint64_t hash = strings->seed ^ length;

  while (length > 0) {
    size_t piece = length < 8 ? length : 8;
    uint64_t word = 0;

    memcpy(&word, bytes, piece);
    hash = writer_strings_fold(hash ^ word ^ 0xa0761d6478bd642fu, strings->seed ^ 0xe7037ed1a0b428dbu);
    bytes += piece;
    length -= piece;
  }
  return writer_strings_fold(hash, 0x9e3779b97f4a7c15u);
}

static bool is_string(const struct capture_writer_strings *strings, uint32_t id, const char *bytes,
                      size_t length)
{
  uint32_t begin = strings->ends[id - 1];

  return strings->ends[id] - begin == length && memcmp(strings->arena + begin, bytes, length) == 0;
}

/* The slot that holds the string or where it would be put. */
static struct capture_table_slot *find_slot(struct capture_writer_strings *strings, uint64_t hash,
                                            const char *bytes, size_t length)
{
  for (uint32_t at = (uint32_t)hash & strings->mask;; at = (at + 1) & strings->mask) {
    struct capture_table_slot *slot = &strings->slots[at];

    if (slot->id == 0 || (slot->tag == hash >> 32 && is_string(strings, slot->id, bytes, length)))
      return slot;
  }
}

static uint32_t add_string(struct capture_writer_strings *strings, const char *bytes, size_t length)
{
  uint32_t begin = strings->ends[strings->count];

  if (length > 0)
    memcpy(strings->arena + begin, bytes, length);
  strings->ends[++strings->count] = begin + (uint32_t)length;
  return strings->count;
}

uint32_t capture_writer_strings_skip(struct capture_writer_strings *strings)
{
  return strings->count == strings->max ? 0 : add_string(strings, NULL, 0);
}

int64_t capture_writer_string(capture_writer *writer, const char *bytes, size_t length)
{
  struct capture_writer_strings *strings = &writer->strings;
  struct capture_record_string *record;
  struct capture_table_slot *slot;
  uint32_t size;
  uint64_t hash;
  int r;

  if (length > LENGTH_MAX)
    return -EINVAL;
  hash = hash_string(strings, bytes, length);
  slot = find_slot(strings, hash, bytes, length);
  if (slot->id)
    return slot->id;
  if (strings->count == strings->max || length > strings->arena_size - strings->ends[strings->count])
    return -ENOSPC;
  size = (uint32_t)(sizeof *record + length + 8) & ~7u;
  r = capture_writer_reserve(writer, size);
  if (r < 0)
    return r;
  *slot =
      (struct capture_table_slot){.tag = (uint32_t)(hash >> 32), .id = add_string(strings, bytes, length)};
  record = (struct capture_record_string *)(writer->dictionary.slot.content + writer->dictionary.used);
  memset((char *)record + size - 8, 0, 8);
  *record = (struct capture_record_string){
      .record = {.size = size, .type = CAPTURE_RECORD_STRING}, .id = slot->id, .length = (uint32_t)length};
  if (length > 0)
    memcpy(record->bytes, bytes, length);
  writer->dictionary.used += size;
  return slot->id;
}
