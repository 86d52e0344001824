/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-inside-names.h"

#include <string.h>

#include "libcapture/inside/capture-inside-hash.h"

/* The arena is full when texts are longer than this on average. */
#define AVERAGE_LENGTH 64u

static uint32_t slots_for(uint32_t max)
{
  uint32_t slots = 16;

  while (slots / 2 < max + CAPTURE_NAMES_OWN)
    slots *= 2;
  return slots;
}

static uint32_t arena_size_for(uint32_t max)
{
  return (max + CAPTURE_NAMES_OWN) * AVERAGE_LENGTH;
}

static uint64_t names_size_for(uint32_t max)
{
  return ((uint64_t)max + CAPTURE_NAMES_OWN + 1) * sizeof(struct capture_name);
}

uint64_t capture_names_size(uint32_t max)
{
  return slots_for(max) * sizeof(uint64_t) + names_size_for(max) + arena_size_for(max);
}

void capture_names_init(struct capture_inside_names *names, void *memory, uint32_t max, uint64_t seed)
{
  uint8_t *at = memory;

  *names = (struct capture_inside_names){
      .seed = seed, .mask = slots_for(max) - 1, .arena_size = arena_size_for(max), .max = max};
  names->slots = (void *)at;
  at += slots_for(max) * sizeof(uint64_t);
  names->names = (void *)at;
  names->arena = (char *)at + names_size_for(max);
}

/* One more of at most max. */
static bool count_up(_Atomic uint32_t *counter, uint32_t n, uint32_t max, uint32_t *ret_before)
{
  uint32_t count = atomic_load_explicit(counter, memory_order_relaxed);

  do {
    if (n > max - count)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(counter, &count, count + n, memory_order_relaxed,
                                                  memory_order_relaxed));
  *ret_before = count;
  return true;
}

static uint32_t new_handle(struct capture_inside_names *names, bool own)
{
  uint32_t before;

  if (own ? !count_up(&names->own, 1, CAPTURE_NAMES_OWN, &before)
          : !count_up(&names->programs, 1, names->max, &before))
    return 0;
  return 1 + atomic_fetch_add_explicit(&names->count, 1, memory_order_relaxed);
}

/* What is looked for: a text with its bytes, or a function. */
struct wanted {
  struct capture_name name;
  const char *bytes;
  uint64_t hash;
};

static bool is_wanted(const struct capture_inside_names *names, uint64_t slot, const struct wanted *wanted)
{
  const struct capture_name *name = &names->names[(uint32_t)slot];

  if (slot >> 32 != wanted->hash >> 32 || name->length != wanted->name.length)
    return false;
  if (!wanted->bytes)
    return name->text == wanted->name.text && name->file == wanted->name.file &&
           name->line == wanted->name.line;
  return memcmp(names->arena + name->text, wanted->bytes, name->length) == 0;
}

/* A handle for it that nobody knows yet; 0 when there is no room. */
static uint32_t inside_names_create(struct capture_inside_names *names, const struct wanted *wanted, bool own)
{
  struct capture_name *name;
  uint32_t text = wanted->name.text;
  uint32_t handle;

  if (wanted->bytes && !count_up(&names->arena_used, wanted->name.length, names->arena_size, &text))
    return 0;
  handle = new_handle(names, own);
  if (handle == 0)
    return 0;
  name = &names->names[handle];
  name->length = wanted->name.length;
  name->text = text;
  name->file = wanted->name.file;
  name->line = wanted->name.line;
  if (wanted->bytes)
    memcpy(names->arena + text, wanted->bytes, name->length);
  return handle;
}

static uint32_t inside_names_intern(struct capture_inside_names *names, const struct wanted *wanted, bool own)
{
  uint32_t at = (uint32_t)wanted->hash & names->mask;
  uint64_t slot = atomic_load_explicit(&names->slots[at], memory_order_acquire);
  uint32_t handle = 0;

  for (;;) {
    if (slot == 0) {
      if (handle == 0)
        handle = inside_names_create(names, wanted, own);
      if (handle == 0 ||
          atomic_compare_exchange_strong_explicit(&names->slots[at], &slot, wanted->hash >> 32 << 32 | handle,
                                                  memory_order_acq_rel, memory_order_acquire))
        return handle;
    }
    if (is_wanted(names, slot, wanted))
      return (uint32_t)slot;
    at = (at + 1) & names->mask;
    slot = atomic_load_explicit(&names->slots[at], memory_order_acquire);
  }
}

uint32_t capture_names_text(struct capture_inside_names *names, const char *text, size_t length, bool own)
{
  const struct wanted wanted = {
      .name.length = (uint32_t)length, .bytes = text, .hash = capture_hash_bytes(names->seed, text, length)};

  return inside_names_intern(names, &wanted, own);
}

uint32_t capture_names_function(struct capture_inside_names *names, uint32_t name, uint32_t file,
                                uint32_t line)
{
  const struct wanted wanted = {
      .name = {.length = CAPTURE_NAME_FUNCTION, .text = name, .file = file, .line = line},
      .hash = capture_hash_key(capture_hash_key(~names->seed, (uint64_t)name << 32 | file), line)};

  return inside_names_intern(names, &wanted, false);
}

struct capture_name *capture_names_get(const struct capture_inside_names *names, uint32_t handle)
{
  if (handle == 0 || handle > atomic_load_explicit(&names->count, memory_order_relaxed))
    return NULL;
  return &names->names[handle];
}
