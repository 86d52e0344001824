/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-index-private.h"

#include <errno.h>
#include <stdlib.h>

/* Ranges of units lie apart; where they do not, more than these are damage. */
#define OVERLAPS_MAX 4096

int dwarf_index_add(struct dwarf_index *index, const struct dwarf_stretch *stretch, struct dwarf_unit *unit)
{
  if (index->n == index->capacity) {
    void *grown = dwarf_budget_grow(index->budget, index->items, &index->capacity, sizeof *index->items);

    if (!grown)
      return -ENOMEM;
    index->items = grown;
  }
  index->items[index->n++] = (struct dwarf_index_item){.stretch = *stretch, .unit = unit};
  return 0;
}

static int index_compare(const void *a, const void *b)
{
  const struct dwarf_index_item *x = a, *y = b;

  if (x->stretch.start != y->stretch.start)
    return x->stretch.start < y->stretch.start ? -1 : 1;
  return x->unit < y->unit ? -1 : x->unit > y->unit;
}

void dwarf_index_settle(struct dwarf_index *index)
{
  uint64_t reach = 0;

  if (index->n > 1)
    qsort(index->items, index->n, sizeof *index->items, index_compare);
  for (uint32_t i = 0; i < index->n; i++) {
    if (index->items[i].stretch.end > reach)
      reach = index->items[i].stretch.end;
    index->items[i].reach = reach;
  }
}

/* How many begin at or before an address. */
static uint32_t index_count(const struct dwarf_index *index, uint64_t address)
{
  uint32_t first = 0, n = index->n;

  while (n > 0) {
    uint32_t half = n / 2;

    if (index->items[first + half].stretch.start <= address) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

static uint64_t item_get_length(const struct dwarf_index_item *item)
{
  return item->stretch.end - item->stretch.start;
}

const struct dwarf_index_item *dwarf_index_find(const struct dwarf_index *index, uint64_t address)
{
  uint32_t end = index_count(index, address), tries = 0;
  const struct dwarf_index_item *best = NULL;

  for (uint32_t i = end; i > 0 && index->items[i - 1].reach > address && tries < OVERLAPS_MAX; i--, tries++) {
    const struct dwarf_index_item *item = &index->items[i - 1];

    if (address < item->stretch.end && (!best || item_get_length(item) <= item_get_length(best)))
      best = item;
  }
  return best;
}
