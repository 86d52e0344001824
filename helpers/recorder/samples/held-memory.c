/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/held-memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "helpers/common/memory.h"

/* A huge page of x86-64 and of aarch64, and where a block begins. */
#define BLOCK_SIZE ((size_t)2 << 20)

struct recorder_held_block {
  struct recorder_held_block *next; /* of the spare ones */
  size_t used;                      /* bytes, from the block's beginning on */
  size_t count;                     /* of what stands there */
};

static struct recorder_held_block *new_block(void)
{
  struct recorder_held_block *block = recorder_allocate_aligned(BLOCK_SIZE, BLOCK_SIZE);
  madvise(block, BLOCK_SIZE, MADV_HUGEPAGE);
  return block;
}

static void open_block(struct recorder_held_memory *memory)
{
  struct recorder_held_block *block = memory->spare;
  if (block != NULL)
    memory->spare = block->next;
  else
    block = new_block();
  *block = (struct recorder_held_block){.used = sizeof *block};
  memory->open = block;
  memory->size += BLOCK_SIZE;
}

void *recorder_held_memory_take(struct recorder_held_memory *memory, size_t size)
{
  size = (size + 7) & ~(size_t)7;
  if (memory->open == NULL || size > BLOCK_SIZE - memory->open->used)
    open_block(memory);
  struct recorder_held_block *block = memory->open;
  void *bytes = (uint8_t *)block + block->used;
  block->used += size;
  block->count++;
  return bytes;
}

void recorder_held_memory_give(struct recorder_held_memory *memory, void *bytes)
{
  struct recorder_held_block *block = (void *)((uintptr_t)bytes & ~(BLOCK_SIZE - 1));
  if (--block->count != 0)
    return;
  if (memory->open == block)
    memory->open = NULL;
  memory->size -= BLOCK_SIZE;
  block->next = memory->spare;
  memory->spare = block;
}

void recorder_held_memory_trim(struct recorder_held_memory *memory, size_t kept)
{
  struct recorder_held_block **place = &memory->spare;
  while (*place != NULL && kept-- != 0)
    place = &(*place)->next;
  while (*place != NULL) {
    struct recorder_held_block *block = *place;
    *place = block->next;
    free(block);
  }
}
