/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of languages: each has a number, by which stacks name it, and its name is left in the ring before
 * the first stack that does. All is read of the thread that runs, so that nothing is used again meanwhile.
 */
#ifndef RECORDER_BPF_FUNCTIONS_H
#define RECORDER_BPF_FUNCTIONS_H

#include "helpers/recorder/bpf/walk-memory.h"

#include "helpers/recorder/bpf/raw.h"

struct told {
  uint32_t pad;
  struct recorder_raw raw; /* what follows it is part of the record */
  struct recorder_raw_function function;
  uint8_t bytes[RECORDER_RAW_FUNCTION_BYTES];
  uint8_t room[RECORDER_RAW_FUNCTION_LINES]; /* not used: what fits is more than the verifier understands */
};

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 16384);
  __type(key, struct function_key);
  __type(value, uint32_t);
} functions SEC(".maps");

/* Of all objects with programs together, which share it. */
struct function_counts {
  uint32_t numbers; /* that were given */
  uint32_t second;  /* of CLOCK_MONOTONIC, about */
  uint32_t told;    /* in that second */
  uint32_t read;    /* bytes of programs' texts, likewise */
  uint32_t bytes;   /* of what was told, likewise */
  uint32_t epoch;   /* goes on when a number may be without a name */
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, uint32_t);
  __type(value, struct function_counts);
} function_counts SEC(".maps");

/* In the place of a serial, which has 32 bits. */
#define FUNCTION_MEMO (1ull << 32)

/* More functions a second no program needs, but for one that makes work. */
#define FUNCTIONS_A_SECOND 20000
#define TEXT_A_SECOND      (32u << 20)
#define TOLD_A_SECOND      (32u << 20)
/* No number is given twice. */
#define NUMBERS_MAX 0xffff0000u

static __always_inline struct function_counts *count_functions(void)
{
  uint32_t zero = 0, second = (uint32_t)(bpf_ktime_get_ns() >> 30);
  struct function_counts *counted = bpf_map_lookup_elem(&function_counts, &zero);
  if (counted && counted->second != second) {
    counted->second = second;
    counted->told = counted->read = counted->bytes = 0;
  }
  return counted;
}

/* Each processor may pass the limit once. */
static __always_inline int spend(uint32_t *spent, uint32_t amount, uint32_t limit)
{
  if (*spent >= limit)
    return 0;
  __sync_fetch_and_add(spent, amount);
  return 1;
}

/* Whether so many bytes of text may be read in this second. */
static __always_inline int may_read(uint32_t bytes)
{
  struct function_counts *counted = count_functions();
  return counted && spend(&counted->read, bytes, TEXT_A_SECOND);
}

/* Whether so many bytes may be left in the ring in this second. */
static __always_inline int may_tell(uint32_t bytes)
{
  struct function_counts *counted = count_functions();
  return counted && spend(&counted->bytes, bytes, TOLD_A_SECOND);
}

/* Changes nothing of what is within the mask, but tells the verifier: the compiler knows it and leaves out a
 * mere `&`. */
static __always_inline uint32_t mask(uint32_t n, uint32_t bits)
{
  asm volatile("" : "+r"(n));
  return n & bits;
}

/* Copies `size` bytes to told->bytes, as far as there is room at `at`; says how many. */
__noinline uint32_t recorder_copy_text(struct told *told, uint64_t from, uint64_t size, uint32_t at)
{
  if (!told || at > RECORDER_RAW_FUNCTION_NAME)
    return 0;
  if (size > RECORDER_RAW_FUNCTION_FILE)
    size = RECORDER_RAW_FUNCTION_FILE;
  return bpf_probe_read_user(told->bytes + at, size, (const void *)from) == 0 ? size : 0;
}

/* What else might stand at a function's address later differs in one of these. */
static __always_inline uint32_t check_unnamed(const struct unnamed *unnamed)
{
  uint64_t hash = unnamed->name * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ unnamed->file) * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ unnamed->lines) * 0x9e3779b97f4a7c15ull;
  return (uint32_t)(hash >> 32) ^ unnamed->line;
}

#include "helpers/recorder/bpf/functions-hotspot.h"
#include "helpers/recorder/bpf/functions-php.h"
#include "helpers/recorder/bpf/functions-python.h"
#include "helpers/recorder/bpf/functions-ruby.h"
#include "helpers/recorder/bpf/functions-v8.h"

/* 0: no more in this second. */
static __always_inline uint32_t next_number(void)
{
  struct function_counts *counted = count_functions();
  if (!counted || counted->numbers >= NUMBERS_MAX || !spend(&counted->told, 1, FUNCTIONS_A_SECOND))
    return 0;
  return __sync_fetch_and_add(&counted->numbers, 1) + 1;
}

/* Gives the function a number, and remembers it to be told. Only who interrupts nobody may write the map: it
 * has locks, which are not to be waited for while the same processor holds them. */
static __always_inline uint32_t new_function(struct walk *walk, const struct unnamed *unnamed,
                                             const struct function_key *wanted)
{
  uint32_t n = walk->memory.n_unnamed;
  uint32_t number = n < UNNAMED_MAX && walk->memory.slot == 0 ? next_number() : 0;
  if (number == 0 || bpf_map_update_elem(&functions, wanted, &number, BPF_ANY) != 0)
    return 0;
  struct unnamed *kept = &walk->memory.unnamed[n & (UNNAMED_MAX - 1)];
  *kept = *unnamed;
  kept->number = number;
  walk->memory.n_unnamed = n + 1;
  return number;
}

/* Its number; 0: it gets none now. Those that were looked up last are remembered. */
static __always_inline uint32_t find_function(struct walk *walk, const struct unnamed *unnamed)
{
  const struct function_key *key = &unnamed->key;
  struct walk_memo *memo = WALK_MEMO(walk, key->code);
  uint64_t second = (uint64_t)key->generation << 32 | key->check;
  uint64_t serial = FUNCTION_MEMO + walk->memory.told_epoch;
  if (memo->address == key->code && memo->serial == serial && memo->rule_words[0] == second)
    return (uint32_t)memo->rule_words[1];
  struct function_key wanted =
      *key; /* 6.1 takes keys from the stack alone, where a function was given the memory */
  uint32_t *known = bpf_map_lookup_elem(&functions, &wanted);
  uint32_t number = known ? *known : new_function(walk, unnamed, &wanted);
  if (number == 0)
    return 0;
  memo->address = key->code;
  memo->serial = serial;
  memo->rule_words[0] = second;
  memo->rule_words[1] = number;
  return number;
}

static __always_inline int identify(struct walk *walk, uint64_t code, struct unnamed *ret)
{
  switch (RUNTIME) {
  case UNWIND_RUNTIME_V8:
    return v8_identify(walk, code, ret);
  case UNWIND_RUNTIME_HOTSPOT:
    return hotspot_identify(walk, code, ret);
  case UNWIND_RUNTIME_PYTHON:
    return python_identify(walk, code, ret);
  case UNWIND_RUNTIME_PHP:
    return php_identify(walk, code, ret);
  case UNWIND_RUNTIME_RUBY:
    return ruby_identify(walk, code, ret);
  default:
    return 0;
  }
}

/* What is delivered for a frame of the function that stands at that address, `at` units from its beginning
 * (below 0: it is about to begin); 0: it is none, but the runtime's own. */
__noinline uint64_t recorder_name(struct walk *walk, uint64_t code, int64_t at)
{
  if (!walk)
    return 0;
  struct unnamed *unnamed = &walk->memory.identified;
  *unnamed = (struct unnamed){.key = {.code = code}};
  if (!identify(walk, code, unnamed))
    return 0;
  unnamed->key.generation = walk->process.generation;
  uint64_t place = at < 0 ? 0 : at < WALK_WORD_AT_NONE - 1 ? at + 1 : WALK_WORD_AT_NONE;
  return WALK_WORD(find_function(walk, unnamed), place);
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

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, SCRATCHES);
  __type(key, uint32_t);
  __type(value, struct told);
} tolds SEC(".maps");

/* Says how large its lines are; below 0: the function is to be told another time, and as another number. */
__noinline int recorder_read_function(struct walk *walk, struct told *told, uint32_t i)
{
  if (!walk || !told)
    return 0;
  const struct unnamed *unnamed = &walk->memory.unnamed[i & (UNNAMED_MAX - 1)];
  told->function.number = unnamed->number;
  told->function.generation = walk->process.generation;
  told->function.kind = (uint16_t)RUNTIME;
  told->function.version = walk->runtime.version;
  told->function.line = 0;
  told->function.name_size = told->function.file_size = told->function.lines_size = 0;
  told->function.form = RECORDER_RAW_TABLE;
  switch (RUNTIME) {
  case UNWIND_RUNTIME_V8:
    v8_tell(walk, told, i);
    break;
  case UNWIND_RUNTIME_HOTSPOT:
    hotspot_tell(walk, unnamed, told);
    break;
  case UNWIND_RUNTIME_PYTHON:
    python_tell(walk, unnamed, told);
    break;
  case UNWIND_RUNTIME_PHP:
    php_tell(walk, unnamed, told);
    break;
  case UNWIND_RUNTIME_RUBY:
    ruby_tell(walk, unnamed, told);
    break;
  default:
    return 0;
  }
  return told->function.number != 0 ? told->function.lines_size : -1;
}

/* Of a function whose name was not left: it gets another number when it is seen again. */
static __always_inline void forget_function(struct walk *walk, uint32_t i)
{
  const struct function_key key = walk->memory.unnamed[i & (UNNAMED_MAX - 1)].key;
  struct function_counts *counted = count_functions();
  bpf_map_delete_elem(&functions, &key);
  WALK_MEMO(walk, key.code)->serial = 0;
  if (counted)
    __sync_fetch_and_add(&counted->epoch, 1);
}

/* Leaves the names of the functions that the walk came to first. */
static __always_inline void tell_functions(void *context, struct walk *walk, uint32_t slot)
{
  if (RUNTIME == UNWIND_RUNTIME_NONE || walk->memory.n_unnamed == 0)
    return;
  struct told *told = bpf_map_lookup_elem(&tolds, &slot);
  if (!told)
    return;
  for (uint32_t i = 0; i < UNNAMED_MAX && i < walk->memory.n_unnamed; i++) {
    int lines = recorder_read_function(walk, told, i);
    uint64_t size = lines & 0xffff;
    if (size > RECORDER_RAW_FUNCTION_LINES)
      size = RECORDER_RAW_FUNCTION_LINES;
    told->raw.kind = RECORDER_RAW_FUNCTION;
    told->raw.end = 0;
    told->raw.count = 0;
    told->raw.ip[0] = told->raw.ip[1] = 0;
    size +=
        sizeof told->raw + sizeof told->function + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
    if (lines < 0 || !may_tell(size) ||
        bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &told->raw, size) != 0)
      forget_function(walk, i);
  }
}

#endif
