/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-builder-private.h"

#include <dwarf.h>

#include "unwind/unwind-interpreter-private.h"

/* Addresses from the rows' base are 32 bits wide. */
#define PLACE_MAX UINT32_MAX

static bool is_executable(const struct unwind_builder *builder, const struct unwind_fde *fde)
{
  for (uint32_t i = 0; i < builder->n_ranges; i++) {
    if (fde->start >= builder->ranges[i].start && fde->end <= builder->ranges[i].end)
      return fde->start >= builder->rows->base && fde->end - builder->rows->base <= PLACE_MAX;
  }
  return false;
}

static bool has_room(const struct unwind_rows *rows, const struct unwind_fde *fde)
{
  return (uint64_t)rows->n + (uint64_t)(fde->program_end - fde->program) / 2 + 2 < rows->capacity;
}

/* Adds a function's rows in [from, until), or none. */
static bool add_rows(struct unwind_builder *builder, const struct unwind_section *section,
                     const struct unwind_fde *fde, uint64_t from, uint64_t until)
{
  struct unwind_rows_mark mark = unwind_rows_mark(builder->rows, from);

  if (has_room(builder->rows, fde) && unwind_interpret_fde(section, fde, from, until, builder->rows)) {
    builder->cursor = until;
    return true;
  }
  unwind_rows_go_back(builder->rows, &mark, until);
  builder->n_bad++;
  return false;
}

/* Whether a description may be read once more: what damaged files can make us do is bounded. */
static bool spend(struct unwind_builder *builder, const struct unwind_fde *fde)
{
  uint64_t size = (uint64_t)(fde->program_end - fde->program) + 16;

  if (size > builder->budget)
    return false;
  builder->budget -= size;
  return true;
}

static void push_outer(struct unwind_builder *builder, uint64_t offset)
{
  if (builder->n_outer == UNWIND_OUTER_MAX) {
    builder->n_bad++;
    return;
  }
  builder->outer[builder->n_outer++] = offset;
}

/* Goes on with functions that others interrupted, up to `until`. */
static bool resume_outer(struct unwind_builder *builder, uint64_t until)
{
  struct unwind_fde fde;
  uint64_t end;

  while (builder->n_outer > 0 && builder->cursor < until) {
    if (!unwind_cfi_read_fde(builder->section, builder->outer[builder->n_outer - 1], &fde))
      return false;
    end = fde.end - builder->rows->base;
    if (end > builder->cursor) {
      if (!spend(builder, &fde))
        return false;
      if (add_rows(builder, builder->section, &fde, builder->cursor, end < until ? end : until) &&
          end > until)
        return true;
    }
    builder->n_outer--;
  }
  return true;
}

static void add_rule(struct unwind_builder *builder, uint64_t at, uint16_t rule)
{
  if (builder->rows->n < builder->rows->capacity)
    unwind_rows_add_rule(builder->rows, at, rule);
}

/* What no description covers between the cursor and `until`: nothing is known of it but a few places. */
static void add_gap(struct unwind_builder *builder, uint64_t until)
{
  uint64_t cursor = builder->cursor, base = builder->rows->base;

  for (uint32_t i = 0; i < builder->n_known; i++) {
    const struct unwind_range *range = &builder->known[i].range;
    uint64_t start = range->start - base;
    uint64_t end = range->end - base < until ? range->end - base : until;

    if (range->start < base || start < cursor || start >= end)
      continue;
    if (start > cursor)
      add_rule(builder, cursor, 0);
    add_rule(builder, start, unwind_rules_number(&builder->rows->rules, builder->known[i].state));
    cursor = end;
  }
  if (cursor < until)
    add_rule(builder, cursor, 0);
}

/* Takes from the spare section what it knows of the addresses between the cursor and `until`. */
static bool add_spare(struct unwind_builder *builder, uint64_t until)
{
  uint64_t base = builder->rows->base, start, end;
  struct unwind_fde fde;

  for (; builder->n_spare < builder->spare_order->n && builder->cursor < until; builder->n_spare++) {
    if (!unwind_cfi_read_fde(builder->spare_section, unwind_order_fde(builder->spare_order, builder->n_spare),
                             &fde) ||
        !is_executable(builder, &fde) || fde.end - base <= builder->cursor)
      continue;
    start = fde.start - base;
    end = fde.end - base < until ? fde.end - base : until;
    if (start >= until)
      return true;
    if (start > builder->cursor) {
      add_gap(builder, start);
      builder->cursor = start;
    }
    if (!spend(builder, &fde))
      return false;
    if (add_rows(builder, builder->spare_section, &fde, builder->cursor, end) && fde.end - base > until)
      return true;
  }
  return true;
}

/* Says of everything up to `until` what is known of it. */
static bool fill(struct unwind_builder *builder, uint64_t until)
{
  if (builder->cursor >= until)
    return true;
  if (builder->n_outer > 0 && !resume_outer(builder, until))
    return false;
  if (builder->spare_section && !add_spare(builder, until))
    return false;
  if (builder->cursor < until)
    add_gap(builder, until);
  builder->cursor = until;
  return true;
}

/* What stands before the beginning of a thread, whose description says at once that nobody called it. */
static bool add_clone(struct unwind_builder *builder, const struct unwind_fde *fde)
{
  uint64_t start = fde->start - builder->rows->base;
  uint32_t size = 0;

  if (fde->program_end - fde->program >= 2 && fde->program[0] == DW_CFA_undefined &&
      fde->program[1] == builder->section->machine->ra)
    size = unwind_known_clone(builder->elf, fde->start);
  if (size == 0 || size > start || builder->cursor > start - size)
    return true;
  if (!fill(builder, start - size))
    return false;
  add_rule(builder, start - size, unwind_rules_number(&builder->rows->rules, unwind_known_clone_state()));
  builder->cursor = start;
  return true;
}

/* A function, up to where the next one begins. */
static bool add_function(struct unwind_builder *builder, uint64_t offset, uint64_t start, uint64_t next)
{
  uint64_t base = builder->rows->base, end;
  struct unwind_fde fde;
  bool is_readable = unwind_cfi_read_fde(builder->section, offset, &fde);

  if (!is_readable || fde.start != start) {
    builder->n_bad++;
    builder->n_moved += is_readable;
    return true;
  }
  builder->covered += fde.size;
  if (fde.start == fde.end)
    return true;
  if (!is_executable(builder, &fde)) {
    builder->n_bad += fde.start != 0;
    return true;
  }
  if (!add_clone(builder, &fde) || !fill(builder, start - base))
    return false;
  end = fde.end - base;
  if (next < end)
    push_outer(builder, offset);
  if (next > end)
    next = end;
  if (next > start - base)
    add_rows(builder, builder->section, &fde, start - base, next);
  return true;
}

bool unwind_builder_add_all(struct unwind_builder *builder, const struct unwind_order *order)
{
  uint64_t base = builder->rows->base;

  for (uint32_t i = 0; i < order->n; i++) {
    uint64_t start = unwind_order_start(order, i);
    uint64_t next = i + 1 < order->n ? unwind_order_start(order, i + 1) : UINT64_MAX;

    if (next < start || (next == start && unwind_order_fde(order, i + 1) == unwind_order_fde(order, i)))
      return false;
    if (start < base)
      builder->n_bad++;
    else if (!add_function(builder, unwind_order_fde(order, i), start, next - base))
      return false;
  }
  return fill(builder, PLACE_MAX);
}
