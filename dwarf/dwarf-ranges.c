/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-ranges-private.h"

#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-file-private.h"
#include "unwind/unwind-bytes-private.h"

#define HEADER_32 12
#define HEADER_64 20

/* Code stands in the file that has the skeleton, not in the .dwo. */
static const struct dwarf_unit *unit_get_holder(const struct dwarf_unit *unit)
{
  return unit->skeleton ? unit->skeleton : unit;
}

static bool ranges_open_at(struct dwarf_ranges *ranges, const struct dwarf_bytes *section, uint64_t offset)
{
  if (offset >= section->size)
    return false;
  ranges->at = (const uint8_t *)section->bytes + offset;
  ranges->end = (const uint8_t *)section->bytes + section->size;
  return true;
}

static bool ranges_open_pairs(struct dwarf_ranges *ranges, const struct dwarf_value *list)
{
  const struct dwarf_unit *holder = unit_get_holder(ranges->unit);
  struct dwarf_bytes section = dwarf_elf_section(&holder->file->elf, DWARF_SECTION_RANGES);
  uint64_t offset = list->number;

  if (ranges->unit->skeleton && __builtin_add_overflow(offset, holder->ranges_base, &offset))
    return false;
  ranges->kind = DWARF_RANGES_PAIRS;
  return ranges_open_at(ranges, &section, offset);
}

/* Indices count from the base; split units have none, and mean the first list of their section. */
static bool ranges_open_list(struct dwarf_ranges *ranges, const struct dwarf_value *list)
{
  const struct dwarf_unit *unit = ranges->unit;
  struct dwarf_bytes section = dwarf_unit_section(unit, DWARF_SECTION_RNGLISTS);
  uint64_t base = unit->range_lists_base, offset = list->number;

  ranges->kind = DWARF_RANGES_LIST;
  if (list->kind != DWARF_VALUE_LIST_INDEX)
    return ranges_open_at(ranges, &section, offset);
  if (base == UINT64_MAX)
    base = unit->offset_size == 8 ? HEADER_64 : HEADER_32;
  if (__builtin_mul_overflow(list->number, (uint64_t)unit->offset_size, &offset) ||
      __builtin_add_overflow(base, offset, &offset) ||
      !dwarf_unit_read_at(&section, offset, unit->offset_size, &offset) ||
      __builtin_add_overflow(base, offset, &offset))
    return false;
  return ranges_open_at(ranges, &section, offset);
}

static bool ranges_open_single(struct dwarf_ranges *ranges, const struct dwarf_value *low,
                               const struct dwarf_value *high)
{
  struct dwarf_stretch *single = &ranges->single;

  ranges->kind = DWARF_RANGES_SINGLE;
  if (!dwarf_unit_get_address(ranges->unit, low, &single->start))
    return false;
  if (high->kind == DWARF_VALUE_NUMBER)
    return !__builtin_add_overflow(single->start, high->number, &single->end);
  return dwarf_unit_get_address(ranges->unit, high, &single->end);
}

bool dwarf_ranges_open(struct dwarf_ranges *ret, const struct dwarf_unit *unit, const struct dwarf_value *low,
                       const struct dwarf_value *high, const struct dwarf_value *list)
{
  *ret = (struct dwarf_ranges){.unit = unit, .base = unit_get_holder(unit)->low_pc};
  if (list->kind == DWARF_VALUE_NONE)
    return ranges_open_single(ret, low, high);
  return unit->version < 5 ? ranges_open_pairs(ret, list) : ranges_open_list(ret, list);
}

bool dwarf_ranges_open_unit(struct dwarf_ranges *ret, const struct dwarf_unit *unit)
{
  struct dwarf_value low = {.kind = unit->has_low_pc ? DWARF_VALUE_ADDRESS : DWARF_VALUE_NONE,
                            .number = unit->low_pc};

  return dwarf_ranges_open(ret, unit, &low, &unit->high_pc, &unit->ranges);
}

static bool ranges_read_address(struct dwarf_ranges *ranges, uint64_t *ret)
{
  uint32_t word;

  if (ranges->unit->address_size == 8)
    return unwind_read_uint64(&ranges->at, ranges->end, ret);
  if (!unwind_read_uint32(&ranges->at, ranges->end, &word))
    return false;
  *ret = word;
  return true;
}

static bool ranges_read_index(struct dwarf_ranges *ranges, uint64_t *ret)
{
  uint64_t index;

  return unwind_read_uleb(&ranges->at, ranges->end, &index) &&
         dwarf_unit_find_address(ranges->unit, index, ret);
}

static bool ranges_next_pair(struct dwarf_ranges *ranges, struct dwarf_stretch *ret)
{
  uint64_t base_mark = ranges->unit->address_size == 8 ? UINT64_MAX : UINT32_MAX;

  while (ranges_read_address(ranges, &ret->start) && ranges_read_address(ranges, &ret->end)) {
    if (ret->start == 0 && ret->end == 0)
      return false;
    if (ret->start != base_mark) {
      ret->start += ranges->base;
      ret->end += ranges->base;
      return true;
    }
    ranges->base = ret->end;
  }
  return false;
}

static bool ranges_read_length(struct dwarf_ranges *ranges, struct dwarf_stretch *ret)
{
  uint64_t length;

  return unwind_read_uleb(&ranges->at, ranges->end, &length) &&
         !__builtin_add_overflow(ret->start, length, &ret->end);
}

static bool ranges_read_offsets(struct dwarf_ranges *ranges, struct dwarf_stretch *ret)
{
  if (!unwind_read_uleb(&ranges->at, ranges->end, &ret->start) ||
      !unwind_read_uleb(&ranges->at, ranges->end, &ret->end))
    return false;
  ret->start += ranges->base;
  ret->end += ranges->base;
  return true;
}

static bool ranges_next_listed(struct dwarf_ranges *ranges, struct dwarf_stretch *ret)
{
  uint8_t kind;

  while (unwind_read_uint8(&ranges->at, ranges->end, &kind)) {
    switch (kind) {
    case RLE_BASE_ADDRESSX:
      if (!ranges_read_index(ranges, &ranges->base))
        return false;
      continue;
    case RLE_BASE_ADDRESS:
      if (!ranges_read_address(ranges, &ranges->base))
        return false;
      continue;
    case RLE_STARTX_ENDX:
      return ranges_read_index(ranges, &ret->start) && ranges_read_index(ranges, &ret->end);
    case RLE_STARTX_LENGTH:
      return ranges_read_index(ranges, &ret->start) && ranges_read_length(ranges, ret);
    case RLE_OFFSET_PAIR:
      return ranges_read_offsets(ranges, ret);
    case RLE_START_END:
      return ranges_read_address(ranges, &ret->start) && ranges_read_address(ranges, &ret->end);
    case RLE_START_LENGTH:
      return ranges_read_address(ranges, &ret->start) && ranges_read_length(ranges, ret);
    default:
      return false;
    }
  }
  return false;
}

static bool ranges_next_any(struct dwarf_ranges *ranges, struct dwarf_stretch *ret)
{
  switch (ranges->kind) {
  case DWARF_RANGES_SINGLE:
    ranges->kind = DWARF_RANGES_NONE;
    *ret = ranges->single;
    return true;
  case DWARF_RANGES_PAIRS:
    return ranges_next_pair(ranges, ret);
  case DWARF_RANGES_LIST:
    return ranges_next_listed(ranges, ret);
  default:
    return false;
  }
}

bool dwarf_ranges_next(struct dwarf_ranges *ranges, struct dwarf_stretch *ret)
{
  const struct dwarf_file *file = unit_get_holder(ranges->unit)->file;

  while (ranges_next_any(ranges, ret)) {
    if (dwarf_budget_work(file->budget, 1) < 0)
      return false;
    if (ret->start < ret->end && dwarf_elf_has_code(&file->elf, ret->start))
      return true;
  }
  return false;
}
