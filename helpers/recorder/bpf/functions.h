/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of languages: each has a number, by which stacks name it, and its name is left in the ring before
 * the first stack that does. All is read of the thread that runs, so that nothing is used again meanwhile.
 */
#ifndef RECORDER_BPF_FUNCTIONS_H
#define RECORDER_BPF_FUNCTIONS_H

#include "helpers/recorder/bpf/walk-memory.h"

#include "helpers/recorder/bpf/raw.h"

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 16384);
  __type(key, struct function_key);
  __type(value, uint32_t);
} functions SEC(".maps");

uint32_t functions_count = 0; /* numbers that were given */
uint32_t functions_second = 0; /* of CLOCK_MONOTONIC, about */
uint32_t functions_told = 0; /* in that second */

/* More functions a second no program needs, but for one that makes work. */
#define FUNCTIONS_A_SECOND 20000

static __always_inline int may_tell(void)
{
  uint32_t second = (uint32_t)(bpf_ktime_get_ns() >> 30);
  if (functions_second != second) {
    functions_second = second;
    functions_told = 0;
  }
  return __sync_fetch_and_add(&functions_told, 1) < FUNCTIONS_A_SECOND;
}

static __always_inline uint64_t piece_word(struct walk *walk, uint32_t field)
{
  uint32_t from = walk->runtime.fields[UNWIND_PYTHON_FIRST_LINE] & ~7u;
  uint32_t index = (walk->runtime.fields[field] - from) / 8;
  return index < PIECE_WORDS ? walk->memory.piece[index & (PIECE_WORDS - 1)] : 0;
}

static __always_inline uint32_t function_check(const struct unnamed *unnamed)
{
  uint64_t hash = unnamed->name * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ unnamed->file) * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ unnamed->lines) * 0x9e3779b97f4a7c15ull;
  return (uint32_t)(hash >> 32) ^ unnamed->first_line;
}

/* Gives the function a number, and remembers it to be told. */
static __always_inline uint32_t new_function(struct walk *walk, const struct function_key *key,
                                             const struct unnamed *unnamed)
{
  uint32_t n = walk->memory.n_unnamed;
  if (n >= UNNAMED_MAX || !may_tell())
    return 0;
  uint32_t number = __sync_fetch_and_add(&functions_count, 1) + 1;
  if (bpf_map_update_elem(&functions, key, &number, BPF_ANY) != 0)
    return 0;
  struct unnamed *kept = &walk->memory.unnamed[n & (UNNAMED_MAX - 1)];
  *kept = *unnamed;
  kept->key = *key;
  kept->number = number;
  walk->memory.n_unnamed = n + 1;
  return number;
}

/* What is delivered for a frame of that code object. */
__noinline uint64_t recorder_name(struct walk *walk, uint64_t code, int64_t at)
{
  struct function_key key = {.code = code};
  struct unnamed unnamed = {0};
  if (!walk || walk->process.generation == 0)
    return WALK_WORD(0, 0);
  uint64_t from = code + (walk->runtime.fields[UNWIND_PYTHON_FIRST_LINE] & ~7u);
  if (bpf_probe_read_user(walk->memory.piece, sizeof walk->memory.piece, (const void *)from) != 0)
    return WALK_WORD(0, 0);
  unnamed.first_line = (uint32_t)(piece_word(walk, UNWIND_PYTHON_FIRST_LINE) >>
                                  (walk->runtime.fields[UNWIND_PYTHON_FIRST_LINE] & 7) * 8);
  unnamed.name = piece_word(walk, UNWIND_PYTHON_NAME);
  unnamed.file = piece_word(walk, UNWIND_PYTHON_FILE);
  unnamed.lines = piece_word(walk, UNWIND_PYTHON_LINES);
  key.generation = walk->process.generation;
  key.check = function_check(&unnamed);
  uint32_t *known = bpf_map_lookup_elem(&functions, &key);
  uint32_t number = known ? *known : new_function(walk, &key, &unnamed);
  if (number == 0 || at < 0 || at >= WALK_WORD_AT_MAX)
    return WALK_WORD(number, 0);
  return WALK_WORD(number, at + 1);
}

/* ── Telling ──────────────────────────────────────────────────────────────────────────────────────────── */

struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(key_size, 4);
  __uint(value_size, 4);
} outputs SEC(".maps");

/* One program may interrupt another on the same CPU, as a tracepoint's is by a wake-up's and both by a
 * sample's: each takes a scratch of its own, by its slot. */
#define SCRATCHES 3

struct told {
  uint32_t pad;
  struct recorder_raw raw; /* what follows it is part of the record */
  struct recorder_raw_function function;
  uint8_t bytes[RECORDER_RAW_FUNCTION_BYTES];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, SCRATCHES);
  __type(key, uint32_t);
  __type(value, struct told);
} tolds SEC(".maps");

struct python_text {
  uint64_t head[2];
  uint64_t length;
  uint64_t hash;
  uint64_t state;
};

#define KIND_BITS  7
#define IS_COMPACT 8
#define IS_ASCII   16

/* Copies a str's characters as they are, at most `room` bytes (a power of two); says how many bytes, and in
 * *ret_width how many each has. */
static __always_inline uint32_t copy_text(struct walk *walk, uint64_t address, uint8_t *to, uint32_t room,
                                          uint8_t *ret_width)
{
  struct python_text text;
  *ret_width = 1;
  if (bpf_probe_read_user(&text, sizeof text, (const void *)address) != 0)
    return 0;
  uint64_t state = text.state >> (walk->runtime.fields[UNWIND_PYTHON_TEXT_STATE] & 31);
  uint32_t width = state & KIND_BITS;
  if ((state & IS_COMPACT) == 0 || (width != 1 && width != 2 && width != 4))
    return 0;
  uint32_t from = walk->runtime.fields[(state & IS_ASCII) != 0 ? UNWIND_PYTHON_TEXT_ASCII
                                                               : UNWIND_PYTHON_TEXT_OTHER];
  uint64_t size = text.length < room ? text.length * width : room;
  if (size > room)
    size = room;
  *ret_width = (state & IS_ASCII) != 0 ? 0 : width;
  return bpf_probe_read_user(to, size, (const void *)(address + from)) == 0 ? size : 0;
}

/* A bytes object's; nothing if it is larger than `room`. */
static __always_inline uint32_t copy_bytes(uint64_t address, uint8_t *to, uint32_t room)
{
  uint64_t size;
  if (bpf_probe_read_user(&size, sizeof size, (const void *)(address + 16)) != 0 || size > room)
    return 0;
  return bpf_probe_read_user(to, size, (const void *)(address + 32)) == 0 ? size : 0;
}

__noinline int recorder_read_function(struct walk *walk, struct told *told, uint32_t i)
{
  if (!walk || !told)
    return 0;
  const struct unnamed *unnamed = &walk->memory.unnamed[i & (UNNAMED_MAX - 1)];
  told->function.number = unnamed->number;
  told->function.generation = walk->process.generation;
  told->function.kind = walk->runtime.kind;
  told->function.version = walk->runtime.version;
  told->function.line = unnamed->first_line;
  told->function.name_size =
      copy_text(walk, unnamed->name, told->bytes, RECORDER_RAW_FUNCTION_NAME, &told->function.name_width);
  told->function.file_size = copy_text(walk, unnamed->file, told->bytes + RECORDER_RAW_FUNCTION_NAME,
                                       RECORDER_RAW_FUNCTION_FILE, &told->function.file_width);
  told->function.lines_size =
      copy_bytes(unnamed->lines, told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE,
                 RECORDER_RAW_FUNCTION_LINES);
  return told->function.lines_size;
}

/* Leaves the names of the functions that the walk came to first. */
static __always_inline void tell_functions(void *context, struct walk *walk, uint32_t slot)
{
  if (walk->memory.n_unnamed == 0)
    return;
  struct told *told = bpf_map_lookup_elem(&tolds, &slot);
  if (!told)
    return;
  for (uint32_t i = 0; i < UNNAMED_MAX && i < walk->memory.n_unnamed; i++) {
    uint64_t size = recorder_read_function(walk, told, i) & 0xffff;
    if (size > RECORDER_RAW_FUNCTION_LINES)
      size = RECORDER_RAW_FUNCTION_LINES;
    told->raw.kind = RECORDER_RAW_FUNCTION;
    told->raw.end = 0;
    told->raw.count = 0;
    told->raw.ip[0] = told->raw.ip[1] = 0;
    size += sizeof told->raw + sizeof told->function + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
    if (bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &told->raw, size) != 0)
      bpf_map_delete_elem(&functions, &walk->memory.unnamed[i].key);
  }
}

#endif
