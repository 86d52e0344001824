/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker's instance in the kernel: how it reads the current thread's memory and the area. */
#ifndef RECORDER_BPF_WALK_MEMORY_H
#define RECORDER_BPF_WALK_MEMORY_H

#include "helpers/recorder/bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include "helpers/recorder/bpf/config.h"
#include "unwind/walk-types.h"

/* The stack is read in chunks, for a call of the kernel's costs as much as a chunk does. An aligned chunk
 * lies in one page: it can be read as a whole or not at all. */
#define CHUNK_SHIFT 10
#define CHUNK_SIZE  (1 << CHUNK_SHIFT)
#define CHUNKS      4

/* Stacks have the same return addresses again and again: rules that were looked up are remembered. */
#define MEMO_SHIFT 9
#define MEMOS      (1 << MEMO_SHIFT)

struct walk_memory {
  uint64_t numbers[CHUNKS]; /* address >> CHUNK_SHIFT of each */
  uint64_t chunks[CHUNKS][CHUNK_SIZE / 8];
  struct walk_memo memos[MEMOS];
  uint64_t mapped; /* number of a chunk that is mapped, though it could not be read; CHUNK_NONE */
};

#define CHUNK_NONE (~0ull)

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __uint(key_size, 4);
  __uint(value_size, 8); /* until it is loaded: config.area_size */
} area SEC(".maps");

const volatile struct recorder_bpf_config config = {.area_size = 8};

struct walk;
static int recorder_read_word(struct walk *walk, uint64_t address, uint64_t *ret_word);

static __always_inline const uint8_t *recorder_area(void)
{
  uint32_t zero = 0;
  return bpf_map_lookup_elem(&area, &zero);
}

#define WALK_FUNCTION                  __noinline
#define WALK_INLINE                    static __always_inline
#define WALK_MEMO(walk, address)       (&(walk)->memory.memos[(address)*0x9e3779b97f4a7c15ull >> (64 - MEMO_SHIFT)])
#define WALK_READ(walk, address, word) recorder_read_word(walk, address, word)
#define WALK_AREA(walk)                recorder_area()
#define WALK_AREA_SIZE(walk)           config.area_size
#include "unwind/walk.h"

struct vm_area_struct;

static long note_mapping(struct task_struct *task, struct vm_area_struct *mapping, void *data)
{
  return 0;
}

/* 0, -ENOENT, or -EBUSY when the mappings may not be looked at. */
__noinline int recorder_find_mapping(uint64_t address)
{
  return (int)bpf_find_vma(bpf_get_current_task_btf(), address, note_mapping, NULL, 0);
}

/* Programs cannot fetch what is not in memory. When the mappings may not be looked at, as a second time in
 * one interrupt, nothing better is known than that it could not be read. */
static __always_inline int why_unreadable(const struct walk *walk, uint64_t number)
{
  return walk->memory.mapped == number || recorder_find_mapping(number << CHUNK_SHIFT) == 0
             ? WALK_NOT_RESIDENT
             : WALK_UNREADABLE;
}

/* Fetches the chunk of that number; 0 or an enum walk_end. */
__noinline int recorder_read_chunk(struct walk *walk, uint64_t number)
{
  if (!walk)
    return WALK_UNREADABLE;
  uint32_t slot = number & (CHUNKS - 1);
  walk->memory.numbers[slot] = CHUNK_NONE;
  if (bpf_probe_read_user(walk->memory.chunks[slot], CHUNK_SIZE, (const void *)(number << CHUNK_SHIFT)) != 0)
    return why_unreadable(walk, number);
  walk->memory.numbers[slot] = number;
  return 0;
}

static __always_inline int recorder_read_word(struct walk *walk, uint64_t address, uint64_t *ret_word)
{
  uint64_t number = address >> CHUNK_SHIFT;
  uint32_t slot = number & (CHUNKS - 1);
  if (walk->memory.numbers[slot] != number) {
    int end = recorder_read_chunk(walk, number);
    if (end != 0)
      return end;
  }
  *ret_word = walk->memory.chunks[slot][address >> 3 & (CHUNK_SIZE / 8 - 1)];
  return 0;
}

#endif
