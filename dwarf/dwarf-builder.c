/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-builder-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void dwarf_builder_start(struct dwarf_builder *builder, size_t n)
{
  builder->number++;
  builder->n_texts = builder->size = builder->n_frames = builder->n_missing = 0;
  dwarf_map_empty(&builder->texts_by_hash);
  memset(builder->places, 0, n * sizeof builder->places[0]);
}

static uint64_t text_hash(const char *text, size_t length)
{
  uint64_t hash = length * 0x9e3779b97f4a7c15u, word;

  for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
    memcpy(&word, text, sizeof word);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  word = 0;
  memcpy(&word, text, length);
  hash = (hash ^ word) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

static bool builder_reserve(struct dwarf_builder *builder, size_t length)
{
  while (builder->capacity - builder->size < length) {
    char *grown = dwarf_budget_grow(builder->budget, builder->bytes, &builder->capacity, 1);

    if (!grown)
      return false;
    builder->bytes = grown;
  }
  if (builder->n_texts == builder->texts_capacity) {
    void *grown =
        dwarf_budget_grow(builder->budget, builder->texts, &builder->texts_capacity, sizeof *builder->texts);

    if (!grown)
      return false;
    builder->texts = grown;
  }
  return true;
}

struct dwarf_text dwarf_builder_add_text(struct dwarf_builder *builder, const char *text, size_t length)
{
  struct dwarf_text added;
  uint64_t hash;
  uint32_t i;

  if (length > DWARF_TEXT_MAX)
    length = DWARF_TEXT_MAX;
  if (length == 0)
    return (struct dwarf_text){0};
  hash = text_hash(text, length);
  i = dwarf_map_find(&builder->texts_by_hash, hash);
  if (i < builder->n_texts && builder->texts[i].length == length &&
      memcmp(builder->bytes + builder->texts[i].at, text, length) == 0)
    return builder->texts[i];
  if (!builder_reserve(builder, length))
    return (struct dwarf_text){0};
  added = (struct dwarf_text){builder->size, (uint32_t)length};
  memcpy(builder->bytes + builder->size, text, length);
  builder->size += (uint32_t)length;
  builder->texts[builder->n_texts++] = added;
  dwarf_map_set(&builder->texts_by_hash, builder->budget, hash, builder->n_texts - 1);
  return added;
}

int dwarf_builder_add_frame(struct dwarf_builder *builder, const struct dwarf_frame *frame)
{
  if (builder->n_frames == builder->frames_capacity) {
    void *grown =
        dwarf_budget_grow(builder->budget, builder->frames, &builder->frames_capacity, sizeof *frame);

    if (!grown)
      return -ENOMEM;
    builder->frames = grown;
  }
  builder->frames[builder->n_frames++] = *frame;
  return 0;
}

int dwarf_builder_add_missing(struct dwarf_builder *builder, const struct dwarf_missing *missing)
{
  if (builder->n_missing == builder->missing_capacity) {
    void *grown =
        dwarf_budget_grow(builder->budget, builder->missing, &builder->missing_capacity, sizeof *missing);

    if (!grown)
      return -ENOMEM;
    builder->missing = grown;
  }
  builder->missing[builder->n_missing++] = *missing;
  return 0;
}

/* Units that overlap may claim the same addresses: each place ends before the next address that was asked
 * for, and begins behind the place before. */
static uint32_t builder_part_places(struct dwarf_builder *builder, const uint64_t *addresses, size_t n)
{
  uint32_t n_places = 0;

  for (size_t i = 0; i < n; i++) {
    struct dwarf_place place = builder->places[i],
                       *before = n_places > 0 ? &builder->places[n_places - 1] : NULL;

    if (place.n_frames == 0)
      continue;
    if (before && before->end > addresses[i])
      before->end = addresses[i];
    if (before && before->end > place.start)
      place.start = before->end;
    builder->places[n_places++] = place;
  }
  return n_places;
}

static void text_move(struct dwarf_text *text, uint64_t by)
{
  text->at = text->length > 0 ? (uint32_t)(text->at + by) : 0;
}

static void *image_put(void *at, const void *items, size_t size)
{
  if (size > 0)
    memcpy(at, items, size);
  return (char *)at + size;
}

static void builder_fill(const struct dwarf_builder *builder, struct dwarf_places *places, uint64_t head)
{
  struct dwarf_frame *frames;
  struct dwarf_missing *missing;

  frames = image_put(places + 1, builder->places, places->n_places * sizeof builder->places[0]);
  missing = image_put(frames, builder->frames, builder->n_frames * sizeof *frames);
  image_put(image_put(missing, builder->missing, builder->n_missing * sizeof *missing), builder->bytes,
            builder->size);
  for (uint32_t i = 0; i < builder->n_frames; i++) {
    text_move(&frames[i].function, head);
    text_move(&frames[i].file, head);
    text_move(&frames[i].declared_file, head);
  }
  for (uint32_t i = 0; i < builder->n_missing; i++)
    text_move(&missing[i].path, head);
}

int dwarf_builder_finish(struct dwarf_builder *builder, const uint64_t *addresses, size_t n,
                         struct dwarf_places **ret)
{
  uint32_t n_places = builder_part_places(builder, addresses, n);
  uint64_t head = sizeof **ret + n_places * sizeof builder->places[0] +
                  builder->n_frames * (uint64_t)sizeof *builder->frames +
                  builder->n_missing * (uint64_t)sizeof *builder->missing,
           size = (head + builder->size + 7) & ~(uint64_t)7;
  struct dwarf_places *places = size <= UINT32_MAX ? calloc(1, size) : NULL;

  if (!places)
    return -ENOMEM;
  *places = (struct dwarf_places){.magic = DWARF_PLACES_MAGIC,
                                  .size = (uint32_t)size,
                                  .outcome = dwarf_budget_get_outcome(builder->budget),
                                  .n_places = n_places,
                                  .n_frames = builder->n_frames,
                                  .n_missing = builder->n_missing};
  builder_fill(builder, places, head);
  *ret = places;
  return 0;
}

void dwarf_builder_clear(struct dwarf_builder *builder)
{
  dwarf_map_clear(&builder->texts_by_hash);
  free(builder->texts);
  free(builder->bytes);
  free(builder->frames);
  free(builder->missing);
}
