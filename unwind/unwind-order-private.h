/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions' descriptions in ascending order of their first address: the linker's own search table
 * (.eh_frame_hdr) where it can be used as it stands, else one made by walking over the section.
 */
#ifndef UNWIND_ORDER_PRIVATE_H
#define UNWIND_ORDER_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind-cfi-private.h"

/* As in .eh_frame_hdr. */
struct unwind_order_entry {
  int32_t start;
  int32_t fde;
};

struct unwind_order {
  const uint8_t *entries; /* not aligned */
  uint32_t n;
  uint64_t start_origin;            /* an entry's first address is start + this */
  uint64_t fde_origin;              /* its offset in the section is fde + this */
  struct unwind_order_entry *owned; /* what was made here */
};

static inline struct unwind_order_entry unwind_order_at(const struct unwind_order *order, uint32_t i)
{
  struct unwind_order_entry entry;

  memcpy(&entry, order->entries + (size_t)i * sizeof entry, sizeof entry);
  return entry;
}

static inline uint64_t unwind_order_start(const struct unwind_order *order, uint32_t i)
{
  return order->start_origin + (uint64_t)(int64_t)unwind_order_at(order, i).start;
}

static inline uint64_t unwind_order_fde(const struct unwind_order *order, uint32_t i)
{
  return order->fde_origin + (uint64_t)(int64_t)unwind_order_at(order, i).fde;
}

/* Walks over the section. Descriptions of what is not in [low, high), at most 4 GiB, are left out; *n_bad
 * counts damaged places. `more`, if not NULL, names descriptions that may not be found by walking, for the
 * section is damaged. 0 or -ENOMEM. */
int unwind_order_make(struct unwind_order *ret, struct unwind_section *section, bool until_zero, uint64_t low,
                      uint64_t high, const struct unwind_order *more, uint32_t *n_bad);
void unwind_order_clear(struct unwind_order *order);

#endif
