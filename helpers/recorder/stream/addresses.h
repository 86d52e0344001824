/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of sampled addresses, or offsets. */
#ifndef RECORDER_ADDRESSES_H
#define RECORDER_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

struct recorder_addresses {
  uint64_t *items;
  size_t count;
  size_t capacity;
  size_t n_sorted;  /* of the first items: ascending, each once */
  uint64_t dropped; /* for want of room: a hostile program may have as many as it likes */
};

void recorder_addresses_clear(struct recorder_addresses *addresses);
void recorder_addresses_add(struct recorder_addresses *addresses, uint64_t address);
/* Makes them ascend, each once. */
void recorder_addresses_sort(struct recorder_addresses *addresses);

#endif
