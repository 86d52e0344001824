/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-blocks.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* 2^64 / the golden ratio: neighbours are spread. */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

static void *take_memory(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int preload_blocks_init(struct preload_blocks *blocks, uint32_t bits)
{
  size_t n = (size_t)1 << bits;
  blocks->shift = 64 - bits;
  atomic_init(&blocks->lost, 0);
  blocks->buckets = take_memory(n * sizeof *blocks->buckets);
  blocks->weights = take_memory(n * sizeof *blocks->weights);
  if (blocks->buckets && blocks->weights)
    return 0;
  preload_blocks_clear(blocks);
  return -ENOMEM;
}

void preload_blocks_clear(struct preload_blocks *blocks)
{
  size_t n = (size_t)1 << (64 - blocks->shift);
  if (blocks->buckets)
    munmap(blocks->buckets, n * sizeof *blocks->buckets);
  if (blocks->weights)
    munmap(blocks->weights, n * sizeof *blocks->weights);
  blocks->buckets = NULL;
  blocks->weights = NULL;
}

/* The block's first bucket or its second, which lies beside it. */
static size_t bucket_of(const struct preload_blocks *blocks, uintptr_t block, unsigned which)
{
  return (size_t)(block * SPREAD >> blocks->shift) ^ which;
}

static bool add_to(struct preload_blocks *blocks, size_t bucket, uintptr_t block, uint64_t weight)
{
  for (unsigned i = 0; i < PRELOAD_BLOCKS_WAYS; i++) {
    uintptr_t none = 0;
    if (atomic_load_explicit(&blocks->buckets[bucket].blocks[i], memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong(&blocks->buckets[bucket].blocks[i], &none, block)) {
      blocks->weights[bucket][i] = weight;
      return true;
    }
  }
  return false;
}

bool preload_blocks_add(struct preload_blocks *blocks, const void *block, uint64_t weight)
{
  uintptr_t address = (uintptr_t)block;
  if (blocks->buckets) {
    for (unsigned which = 0; which < 2; which++) {
      if (add_to(blocks, bucket_of(blocks, address, which), address, weight))
        return true;
    }
  }
  atomic_fetch_add_explicit(&blocks->lost, 1, memory_order_relaxed);
  return false;
}

static uint64_t take_from(struct preload_blocks *blocks, size_t bucket, uintptr_t block)
{
  for (unsigned i = 0; i < PRELOAD_BLOCKS_WAYS; i++) {
    if (atomic_load_explicit(&blocks->buckets[bucket].blocks[i], memory_order_relaxed) == block) {
      uint64_t weight = blocks->weights[bucket][i];
      atomic_store_explicit(&blocks->buckets[bucket].blocks[i], 0, memory_order_release);
      return weight;
    }
  }
  return 0;
}

uint64_t preload_blocks_take(struct preload_blocks *blocks, const void *block)
{
  uintptr_t address = (uintptr_t)block;
  uint64_t weight = 0;
  for (unsigned which = 0; which < 2 && weight == 0 && blocks->buckets; which++)
    weight = take_from(blocks, bucket_of(blocks, address, which), address);
  return weight;
}
