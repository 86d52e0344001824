/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampled blocks that are live, and what each sample stood for: a hash of fixed size, without a lock. A
 * block is put in before the program has it and taken out before the heap has it again, so that nobody else
 * knows it meanwhile.
 */
#ifndef PRELOAD_BLOCKS_H
#define PRELOAD_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PRELOAD_BLOCKS_WAYS 8 /* of a bucket: a cache line */

struct preload_bucket {
  _Alignas(64) _Atomic uintptr_t blocks[PRELOAD_BLOCKS_WAYS]; /* 0: free */
};

struct preload_blocks {
  struct preload_bucket *buckets; /* NULL: no room for any */
  uint64_t (*weights)[PRELOAD_BLOCKS_WAYS];
  uint32_t shift;        /* 64 - log2 of the buckets */
  _Atomic uint64_t lost; /* that found no room */
};

/* For 8 << bits blocks at most, two buckets each to choose from. Takes memory as it is used. 0 or a negative
 * errno. */
int preload_blocks_init(struct preload_blocks *blocks, uint32_t bits);
void preload_blocks_clear(struct preload_blocks *blocks);
/* False when there is no room, which is counted. */
bool preload_blocks_add(struct preload_blocks *blocks, const void *block, uint64_t weight);
/* What the block stood for, and it is forgotten; 0 when it was not sampled. Async-signal-safe. */
uint64_t preload_blocks_take(struct preload_blocks *blocks, const void *block);

#endif
