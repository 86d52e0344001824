/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-spots-private.h"

uint32_t dwarf_spots_search(const struct dwarf_spots *spots, uint64_t address)
{
  uint32_t first = 0, n = spots->n;

  while (n > 0) {
    uint32_t half = n / 2;

    if (spots->items[first + half].address < address) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

void dwarf_spots_bound(struct dwarf_spots *spots, uint64_t address)
{
  uint32_t i = dwarf_spots_search(spots, address);

  if (i < spots->n && spots->items[i].start < address)
    spots->items[i].start = address;
  if (i > 0 && spots->items[i - 1].end > address)
    spots->items[i - 1].end = address;
}

uint32_t dwarf_spots_hold(struct dwarf_spots *spots, const struct dwarf_stretch *stretch, uint32_t function)
{
  uint64_t length = stretch->end - stretch->start;
  uint32_t first = dwarf_spots_search(spots, stretch->start), i;

  for (i = first; i < spots->n && spots->items[i].address < stretch->end; i++) {
    struct dwarf_spot *spot = &spots->items[i];

    if (spot->function != DWARF_SPOT_NONE && spot->length < length)
      continue;
    spot->function = function;
    spot->length = length;
  }
  return i - first;
}

void dwarf_spots_settle(struct dwarf_spots *spots)
{
  for (uint32_t i = 1; i < spots->n; i++)
    if (spots->items[i].start < spots->items[i - 1].start)
      spots->items[i].start = spots->items[i - 1].start;
  for (uint32_t i = spots->n; i > 1; i--)
    if (spots->items[i - 2].end > spots->items[i - 1].end)
      spots->items[i - 2].end = spots->items[i - 1].end;
}
