/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-builder-private.h"

#include "unwind/unwind-constants-private.h"

/* What is seldom done, out of the way of what is done for every function. */
#define COLD __attribute__((cold, noinline))

/* Addresses from the rows' base are 32 bits wide. */
#define PLACE_MAX UINT32_MAX

static COLD bool find_range(struct unwind_builder *builder, const struct unwind_fde *fde)
{
  uint64_t low = builder->rows->base, high;

  if (__builtin_add_overflow(low, PLACE_MAX, &high))
    high = UINT64_MAX;
  for (uint32_t i = 0; i < builder->n_ranges; i++) {
    struct unwind_range range = builder->ranges[i];

    range.start = range.start > low ? range.start : low;
    range.end = range.end < high ? range.end : high;
    if (fde->start >= range.start && fde->end <= range.end) {
      builder->range = range;
      return true;
    }
  }
  return false;
}

static inline bool is_executable(struct unwind_builder *builder, const struct unwind_fde *fde)
{
  return (fde->start >= builder->range.start && fde->end <= builder->range.end) || find_range(builder, fde);
}

static inline bool has_room(const struct unwind_rows *rows, const struct unwind_fde *fde)
{
  return (uint64_t)rows->n + (uint64_t)(fde->program_end - fde->program) / 2 + 2 < rows->capacity;
}

/* Adds a function's rows in [from, until), or none. */
static inline bool add_rows(struct unwind_builder *builder, const struct unwind_section *section,
                            const struct unwind_fde *fde, uint64_t from, uint64_t until)
{
  if (UNWIND_UNLIKELY(!has_room(builder->rows, fde) ||
                      !unwind_interpret_fde(&builder->interpreter, section, fde, from, until))) {
    builder->n_bad++;
    return false;
  }
  builder->cursor = until;
  return true;
}

/* Whether a description may be read once more: what damaged files can make us do is bounded. */
static bool builder_spend(struct unwind_builder *builder, const struct unwind_fde *fde)
{
  uint64_t size = (uint64_t)(fde->program_end - fde->program) + 16;

  if (size > builder->budget)
    return false;
  builder->budget -= size;
  return true;
}

static COLD void push_outer(struct unwind_builder *builder, uint64_t offset)
{
  if (builder->n_outer == UNWIND_OUTER_MAX) {
    builder->n_bad++;
    return;
  }
  builder->outer[builder->n_outer++] = offset;
  builder->plain_until = 0;
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
      if (!builder_spend(builder, &fde))
        return false;
      if (add_rows(builder, builder->section, &fde, builder->cursor, end < until ? end : until) &&
          end > until)
        return true;
    }
    builder->n_outer--;
  }
  return true;
}

static inline void add_rule(struct unwind_builder *builder, uint64_t at, uint16_t rule)
{
  if (builder->rows->n < builder->rows->capacity)
    unwind_rows_add_rule(builder->rows, at, rule);
}

/* Whether something is known that begins between the cursor and `until`. */
static bool has_known(struct unwind_builder *builder, uint64_t until)
{
  uint64_t base = builder->rows->base;

  while (builder->n_known > 0 &&
         (builder->known->range.start < base || builder->known->range.start - base < builder->cursor)) {
    builder->known++;
    builder->n_known--;
  }
  return builder->n_known > 0 && builder->known->range.start - base < until;
}

/* Of what is neither described nor known, up to `until`, the code is read. */
static void add_unknown(struct unwind_builder *builder, uint64_t until)
{
  if (until - builder->cursor < UNWIND_ASSEMBLY_MIN)
    add_rule(builder, builder->cursor, 0);
  else
    unwind_assembly_add(builder->assembly, builder->rows, builder->cursor, until);
  builder->cursor = until;
}

/* What no description covers between the cursor and `until`: a few places are known, the rest is read. */
static void add_gap(struct unwind_builder *builder, uint64_t until)
{
  uint64_t base = builder->rows->base;

  while (has_known(builder, until)) {
    uint64_t start = builder->known->range.start - base, end = builder->known->range.end - base;

    if (start > builder->cursor)
      add_unknown(builder, start);
    add_rule(builder, start, unwind_rules_number(&builder->rows->rules, builder->known->state));
    builder->cursor = end < until ? end : until;
  }
  if (builder->cursor < until)
    add_unknown(builder, until);
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
    if (start > builder->cursor)
      add_gap(builder, start);
    if (!builder_spend(builder, &fde))
      return false;
    if (add_rows(builder, builder->spare_section, &fde, builder->cursor, end) && fde.end - base > until)
      return true;
  }
  return true;
}

/* Says of everything from the cursor up to `until` what is known of it. */
static COLD bool fill_gap(struct unwind_builder *builder, uint64_t until)
{
  uint64_t base = builder->rows->base;

  if (builder->n_outer > 0 && !resume_outer(builder, until))
    return false;
  if (builder->spare_section && !add_spare(builder, until))
    return false;
  if (builder->cursor < until)
    add_gap(builder, until);
  if (!builder->spare_section && builder->n_outer == 0)
    builder->plain_until = has_known(builder, UINT64_MAX) ? builder->known->range.start - base : PLACE_MAX;
  return true;
}

static inline bool builder_fill(struct unwind_builder *builder, uint64_t until)
{
  if (builder->cursor >= until)
    return true;
  if (UNWIND_UNLIKELY(until > builder->plain_until || until - builder->cursor >= UNWIND_ASSEMBLY_MIN))
    return fill_gap(builder, until);
  add_rule(builder, builder->cursor, 0);
  builder->cursor = until;
  return true;
}

/* What stands before the beginning of a thread. */
static COLD bool add_clone(struct unwind_builder *builder, const struct unwind_fde *fde)
{
  uint64_t start = fde->start - builder->rows->base;
  uint32_t size = unwind_known_clone(builder->elf, fde->start);

  if (size == 0 || size > start || builder->cursor > start - size)
    return true;
  if (!builder_fill(builder, start - size))
    return false;
  add_rule(builder, start - size, unwind_rules_number(&builder->rows->rules, unwind_known_clone_state()));
  builder->cursor = start;
  return true;
}

/* Whether a function may be the beginning of a thread, for its description says at once that nobody called
 * it.
 */
static inline bool is_uncalled(const struct unwind_builder *builder, const struct unwind_fde *fde)
{
  return fde->program_end - fde->program >= 2 && fde->program[0] == DW_CFA_undefined &&
         fde->program[1] == builder->section->machine->ra;
}

/* A function whose description is of another address than the order says, or is none. */
static COLD bool skip_function(struct unwind_builder *builder, bool is_readable)
{
  builder->n_bad++;
  builder->n_moved += is_readable;
  return true;
}

/* A function, up to where the next one begins; addresses from the rows' base. */
static inline bool add_function(struct unwind_builder *builder, uint64_t offset, uint64_t start,
                                uint64_t next)
{
  const uint64_t base = builder->rows->base;
  struct unwind_fde fde;
  bool is_readable = unwind_cfi_read_fde(builder->section, offset, &fde);
  uint64_t end = fde.end - base;

  if (UNWIND_UNLIKELY(!is_readable || fde.start - base != start))
    return skip_function(builder, is_readable);
  builder->covered += fde.size;
  if (UNWIND_UNLIKELY(start == end))
    return true;
  if (UNWIND_UNLIKELY(!is_executable(builder, &fde))) {
    builder->n_bad += fde.start != 0;
    return true;
  }
  if (UNWIND_UNLIKELY(is_uncalled(builder, &fde)) && !add_clone(builder, &fde))
    return false;
  if (!builder_fill(builder, start))
    return false;
  if (UNWIND_UNLIKELY(next < end))
    push_outer(builder, offset);
  else
    next = end;
  if (next > start)
    add_rows(builder, builder->section, &fde, start, next);
  return true;
}

bool unwind_builder_add_all(struct unwind_builder *builder, const struct unwind_order *order)
{
  const uint64_t base = builder->rows->base;
  uint64_t start = order->n > 0 ? unwind_order_start(order, 0) : 0, next;

  unwind_interpreter_init(&builder->interpreter, builder->rows);
  for (uint32_t i = 0; i < order->n; i++, start = next) {
    next = i + 1 < order->n ? unwind_order_start(order, i + 1) : UINT64_MAX;
    if (next < start || (next == start && unwind_order_fde(order, i + 1) == unwind_order_fde(order, i)))
      return false;
    if (start < base)
      builder->n_bad++;
    else if (!add_function(builder, unwind_order_fde(order, i), start - base, next - base))
      return false;
  }
  return builder_fill(builder, PLACE_MAX);
}
