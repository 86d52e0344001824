/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-inlines-private.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/dwarf-entry-private.h"
#include "dwarf/dwarf-file-private.h"
#include "dwarf/dwarf-ranges-private.h"
#include "unwind/unwind-bytes-private.h"

#define ENTRIES_OF_A_LOOK 1024

/* A spot takes less than an entry. */
#define SPOTS_OF_A_WORK 16

struct walk {
  struct dwarf_inlines *inlines;
  struct dwarf_unit *unit;
  struct dwarf_spots *spots; /* NULL: for the index */
  struct dwarf_index *index;
  struct dwarf_stretch own; /* what is in the index already */
  const uint8_t *at;
  uint32_t level; /* the function whose entries are read */
};

static int walk_push(struct walk *walk, uint32_t level)
{
  struct dwarf_inlines *inlines = walk->inlines;

  if (inlines->n_levels == inlines->levels_capacity) {
    void *grown = dwarf_budget_grow(inlines->budget, inlines->levels, &inlines->levels_capacity,
                                    sizeof *inlines->levels);

    if (!grown)
      return -ENOMEM;
    inlines->levels = grown;
  }
  inlines->levels[inlines->n_levels++] = walk->level;
  walk->level = level;
  return 0;
}

/* Goes on behind all that is below an entry. Only ahead: an entry that leads back has no end. */
static int walk_jump(struct walk *walk, const struct dwarf_value *sibling)
{
  uint64_t size = (uint64_t)(walk->unit->end - walk->unit->start);
  const uint8_t *to;

  if (sibling->kind != DWARF_VALUE_REFERENCE || sibling->number > size)
    return -EBADMSG;
  to = walk->unit->start + sibling->number;
  if (to < walk->at)
    return -EBADMSG;
  walk->at = to;
  return 0;
}

static int walk_jump_over(struct walk *walk, const struct dwarf_abbreviation *abbreviation)
{
  struct dwarf_value sibling;

  if (!dwarf_abbreviation_read_sibling(walk->unit, abbreviation, walk->unit->abbreviations, &walk->at,
                                       &sibling))
    return -EBADMSG;
  return walk_jump(walk, &sibling);
}

static int walk_add_function(struct walk *walk, const uint8_t *at, bool is_inlined)
{
  struct dwarf_inlines *inlines = walk->inlines;

  if (inlines->n_functions == inlines->functions_capacity) {
    void *grown = dwarf_budget_grow(inlines->budget, inlines->functions, &inlines->functions_capacity,
                                    sizeof *inlines->functions);

    if (!grown)
      return -ENOMEM;
    inlines->functions = grown;
  }
  inlines->functions[inlines->n_functions++] = (struct dwarf_function){
      .entry = at, .parent = is_inlined ? walk->level : DWARF_SPOT_NONE, .is_inlined = is_inlined};
  return 0;
}

/* Whether spots lie in the range: 1 or 0, or an error. */
static int walk_note_range(struct walk *walk, const struct dwarf_stretch *range)
{
  uint32_t n;
  int error;

  if (!walk->spots)
    return range->start >= walk->own.start && range->end <= walk->own.end
               ? 0
               : dwarf_index_add(walk->index, range, walk->unit);
  n = dwarf_spots_hold(walk->spots, range, walk->inlines->n_functions);
  dwarf_spots_bound(walk->spots, range->start);
  dwarf_spots_bound(walk->spots, range->end);
  error = dwarf_budget_work(walk->inlines->budget, n / SPOTS_OF_A_WORK);
  return error < 0 ? error : n > 0;
}

/* Whether the function holds spots: 1 or 0, or an error. Where its ranges cannot be read it is taken to hold
 * what the functions inlined in it hold; so it is before DWARF 3, when an entry has one range: where the
 * function lies in several it is the first, and what is inlined in the others lies outside. */
static int walk_read_ranges(struct walk *walk, const struct dwarf_extent *extent)
{
  struct dwarf_ranges ranges;
  struct dwarf_stretch range;
  int hits = 0;

  if (!dwarf_ranges_open(&ranges, walk->unit, &extent->low_pc, &extent->high_pc, &extent->ranges))
    return 1;
  while (dwarf_ranges_next(&ranges, &range)) {
    int hit = walk_note_range(walk, &range);

    if (hit < 0)
      return hit;
    hits |= hit;
  }
  return hits || walk->unit->version < 3;
}

/* The entry at `start` of a function that has addresses, or lies in one that holds spots; walk->at stands
 * behind its code. */
static int walk_function(struct walk *walk, const uint8_t *start,
                         const struct dwarf_abbreviation *abbreviation)
{
  bool is_inlined = abbreviation->flags & DWARF_IS_INLINED;
  struct dwarf_extent extent;
  int hit, error;

  if (!dwarf_entry_read_extent(walk->unit, abbreviation, &walk->at, &extent))
    return -EBADMSG;
  hit = walk_read_ranges(walk, &extent);
  error = hit > 0 ? walk_add_function(walk, start, is_inlined) : hit;
  if (error < 0 || !(abbreviation->flags & DWARF_HAS_CHILDREN))
    return error;
  if (!hit && is_inlined && extent.sibling.kind != DWARF_VALUE_NONE)
    return walk_jump(walk, &extent.sibling);
  return walk_push(walk, hit ? walk->inlines->n_functions - 1 : DWARF_SPOT_NONE);
}

/* Whether nothing below an entry is of use, and it says where the next one beside it stands. */
static bool walk_can_jump(const struct walk *walk, const struct dwarf_abbreviation *abbreviation)
{
  uint16_t needed = DWARF_HAS_CHILDREN | DWARF_HAS_SIBLING;

  if ((abbreviation->flags & needed) != needed)
    return false;
  return abbreviation->flags & DWARF_HOLDS_NO_CODE ||
         (abbreviation->flags & DWARF_IS_INLINED && walk->level == DWARF_SPOT_NONE);
}

static int walk_other(struct walk *walk, const struct dwarf_abbreviation *abbreviation)
{
  if (walk_can_jump(walk, abbreviation))
    return walk_jump_over(walk, abbreviation);
  if (!dwarf_abbreviation_skip(walk->unit, abbreviation, walk->unit->abbreviations, &walk->at))
    return -EBADMSG;
  if (!(abbreviation->flags & DWARF_HAS_CHILDREN))
    return 0;
  return walk_push(walk, abbreviation->flags & DWARF_IS_FUNCTION ? DWARF_SPOT_NONE : walk->level);
}

static int walk_entry(struct walk *walk)
{
  const struct dwarf_abbreviation *abbreviation;
  const uint16_t code = DWARF_HAS_CODE | DWARF_IS_FUNCTION;
  const uint8_t *start = walk->at;
  uint64_t number;

  if (!unwind_read_uleb(&walk->at, walk->unit->end, &number))
    return -EBADMSG;
  if (number == 0) {
    if (walk->inlines->n_levels > 0)
      walk->level = walk->inlines->levels[--walk->inlines->n_levels];
    return 0;
  }
  abbreviation = dwarf_abbreviations_find(walk->unit->abbreviations, number);
  if (!abbreviation)
    return -EBADMSG;
  if (walk->level != DWARF_SPOT_NONE ? abbreviation->flags & (DWARF_HAS_CODE | DWARF_IS_INLINED)
                                     : (abbreviation->flags & code) == code)
    return walk_function(walk, start, abbreviation);
  return walk_other(walk, abbreviation);
}

static int walk_run(struct walk *walk)
{
  uint32_t work = 0;
  int error = dwarf_abbreviations_read(walk->unit);

  walk->at = walk->unit->entries;
  walk->inlines->n_functions = walk->inlines->n_levels = 0;
  while (error == 0 && walk->at < walk->unit->end) {
    error = walk_entry(walk);
    if (error == 0 && ++work == ENTRIES_OF_A_LOOK) {
      error = dwarf_budget_work(walk->inlines->budget, work);
      work = 0;
    }
  }
  return error;
}

int dwarf_inlines_find(struct dwarf_inlines *inlines, struct dwarf_unit *unit, struct dwarf_spots *spots)
{
  struct walk walk = {.inlines = inlines, .unit = unit, .spots = spots, .level = DWARF_SPOT_NONE};

  return walk_run(&walk);
}

int dwarf_inlines_index(struct dwarf_inlines *inlines, struct dwarf_unit *unit, struct dwarf_index *index)
{
  struct walk walk = {.inlines = inlines, .unit = unit, .index = index, .level = DWARF_SPOT_NONE};
  struct dwarf_ranges ranges;

  if (!dwarf_ranges_open_unit(&ranges, unit) || !dwarf_ranges_next(&ranges, &walk.own))
    walk.own = (struct dwarf_stretch){0};
  return walk_run(&walk);
}

void dwarf_inlines_clear(struct dwarf_inlines *inlines)
{
  free(inlines->functions);
  free(inlines->levels);
  *inlines = (struct dwarf_inlines){0};
}
