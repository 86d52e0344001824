/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from what finds them, so that whoever is handed places links no parser. */
#include "dwarf/dwarf-places.h"

static bool text_is_valid(const struct dwarf_text *text, uint64_t head, uint64_t size)
{
  return text->length == 0 || (text->at >= head && text->at <= size && text->length <= DWARF_TEXT_MAX &&
                               text->length <= size - text->at);
}

static bool places_ascend(const struct dwarf_places *places)
{
  const struct dwarf_place *place = dwarf_places_get(places);
  uint64_t end = 0;

  for (uint32_t i = 0; i < places->n_places; i++, place++) {
    if (place->start < end || place->end <= place->start || place->n_frames == 0 ||
        place->n_frames > DWARF_FRAMES_MAX || place->first_frame > places->n_frames ||
        place->n_frames > places->n_frames - place->first_frame)
      return false;
    end = place->end;
  }
  return true;
}

static bool frames_are_valid(const struct dwarf_places *places, uint64_t head)
{
  const struct dwarf_frame *frame = dwarf_places_get_frames(places);

  for (uint32_t i = 0; i < places->n_frames; i++, frame++)
    if (!text_is_valid(&frame->function, head, places->size) ||
        !text_is_valid(&frame->file, head, places->size) ||
        !text_is_valid(&frame->declared_file, head, places->size))
      return false;
  return true;
}

static bool missing_are_valid(const struct dwarf_places *places, uint64_t head)
{
  const struct dwarf_missing *missing = dwarf_places_get_missing(places);

  for (uint32_t i = 0; i < places->n_missing; i++, missing++)
    if (!text_is_valid(&missing->path, head, places->size) ||
        missing->build_id_size > sizeof missing->build_id)
      return false;
  return true;
}

bool dwarf_places_are_valid(const void *memory, size_t size)
{
  const struct dwarf_places *places = memory;
  uint64_t head;

  if (size < sizeof *places || places->magic != DWARF_PLACES_MAGIC || places->size != size ||
      places->outcome > DWARF_DAMAGED || places->n_places > DWARF_ADDRESSES_MAX)
    return false;
  head = sizeof *places + places->n_places * (uint64_t)sizeof(struct dwarf_place) +
         places->n_frames * (uint64_t)sizeof(struct dwarf_frame) +
         places->n_missing * (uint64_t)sizeof(struct dwarf_missing);
  return head <= size && places_ascend(places) && frames_are_valid(places, head) &&
         missing_are_valid(places, head);
}
