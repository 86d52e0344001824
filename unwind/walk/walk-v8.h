/* SPDX-License-Identifier: BSD-2-Clause */
/* V8's frames: see enum unwind_v8_field. All its code keeps the frame pointer, so it is walked already; what
 * is done here is to see which function a frame is of. Part of walk-language.h, which includes it. */
#ifndef WALK_V8_H
#define WALK_V8_H

/* Below the frame pointer. */
#define WALK_V8_CONTEXT  8 /* of a JavaScript function; else what kind of frame it is */
#define WALK_V8_FUNCTION 16
#define WALK_V8_BYTECODE 32 /* if it is interpreted or baseline code */
#define WALK_V8_AT       40 /* if it is interpreted: from the bytecode's beginning, tag included */

#define WALK_V8_TAG_MASK     3
#define WALK_V8_TAG          1 /* of pointers */
#define WALK_V8_TAG_OF_CODE  2 /* beside it, of a pointer to Code where WALK_NAME is given one */
#define WALK_V8_NUMBER_SHIFT 32

/* Instructions begin at multiples of that, behind the head of the object that they are in. */
#define WALK_V8_CODE_ALIGNMENT 64
#define WALK_V8_PUSHED_MAX     4
/* Where the beginning of code is looked for: so much before an address, and all in all in a walk. */
#define WALK_V8_CODE_MAX     (64 << 10)
#define WALK_V8_SEARCHES_MAX (256 << 10)

WALK_INLINE void walk_v8_begin(struct walk *walk)
{
  walk->language.entry = WALK_V8_SEARCHES_MAX;
  walk->language.frame = walk->language.second = 0;
  walk->language.state = WALK_LANGUAGE_READY;
}

WALK_INLINE int walk_v8_is_pointer(uint64_t value)
{
  return (value & WALK_V8_TAG_MASK) == WALK_V8_TAG;
}

/* A word of an object, as all where it cannot be read 0. */
WALK_INLINE uint64_t walk_v8_word(struct walk *walk, uint64_t object, uint32_t field)
{
  uint64_t at = object - WALK_V8_TAG + walk->runtime.fields[field];
  return walk_v8_is_pointer(object) ? WALK_PEEK(walk, at & ~7ull) >> (at & 7) * 8 : 0;
}

/* What the object is. */
WALK_INLINE uint32_t walk_v8_type(struct walk *walk, uint64_t object)
{
  uint64_t map = walk_v8_is_pointer(object) ? WALK_PEEK(walk, (object - WALK_V8_TAG) & ~7ull) : 0;
  return walk_is_code(map) ? walk_v8_word(walk, map, UNWIND_V8_MAP_TYPE) & 0xffff : 0;
}

WALK_INLINE int walk_v8_is(struct walk *walk, uint64_t object, uint32_t type)
{
  return walk_v8_type(walk, object) == walk->runtime.fields[type];
}

WALK_INLINE uint64_t walk_v8_below(struct walk *walk, uint64_t bytes)
{
  return WALK_PEEK(walk, (walk->language.fp - bytes) & ~7ull);
}

/* The function of a script that the frame is of; 0: none. What was found to be one is remembered with what it
 * refers to: as long as that is the same, nothing further is looked at. */
WALK_FUNCTION uint64_t walk_v8_function(struct walk *walk)
{
  if (!WALK_RUNS(walk, V8) || !walk_v8_is_pointer(walk_v8_below(walk, WALK_V8_CONTEXT)))
    return 0;
  uint64_t function = walk_v8_below(walk, WALK_V8_FUNCTION);
  if (!walk_v8_is_pointer(function))
    return 0;
  uint64_t map = WALK_PEEK(walk, (function - WALK_V8_TAG) & ~7ull);
  uint64_t shared = walk_v8_word(walk, function, UNWIND_V8_FUNCTION_SHARED);
  struct walk_memo *memo = WALK_MEMO(walk, function);
  if (memo && memo->address == function && memo->serial == walk->process.serial &&
      memo->rule_words[0] == map && memo->rule_words[1] == shared)
    return function;
  uint32_t type = walk_v8_type(walk, function);
  if (type < walk->runtime.fields[UNWIND_V8_FIRST_FUNCTION] ||
      type > walk->runtime.fields[UNWIND_V8_LAST_FUNCTION] || !walk_v8_is(walk, shared, UNWIND_V8_SHARED) ||
      !walk_v8_is(walk, walk_v8_word(walk, shared, UNWIND_V8_SHARED_SCRIPT), UNWIND_V8_SCRIPT))
    return 0;
  walk_remember(walk, function, map, shared);
  return function;
}

/* Where in the instructions of the code the address is; -1: elsewhere. */
WALK_INLINE int64_t walk_v8_in_code(struct walk *walk, uint64_t code, uint64_t address)
{
  if (!walk_v8_is(walk, code, UNWIND_V8_CODE))
    return -1;
  uint64_t start = walk->runtime.fields[UNWIND_V8_STREAM_CODE] == 0
                       ? code - WALK_V8_TAG + walk->runtime.fields[UNWIND_V8_CODE_START]
                       : walk_v8_word(walk, code, UNWIND_V8_CODE_START);
  uint32_t size = (uint32_t)walk_v8_word(walk, code, UNWIND_V8_CODE_SIZE);
  return address - start < size ? (int64_t)(address - start) : -1;
}

struct walk_v8_search {
  struct walk *walk;
  uint64_t start; /* of instructions, if any begin there */
  uint64_t found;
};

static long walk_v8_look_for_code(uint32_t i, struct walk_v8_search *search)
{
  struct walk *walk = search->walk;
  uint64_t stream = search->start - walk->runtime.fields[UNWIND_V8_STREAM_START] + WALK_V8_TAG;
  (void)i;
  if (walk_v8_is(walk, stream, UNWIND_V8_STREAM)) {
    search->found = walk->runtime.fields[UNWIND_V8_STREAM_CODE] == 0
                        ? stream
                        : walk_v8_word(walk, stream, UNWIND_V8_STREAM_CODE);
    return 1;
  }
  search->start -= WALK_V8_CODE_ALIGNMENT;
  walk->language.entry -= WALK_V8_CODE_ALIGNMENT;
  return walk->language.entry == 0;
}

/* The code that holds the address: what is looked for is the head of the object, which stands before the
 * instructions. 0: none was found. */
WALK_FUNCTION uint64_t walk_v8_code_at(struct walk *walk, uint64_t address)
{
  struct walk_v8_search search = {walk, address & ~(uint64_t)(WALK_V8_CODE_ALIGNMENT - 1), 0};
  if (!WALK_RUNS(walk, V8))
    return 0;
  struct walk_memo *memo = WALK_MEMO(walk, ~address);
  if (memo && memo->address == ~address && memo->serial == walk->process.serial &&
      walk_v8_in_code(walk, memo->rule_words[0], address) >= 0)
    return memo->rule_words[0];
  if (walk->language.entry != 0)
    WALK_REPEAT(WALK_V8_CODE_MAX / WALK_V8_CODE_ALIGNMENT, walk_v8_look_for_code, &search);
  if (walk_v8_in_code(walk, search.found, address) < 0)
    return 0;
  walk_remember(walk, ~address, search.found, 0);
  return search.found;
}

/* Below, at or above UNWIND_V8_KIND_BASELINE: it is another kind of code, baseline or optimised code. */
WALK_INLINE uint32_t walk_v8_kind(struct walk *walk, uint64_t code)
{
  return walk_v8_word(walk, code, UNWIND_V8_CODE_FLAGS) & walk->runtime.fields[UNWIND_V8_KIND_MASK];
}

/* The function that optimised code is of; 0: not known. */
WALK_FUNCTION uint64_t walk_v8_owner(struct walk *walk, uint64_t code)
{
  if (!WALK_RUNS(walk, V8) || walk_v8_kind(walk, code) <= walk->runtime.fields[UNWIND_V8_KIND_BASELINE])
    return 0;
  uint64_t owner = walk_v8_word(walk, walk_v8_word(walk, code, UNWIND_V8_CODE_DEOPT), UNWIND_V8_DEOPT_OWNER);
  if (walk->runtime.fields[UNWIND_V8_OWNER_WRAPPED] != 0)
    owner = walk_v8_word(walk, owner, UNWIND_V8_OWNER_WRAPPED);
  return walk_v8_is(walk, owner, UNWIND_V8_SHARED) ? owner : 0;
}

/* What is delivered for code. */
WALK_INLINE uint64_t walk_v8_name_code(struct walk *walk, uint64_t code, uint64_t shared, uint64_t address)
{
  walk->language.anchor = shared;
  return WALK_NAME(walk, code | WALK_V8_TAG_OF_CODE, walk_v8_in_code(walk, code, address));
}

WALK_INLINE int walk_v8_is_interpreted(struct walk *walk)
{
  return walk_v8_is(walk, walk_v8_below(walk, WALK_V8_BYTECODE), UNWIND_V8_BYTECODE) &&
         (walk_v8_below(walk, WALK_V8_AT) & 1) == 0;
}

/* What is delivered for the function, whose frame it is; if its bytecode is being interpreted, the frame says
 * how far. */
WALK_FUNCTION uint64_t walk_v8_name_other(struct walk *walk, uint64_t function, int interpreted)
{
  if (!WALK_RUNS(walk, V8))
    return 0;
  uint64_t shared = walk_v8_word(walk, function, UNWIND_V8_FUNCTION_SHARED);
  uint64_t at = walk_v8_below(walk, WALK_V8_AT);
  if (!interpreted || (at & 1) != 0)
    return WALK_NAME(walk, shared, WALK_WORD_AT_NONE);
  return WALK_NAME(walk, shared,
                   (int64_t)(at >> WALK_V8_NUMBER_SHIFT) + WALK_V8_TAG -
                       walk->runtime.fields[UNWIND_V8_BYTECODE_DATA]);
}

/* Likewise, with the address in its code. Code may also be what calls the interpreter, a copy for each
 * function. */
WALK_FUNCTION uint64_t walk_v8_name_made(struct walk *walk, uint64_t function, uint64_t address,
                                         int innermost)
{
  if (!WALK_RUNS(walk, V8))
    return 0;
  uint64_t shared = walk_v8_word(walk, function, UNWIND_V8_FUNCTION_SHARED), code = 0;
  if (walk->runtime.fields[UNWIND_V8_FUNCTION_CODE] != 0)
    code = walk_v8_word(walk, function, UNWIND_V8_FUNCTION_CODE);
  if (walk_v8_in_code(walk, code, address) < 0)
    code = walk_v8_code_at(walk, address);
  if (code == 0 || walk_v8_kind(walk, code) < walk->runtime.fields[UNWIND_V8_KIND_BASELINE])
    return walk_v8_name_other(walk, function, walk_v8_is_interpreted(walk));
  uint64_t owner = innermost ? walk_v8_owner(walk, code) : 0;
  if (owner == 0 || owner == shared)
    return walk_v8_name_code(walk, code, shared, address);
  /* Where code begins and ends, the frame is its caller's still, or again. */
  walk->language.second = WALK_NAME(walk, shared, WALK_WORD_AT_NONE);
  return walk_v8_name_code(walk, code, owner, address);
}

enum walk_v8_place {
  WALK_V8_MADE, /* code that V8 made */
  WALK_V8_CALL, /* what calls the interpreter */
  WALK_V8_OTHER /* of a binary: the interpreter's handlers, V8's builtins, whatever is no part of V8 */
};

WALK_FUNCTION int walk_v8_place(struct walk *walk)
{
  if (!WALK_RUNS(walk, V8) || !walk_find_mapping(walk, walk->language.address) ||
      walk->mapping.kind != WALK_MAPPING_TABLE)
    return WALK_V8_MADE;
  uint64_t at = walk->language.address - walk->mapping.bias;
  return at >= walk->runtime.code_start && at < walk->runtime.code_end ? WALK_V8_CALL : WALK_V8_OTHER;
}

/* Where handlers and builtins go back to that have no frame of their own, minus one: it is among the first
 * words of the stack. 0: nowhere in code that V8 made. */
WALK_FUNCTION uint64_t walk_v8_return(struct walk *walk, uint64_t sp)
{
  if (!WALK_RUNS(walk, V8))
    return 0;
  for (uint32_t i = 0; i < WALK_V8_PUSHED_MAX; i++) {
    uint64_t address = WALK_PEEK(walk, (sp & ~7ull) + i * 8) - 1;
    if (walk_is_code(address) && walk_find_mapping(walk, address) && walk->mapping.kind != WALK_MAPPING_TABLE)
      return address;
  }
  return 0;
}

/* Whether the frame that was come to last is one of V8's code, whose part of the stack goes from `low` to
 * `high`: a frame that a table describes is none. */
WALK_INLINE int walk_v8_is_frame(const struct walk *walk, uint64_t low, uint64_t high)
{
  return walk->language.by_frame_pointer && walk->language.fp >= low && walk->language.fp < high;
}

/* Sets what is delivered of the frame's functions. Returns whether it is delivered in the frame's place; else
 * it is behind it, for handlers and builtins that have no frame of their own stand on the function's. */
WALK_FUNCTION int walk_v8_take(struct walk *walk, uint64_t low, uint64_t high, int innermost)
{
  if (!WALK_RUNS(walk, V8))
    return 0;
  uint64_t function = walk_v8_is_frame(walk, low, high) ? walk_v8_function(walk) : 0;
  int place = function != 0 || innermost ? walk_v8_place(walk) : WALK_V8_OTHER;
  uint64_t address = place == WALK_V8_MADE ? walk->language.address : 0;
  if (function != 0) {
    /* The innermost frame may not have been made yet. */
    int interpreted =
        place != WALK_V8_MADE && ((place == WALK_V8_CALL && !innermost) || walk_v8_is_interpreted(walk));
    if (place == WALK_V8_OTHER && innermost && !interpreted)
      address = walk_v8_return(walk, low);
    if (address != 0)
      walk->language.frame = walk_v8_name_made(walk, function, address, place == WALK_V8_MADE && innermost);
    else
      walk->language.frame = walk_v8_name_other(walk, function, interpreted);
  } else if (address != 0) {
    uint64_t code = walk_v8_code_at(walk, address), owner = code == 0 ? 0 : walk_v8_owner(walk, code);
    if (owner != 0)
      walk->language.frame = walk_v8_name_code(walk, code, owner, address);
  }
  return place == WALK_V8_MADE || (place == WALK_V8_CALL && !WALK_KEEPS_INTERPRETER(walk));
}

/* Goes to the next function of the frame. */
WALK_INLINE void walk_v8_deliver(struct walk *walk)
{
  walk->language.word = walk->language.frame;
  walk->language.frame = walk->language.second;
  walk->language.second = 0;
  if (walk->language.frame == 0)
    walk->language.state = WALK_LANGUAGE_READY;
}

#endif
