/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/stream/addresses.h"

#include <stdlib.h>

#include "helpers/common/memory.h"

#define CAPACITY_MIN 64u
#define CAPACITY_MAX (1u << 20)

void recorder_addresses_clear(struct recorder_addresses *addresses)
{
  free(addresses->items);
  *addresses = (struct recorder_addresses){0};
}

static int addresses_compare(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

void recorder_addresses_sort(struct recorder_addresses *addresses)
{
  size_t kept = 0;
  if (addresses->n_sorted == addresses->count)
    return;
  qsort(addresses->items, addresses->count, sizeof *addresses->items, addresses_compare);
  for (size_t i = 0; i < addresses->count; i++)
    if (kept == 0 || addresses->items[kept - 1] != addresses->items[i])
      addresses->items[kept++] = addresses->items[i];
  addresses->count = addresses->n_sorted = kept;
}

/* The same addresses come again in every epoch: what is there twice goes before more memory is taken. */
static void make_room(struct recorder_addresses *addresses)
{
  recorder_addresses_sort(addresses);
  if (addresses->count <= addresses->capacity / 2 && addresses->capacity != 0)
    return;
  if (addresses->capacity == CAPACITY_MAX)
    return;
  addresses->capacity = addresses->capacity != 0 ? 2 * addresses->capacity : CAPACITY_MIN;
  addresses->items = recorder_reallocate(addresses->items, addresses->capacity, sizeof *addresses->items);
}

void recorder_addresses_add(struct recorder_addresses *addresses, uint64_t address)
{
  if (addresses->count == addresses->capacity)
    make_room(addresses);
  if (addresses->count == addresses->capacity)
    addresses->dropped++;
  else
    addresses->items[addresses->count++] = address;
}
