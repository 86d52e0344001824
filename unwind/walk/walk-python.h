/* SPDX-License-Identifier: BSD-2-Clause */
/* CPython's frames: see enum unwind_python_field. Part of walk-language.h, which includes it. */
#ifndef WALK_PYTHON_H
#define WALK_PYTHON_H

#define WALK_PYTHON_THREADS_MAX 256
/* Of the stack of a thread that was not told its size. */
#define WALK_PYTHON_STACK_MAX (64ull << 20)

/* It was looked for, and is not to be looked for again. */
#define WALK_PYTHON_NO_ANCHOR (~0ull)

#define WALK_PYTHON_3_10 0x030a
#define WALK_PYTHON_3_11 0x030b
#define WALK_PYTHON_3_12 0x030c

struct walk_python_search {
  struct walk *walk;
  uint64_t interpreter;
  uint64_t thread; /* that is looked at next */
  uint64_t wanted; /* by identifier: that, by stack: where it is */
  uint64_t found;
  uint64_t nearest;
  uint64_t last;
};

static long walk_python_look_by_stack(uint32_t i, struct walk_python_search *search)
{
  struct walk *walk = search->walk;
  uint64_t thread = search->thread;
  (void)i;
  uint64_t above = walk_language_word(walk, thread, UNWIND_PYTHON_THREAD_ID) - search->wanted;
  if (above < search->nearest) {
    search->nearest = above;
    search->found = thread;
  }
  search->last = thread;
  search->thread = walk_language_word(walk, thread, UNWIND_PYTHON_NEXT_THREAD);
  return search->thread == 0;
}

static long walk_python_look_by_id(uint32_t i, struct walk_python_search *search)
{
  struct walk *walk = search->walk;
  (void)i;
  if (search->thread == 0) {
    search->interpreter = walk_language_word(walk, search->interpreter, UNWIND_PYTHON_NEXT_INTERPRETER);
    search->thread = walk_language_word(walk, search->interpreter, UNWIND_PYTHON_THREADS);
    return search->interpreter == 0;
  }
  if (walk_language_word(walk, search->thread, UNWIND_PYTHON_THREAD_ID) == search->wanted)
    search->found = search->thread;
  search->thread = walk_language_word(walk, search->thread, UNWIND_PYTHON_NEXT_THREAD);
  return search->found != 0;
}

/* From 3.11 on a thread's state says its identifier, of whichever interpreter it is. Before that
 * pthread_self() is above the thread's stack, in the same piece of memory, but for the first thread, which is
 * the list's last.
 */
WALK_FUNCTION uint64_t walk_python_find_thread(struct walk *walk, uint64_t interpreter, uint64_t wanted)
{
  struct walk_python_search search = {walk, interpreter, 0, wanted, 0, WALK_PYTHON_STACK_MAX, 0};
  if (!WALK_RUNS(walk, PYTHON))
    return 0;
  search.thread = walk_language_word(walk, interpreter, UNWIND_PYTHON_THREADS);
  if (walk->runtime.version < WALK_PYTHON_3_11)
    WALK_REPEAT(WALK_PYTHON_THREADS_MAX, walk_python_look_by_stack, &search); /* which begins with a thread */
  else
    WALK_REPEAT(WALK_PYTHON_THREADS_MAX, walk_python_look_by_id, &search);
  return search.found != 0 ? search.found : search.last;
}

/* The thread's own state; 0: it has none. Where it was found before is looked at first. */
WALK_INLINE uint64_t walk_python_thread(struct walk *walk, uint64_t sp)
{
  uint64_t root = walk->runtime.address + walk->language.bias;
  uint64_t first = walk_language_word(walk, root, UNWIND_PYTHON_INTERPRETERS);
  if (walk->runtime.version < WALK_PYTHON_3_11)
    return walk_python_find_thread(walk, first, sp);
  uint64_t id = WALK_THREAD(walk);
  struct walk_memo *memo = WALK_MEMO(walk, ~id);
  if (memo && memo->address == ~id && memo->serial == walk->process.serial) {
    uint64_t thread = memo->rule_words[0];
    if (walk_language_word(walk, thread, UNWIND_PYTHON_THREAD_ID) == id)
      return thread;
  }
  uint64_t thread = walk_python_find_thread(walk, first, id);
  if (thread != 0)
    walk_remember(walk, ~id, thread, 0);
  return thread;
}

/* Finds the thread's frames; the state says whether it has any, and is returned. */
WALK_FUNCTION int walk_python_begin(struct walk *walk, uint64_t sp)
{
  if (!WALK_RUNS(walk, PYTHON))
    return WALK_LANGUAGE_NONE;
  uint64_t thread = walk_python_thread(walk, sp);
  walk->language.state = WALK_LANGUAGE_NONE;
  if (thread == 0)
    return WALK_LANGUAGE_NONE;
  uint64_t top = walk_language_word(walk, thread, UNWIND_PYTHON_TOP);
  walk->language.frame = top;
  walk->language.entry = 0;
  if (walk->runtime.version == WALK_PYTHON_3_10) {
    walk->language.entry = walk_language_word(walk, thread, UNWIND_PYTHON_ENTRY);
  } else if (walk->runtime.version == WALK_PYTHON_3_11 || walk->runtime.version == WALK_PYTHON_3_12) {
    walk->language.entry = top;
    walk->language.frame = walk_language_word(walk, top, UNWIND_PYTHON_ENTRY_TOP);
  }
  if (walk->language.frame != 0)
    walk->language.state = WALK_LANGUAGE_READY;
  return (int)walk->language.state;
}

WALK_INLINE uint32_t walk_python_owner(struct walk *walk, uint64_t frame)
{
  return walk_language_word(walk, frame, UNWIND_PYTHON_OWNER) & 0xff;
}

static long walk_python_look_for_shim(uint32_t i, struct walk_python_search *search)
{
  (void)i;
  if (walk_python_owner(search->walk, search->wanted) >= search->walk->runtime.fields[UNWIND_PYTHON_SHIM])
    search->found = search->wanted;
  else
    search->wanted = walk_language_word(search->walk, search->wanted, UNWIND_PYTHON_PREVIOUS);
  return search->found != 0 || search->wanted == 0;
}

/* The frame with which the call of the interpreter began that runs `frame`; 0: none was found. */
WALK_FUNCTION uint64_t walk_python_find_shim(struct walk *walk, uint64_t frame)
{
  struct walk_python_search search = {.walk = walk, .wanted = frame};
  if (!WALK_RUNS(walk, PYTHON))
    return 0;
  WALK_REPEAT(WALK_FRAMES_MAX, walk_python_look_for_shim, &search);
  return search.found;
}

/* Where on the native stack the call stands that runs the next frame; 0: nothing of it does, or that is not
 * known. */
WALK_INLINE uint64_t walk_python_anchor(struct walk *walk)
{
  if (walk->runtime.version < WALK_PYTHON_3_12)
    return walk->language.entry;
  if (walk->language.anchor == 0)
    walk->language.anchor = walk_python_find_shim(walk, walk->language.frame);
  if (walk->language.anchor == 0)
    walk->language.anchor = WALK_PYTHON_NO_ANCHOR;
  return walk->language.anchor == WALK_PYTHON_NO_ANCHOR ? 0 : walk->language.anchor;
}

/* Whether the native frame with this ip, whose part of the stack goes from `low` to `high`, is that call. */
WALK_INLINE int walk_python_is_call(struct walk *walk, uint64_t ip, uint64_t low, uint64_t high)
{
  uint64_t anchor = walk_python_anchor(walk);
  if (anchor != 0)
    return anchor >= low && anchor < high;
  uint64_t address = ip - walk->language.bias;
  return address >= walk->runtime.code_start && address < walk->runtime.code_end;
}

/* The instruction, counted in units of 2 bytes; -1: the first one is still to come. */
WALK_INLINE int64_t walk_python_at(struct walk *walk, uint64_t frame, uint64_t code)
{
  uint64_t at = walk_language_word(walk, frame, UNWIND_PYTHON_AT);
  if (walk->runtime.version < WALK_PYTHON_3_10)
    return (int32_t)at >> 1;
  if (walk->runtime.version == WALK_PYTHON_3_10)
    return (int32_t)at;
  return (int64_t)(at - code - walk->runtime.fields[UNWIND_PYTHON_INSTRUCTIONS]) >> 1;
}

/* Goes to the caller of `frame`, whose word was delivered. */
WALK_INLINE void walk_python_advance(struct walk *walk, uint64_t frame)
{
  uint64_t next = walk_language_word(walk, frame, UNWIND_PYTHON_PREVIOUS);
  uint32_t version = walk->runtime.version;
  int is_last = version < WALK_PYTHON_3_11;
  if (version == WALK_PYTHON_3_11)
    is_last = walk_python_owner(walk, frame) != 0;
  if (is_last && walk->language.entry != 0)
    walk->language.entry = walk_language_word(walk, walk->language.entry, UNWIND_PYTHON_ENTRY_PREVIOUS);
  if (version >= WALK_PYTHON_3_12 && next == walk->language.anchor) {
    next = walk_language_word(walk, next, UNWIND_PYTHON_PREVIOUS);
    walk->language.anchor = 0;
    is_last = 1;
  }
  walk->language.frame = next;
  if (next == 0)
    walk->language.state = WALK_LANGUAGE_NONE;
  else if (is_last)
    walk->language.state = WALK_LANGUAGE_READY;
}

/* Sets language.word to the next frame's, and goes to its caller. */
WALK_INLINE void walk_python_deliver(struct walk *walk)
{
  uint64_t frame = walk->language.frame;
  uint64_t code = walk_language_word(walk, frame, UNWIND_PYTHON_CODE) &
                  ~(uint64_t)walk->runtime.fields[UNWIND_PYTHON_TAG];
  int64_t at = walk_python_at(walk, frame, code);
  walk->language.word = WALK_NAME(walk, code, at);
  walk_python_advance(walk, frame);
}

#endif
