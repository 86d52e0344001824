/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-places.h"

const struct dwarf_place *dwarf_places_get(const struct dwarf_places *places)
{
  return (const struct dwarf_place *)(places + 1);
}

const struct dwarf_frame *dwarf_places_get_frames(const struct dwarf_places *places)
{
  return (const struct dwarf_frame *)(dwarf_places_get(places) + places->n_places);
}

const struct dwarf_missing *dwarf_places_get_missing(const struct dwarf_places *places)
{
  return (const struct dwarf_missing *)(dwarf_places_get_frames(places) + places->n_frames);
}

const struct dwarf_place *dwarf_places_find(const struct dwarf_places *places, uint64_t address)
{
  const struct dwarf_place *place = dwarf_places_get(places);
  uint32_t n = places->n_places;

  while (n > 0) {
    uint32_t half = n / 2;

    if (place[half].end <= address) {
      place += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return place < dwarf_places_get(places) + places->n_places && place->start <= address ? place : NULL;
}
