/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker's instance in the kernel: how it reads the current thread's memory and the area. */
#ifndef RECORDER_BPF_WALK_MEMORY_H
#define RECORDER_BPF_WALK_MEMORY_H

#include "helpers/recorder/bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include "helpers/recorder/bpf/config.h"
#include "unwind/walk/walk-types.h"

/* The stack is read in chunks, for a call of the kernel's costs as much as a chunk does. An aligned chunk
 * lies in one page: it can be read as a whole or not at all. */
#define CHUNK_SHIFT 10
#define CHUNK_SIZE  (1 << CHUNK_SHIFT)
#define CHUNKS      4

/* Stacks have the same return addresses again and again: rules that were looked up are remembered. */
#define MEMO_SHIFT 9
#define MEMOS      (1 << MEMO_SHIFT)

/* A function of a language that has no number yet: see functions.h. */
struct function_key {
  uint64_t code;
  uint32_t generation;
  uint32_t check; /* of what the code object refers to: another one may stand there later */
};

struct unnamed {
  struct function_key key;
  uint64_t name;
  uint64_t file;
  uint64_t lines;
  uint32_t line;
  uint32_t number;
};

/* Characters of a string, one behind the other. */
struct text {
  uint64_t address;
  uint32_t length; /* how many */
  uint32_t width;  /* bytes each */
};

/* A language's own structures are small, and lie apart from the stack. */
#define PEEK_SHIFT 7
#define PEEK_SIZE  (1 << PEEK_SHIFT)
#define PEEKS      32
/* No honest stack needs so many of them, and each takes some 60 ns. */
#define FETCHES_MAX 4096

#define UNNAMED_MAX 32
#define PIECE_WORDS 17 /* of a code object, from its type on: up to what says its lines */

struct walk_memory {
  uint64_t numbers[CHUNKS]; /* address >> CHUNK_SHIFT of each */
  uint64_t chunks[CHUNKS][CHUNK_SIZE / 8];
  struct walk_memo memos[MEMOS];
  uint64_t mapped; /* number of a chunk that is mapped, though it could not be read; CHUNK_NONE */
  uint64_t peek_numbers[PEEKS];
  uint64_t peeks[PEEKS][PEEK_SIZE / 8];
  uint64_t piece[PIECE_WORDS];
  struct text text;
  struct unnamed identified; /* here, for a program's stack is small */
  struct unnamed unnamed[UNNAMED_MAX];
  uint32_t n_unnamed;
  uint32_t fetches;    /* of peeks, by this walk */
  uint32_t slot;       /* of the scratch */
  uint32_t told_epoch; /* numbers that were remembered in another one may be without a name */
  uint32_t epoch;      /* frame memos of another one do not hold */
};

/* What runs in frames of machine code that runtimes made, for the first scratch alone: others are seldom
 * used, and interrupt who uses the first one. They hold for a quarter of a second: what was there may
 * be dropped, and other functions be put in its place. */
#define FRAME_MEMO_SHIFT 10
#define FRAME_MEMO_TIME  28

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1 << FRAME_MEMO_SHIFT);
  __type(key, uint32_t);
  __type(value, struct walk_frame_memo);
} frame_memos SEC(".maps");

#define CHUNK_NONE (~0ull)

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __uint(key_size, 4);
  __uint(value_size, 8); /* until it is loaded: config.area_size */
} area SEC(".maps");

const volatile struct recorder_bpf_config config = {.area_size = 8};

/* The one whose frames are followed. */
#ifdef RECORDER_RUNTIMES
#define RUNTIME config.runtime
#else
#define RUNTIME UNWIND_RUNTIME_NONE
#endif

struct walk;
static int recorder_read_word(struct walk *walk, uint64_t address, uint64_t *ret_word);

static __always_inline const uint8_t *recorder_area(void)
{
  uint32_t zero = 0;
  return bpf_map_lookup_elem(&area, &zero);
}

__noinline uint64_t recorder_name(struct walk *walk, uint64_t code, int64_t at);
__noinline uint64_t recorder_thread(struct walk *walk);
__noinline uint64_t recorder_peek(struct walk *walk, uint64_t address);

static __always_inline struct walk_frame_memo *recorder_frame_memo(struct walk *walk, uint64_t address);

#define WALK_FRAME_MEMO(walk, address) recorder_frame_memo(walk, address)
#define WALK_NAME(walk, code, at)      recorder_name(walk, code, at)
#define WALK_THREAD(walk)              recorder_thread(walk)
#define WALK_LEADS(walk)               ((uint32_t)bpf_get_current_pid_tgid() == bpf_get_current_pid_tgid() >> 32)
#define WALK_PEEK(walk, address)       recorder_peek(walk, address)
#define WALK_REPEAT(n, step, state)    bpf_loop(n, step, state, 0)
#define WALK_FUNCTION                  __noinline
#define WALK_INLINE                    static __always_inline
#define WALK_MEMO(walk, address)       (&(walk)->memory.memos[(address)*0x9e3779b97f4a7c15ull >> (64 - MEMO_SHIFT)])
#define WALK_READ(walk, address, word) recorder_read_word(walk, address, word)
#define WALK_AREA(walk)                recorder_area()
#define WALK_AREA_SIZE(walk)           config.area_size
#define WALK_KEEPS_INTERPRETER(walk)   config.interpreter
#define WALK_RUNTIME(walk)             RUNTIME
#include "unwind/walk/walk.h"

static __always_inline struct walk_frame_memo *recorder_frame_memo(struct walk *walk, uint64_t address)
{
  uint32_t index = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> (64 - FRAME_MEMO_SHIFT));
  struct walk_frame_memo *memo = walk->memory.slot == 0 ? bpf_map_lookup_elem(&frame_memos, &index) : NULL;
  if (memo && memo->epoch != walk->memory.epoch) {
    memo->epoch = walk->memory.epoch;
    memo->address = 0;
  }
  return memo;
}

__noinline uint64_t recorder_peek(struct walk *walk, uint64_t address)
{
  if (!walk)
    return 0;
  /* Of the stack there is more already. */
  uint64_t chunk = address >> CHUNK_SHIFT;
  if (walk->memory.numbers[chunk & (CHUNKS - 1)] == chunk)
    return walk->memory.chunks[chunk & (CHUNKS - 1)][address >> 3 & (CHUNK_SIZE / 8 - 1)];
  uint64_t number = address >> PEEK_SHIFT;
  uint32_t slot = number * 0x9e3779b97f4a7c15ull >> 59 & (PEEKS - 1);
  if (walk->memory.peek_numbers[slot] != number) {
    walk->memory.peek_numbers[slot] = CHUNK_NONE;
    if (walk->memory.fetches >= FETCHES_MAX)
      return 0;
    walk->memory.fetches++;
    if (bpf_probe_read_user(walk->memory.peeks[slot], PEEK_SIZE, (const void *)(number << PEEK_SHIFT)) != 0)
      return 0;
    walk->memory.peek_numbers[slot] = number;
  }
  return walk->memory.peeks[slot][address >> 3 & (PEEK_SIZE / 8 - 1)];
}

/* 0: not known. */
__noinline uint64_t recorder_thread(struct walk *walk)
{
  struct bpf_pidns_info info = {0};
  if (!walk || bpf_get_ns_current_pid_tgid(walk->process.namespace_device, walk->process.namespace_inode,
                                           &info, sizeof info) != 0)
    return 0;
  return info.pid;
}

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
