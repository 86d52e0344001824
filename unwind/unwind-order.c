/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-order-private.h"

#include <errno.h>
#include <stdlib.h>

/* No description is smaller. */
#define RECORD_MIN 8

struct walk {
  struct unwind_order_entry *entries;
  uint32_t n;
  uint32_t capacity;
  uint64_t low;
  uint64_t high;
};

static uint64_t order_origin(const struct walk *walk)
{
  return walk->low + ((uint64_t)1 << 31);
}

/* In ascending order of address; of those with the same, in that of their offsets. */
static int order_compare(const void *a, const void *b)
{
  const struct unwind_order_entry *x = a, *y = b;

  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (uint32_t)x->fde < (uint32_t)y->fde ? -1 : (uint32_t)x->fde > (uint32_t)y->fde;
}

/* Addresses that are not the file's code are no damage: linkers leave such descriptions of functions they
 * dropped. */
static void order_add(struct walk *walk, uint64_t start, uint64_t offset)
{
  if (start < walk->low || start >= walk->high || walk->n == walk->capacity)
    return;
  walk->entries[walk->n++] =
      (struct unwind_order_entry){(int32_t)(int64_t)(start - order_origin(walk)), (int32_t)(uint32_t)offset};
}

/* Whether a record is one, understood or not: what it begins with makes sense. */
static bool is_sound(const struct unwind_section *section, const struct unwind_record *record)
{
  struct unwind_record cie;

  if (record->is_cie)
    return record->at < record->end && *record->at >= 1 && *record->at <= 4;
  return unwind_cfi_read_record(section, record->cie, &cie) && cie.is_cie;
}

/* Where a record should be and none is, the next one is searched for in steps of what records are aligned to.
 */
static void visit_all(struct walk *walk, struct unwind_section *section, bool until_zero, uint32_t *n_bad)
{
  struct unwind_record record;
  struct unwind_fde fde;
  bool is_lost = false;
  uint32_t length;

  for (uint64_t offset = 0; section->size - offset >= sizeof length;) {
    memcpy(&length, section->bytes + offset, sizeof length);
    if (length == 0 && until_zero)
      return;
    if (length != 0 && unwind_cfi_read_record(section, offset, &record) && is_sound(section, &record)) {
      if (!record.is_cie && unwind_cfi_read_fde(section, offset, &fde))
        order_add(walk, fde.start, offset);
      else if (!record.is_cie)
        ++*n_bad;
      is_lost = false;
      offset += record.size;
      continue;
    }
    if (length != 0 && !is_lost) {
      is_lost = true;
      ++*n_bad;
    }
    offset += sizeof length;
  }
}

static void add_more(struct walk *walk, struct unwind_section *section, const struct unwind_order *more)
{
  struct unwind_fde fde;

  for (uint32_t i = 0; i < more->n; i++) {
    uint64_t offset = unwind_order_fde(more, i);

    if (unwind_cfi_read_fde(section, offset, &fde) && fde.start == unwind_order_start(more, i))
      order_add(walk, fde.start, offset);
  }
}

static void order_sort(struct walk *walk)
{
  uint32_t n = 0;

  for (uint32_t i = 1; i < walk->n; i++) {
    if (order_compare(&walk->entries[i - 1], &walk->entries[i]) > 0) {
      qsort(walk->entries, walk->n, sizeof *walk->entries, order_compare);
      break;
    }
  }
  for (uint32_t i = 0; i < walk->n; i++) {
    if (i == 0 || order_compare(&walk->entries[i - 1], &walk->entries[i]) != 0)
      walk->entries[n++] = walk->entries[i];
  }
  walk->n = n;
}

int unwind_order_make(struct unwind_order *ret, struct unwind_section *section, bool until_zero, uint64_t low,
                      uint64_t high, const struct unwind_order *more, uint32_t *n_bad)
{
  size_t capacity = section->size / RECORD_MIN + (more ? more->n : 0) + 1;
  struct walk walk = {.capacity = (uint32_t)capacity, .low = low, .high = high};

  walk.entries = malloc(capacity * sizeof *walk.entries);
  if (!walk.entries)
    return -ENOMEM;
  visit_all(&walk, section, until_zero, n_bad);
  if (more)
    add_more(&walk, section, more);
  order_sort(&walk);
  *ret = (struct unwind_order){.entries = (const uint8_t *)walk.entries,
                               .n = walk.n,
                               .start_origin = order_origin(&walk),
                               .owned = walk.entries};
  return 0;
}

void unwind_order_clear(struct unwind_order *order)
{
  free(order->owned);
  *order = (struct unwind_order){0};
}
