/* SPDX-License-Identifier: BSD-2-Clause */
/* Ruby's frames: see enum unwind_ruby_field. Part of walk-language.h, which includes it. */
#ifndef WALK_RUBY_H
#define WALK_RUBY_H

#define WALK_RUBY_THREADS_MAX 1024 /* and ractors */
#define WALK_RUBY_LAST        0x20 /* a flag: of its call of the interpreter */
#define WALK_RUBY_NATIVE      0x80 /* likewise: what runs is a C function */
#define WALK_RUBY_ENTRY       12   /* bytes: of an instruction, line and what else is known */

struct walk_ruby_search {
  struct walk *walk;
  uint64_t wanted;
  uint64_t ractors; /* the list of ractors, where it begins and ends */
  uint64_t ractor;  /* the place of one in it */
  uint64_t threads; /* the list of its threads, likewise */
  uint64_t thread;
  uint64_t found;
};

WALK_INLINE uint32_t walk_ruby_thread_id(struct walk *walk, uint64_t thread)
{
  uint64_t native = walk->runtime.fields[UNWIND_RUBY_NATIVE] == 0
                        ? thread
                        : walk_language_word(walk, thread, UNWIND_RUBY_NATIVE);
  return (uint32_t)walk_language_word(walk, native, UNWIND_RUBY_THREAD_ID);
}

WALK_INLINE uint64_t walk_ruby_next(struct walk *walk, uint64_t node)
{
  return node < WALK_ADDRESS_MIN ? 0 : WALK_PEEK(walk, node & ~7ull);
}

/* Whether it is the thread of that number. One that has ended keeps its number, which Ruby's next one may
 * get, but is in no list any more: what stands behind it there does not point back. */
WALK_INLINE int walk_ruby_is(struct walk *walk, uint64_t thread, uint64_t id)
{
  uint64_t next = walk_ruby_next(walk, thread);
  return walk_ruby_thread_id(walk, thread) == id && next != 0 && walk_ruby_next(walk, next + 8) == thread;
}

WALK_INLINE void walk_ruby_next_ractor(struct walk_ruby_search *search)
{
  struct walk *walk = search->walk;
  search->ractor = walk_ruby_next(walk, search->ractor);
  search->threads = search->ractor - walk->runtime.fields[UNWIND_RUBY_NEXT_RACTOR] +
                    walk->runtime.fields[UNWIND_RUBY_THREADS];
  search->thread = walk_ruby_next(walk, search->threads);
}

static long walk_ruby_look_for_thread(uint32_t i, struct walk_ruby_search *search)
{
  struct walk *walk = search->walk;
  (void)i;
  if (search->thread == search->threads) {
    walk_ruby_next_ractor(search);
    return search->ractor == search->ractors || search->ractor == 0;
  }
  if (walk_ruby_is(walk, search->thread, search->wanted))
    search->found = search->thread;
  search->thread = walk_ruby_next(walk, search->thread);
  return search->found != 0 || search->thread == 0;
}

/* The thread's own structure; 0: it has none. Where it was found before is looked at first. Before 3.3 the
 * one thread that a fork leaves has its parent's number: it is the first that there is, if no thread has the
 * process's. */
WALK_FUNCTION uint64_t walk_ruby_find_thread(struct walk *walk)
{
  if (!WALK_RUNS(walk, RUBY))
    return 0;
  uint64_t id = WALK_THREAD(walk);
  struct walk_memo *memo = WALK_MEMO(walk, ~id);
  if (memo && memo->address == ~id && memo->serial == walk->process.serial &&
      walk_ruby_is(walk, memo->rule_words[0], id))
    return memo->rule_words[0];
  uint64_t vm = walk_ruby_next(walk, walk->runtime.address + walk->language.bias);
  struct walk_ruby_search search = {.walk = walk, .wanted = id};
  search.ractor = search.ractors = vm + walk->runtime.fields[UNWIND_RUBY_RACTORS];
  if (vm == 0 || id == 0)
    return 0;
  /* Linux before 6.7 looks at one step of such a loop alone, and takes out what that step cannot come to: it
   * has to begin with what the verifier does not know. */
  walk_ruby_next_ractor(&search);
  uint64_t first = search.thread != search.threads ? search.thread : 0;
  WALK_REPEAT(WALK_RUBY_THREADS_MAX, walk_ruby_look_for_thread, &search);
  if (search.found == 0)
    return WALK_LEADS(walk) ? first : 0;
  walk_remember(walk, ~id, search.found, 0);
  return search.found;
}

/* Finds the thread's frames: language.frame is the innermost one, language.entry where they end. The state
 * says whether it has any, and is returned. */
WALK_FUNCTION int walk_ruby_begin(struct walk *walk)
{
  if (!WALK_RUNS(walk, RUBY))
    return WALK_LANGUAGE_NONE;
  uint64_t context = walk_language_word(walk, walk_ruby_find_thread(walk), UNWIND_RUBY_CONTEXT);
  walk->language.frame = walk_language_word(walk, context, UNWIND_RUBY_TOP);
  walk->language.entry = walk_language_word(walk, context, UNWIND_RUBY_STACK) +
                         walk_language_word(walk, context, UNWIND_RUBY_STACK_WORDS) * 8;
  walk->language.state = WALK_LANGUAGE_NONE;
  if (walk->language.frame != 0 && walk->language.frame < walk->language.entry)
    walk->language.state = WALK_LANGUAGE_READY;
  return (int)walk->language.state;
}

/* Whether the native frame that was come to last is a call of vm_exec. The interpreter that it calls is no
 * frame of its own, unless the walk ends there. */
WALK_INLINE int walk_ruby_is_call(struct walk *walk)
{
  uint64_t address = walk->language.address - walk->language.bias;
  if (address >= walk->runtime.type && address < walk->runtime.names && walk->language.end == 0 &&
      !WALK_KEEPS_INTERPRETER(walk))
    walk->language.word = 0;
  return address >= walk->runtime.code_start && address < walk->runtime.code_end;
}

/* How many entries begin up to the instruction of that number: as succ_index_lookup in Ruby's iseq.c says it,
 * whose tables are 6 words, each with the answers for 9 instructions in 7 bits, and then blocks for 512
 * instructions. */
WALK_INLINE uint32_t walk_ruby_rank(struct walk *walk, uint64_t index, uint32_t number)
{
  if (number < 54)
    return (uint32_t)(WALK_PEEK(walk, (index & ~7ull) + number / 9 * 8) >> number % 9 * 7) & 0x7f;
  uint32_t bit = (number - 54) & 511, word = bit / 64;
  uint64_t block = (index & ~7ull) + 48 + (uint64_t)((number - 54) / 512) * 80;
  uint32_t before = (uint32_t)WALK_PEEK(walk, block);
  if (word != 0)
    before += (uint32_t)(WALK_PEEK(walk, block + 8) >> (word - 1) * 9) & 511;
  uint64_t bits = WALK_PEEK(walk, block + 16 + word * 8) << (63 - (bit & 63));
  bits -= bits >> 1 & 0x5555555555555555ull;
  bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
  return before + (uint32_t)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull >> 56);
}

/* 0: it is not known. The frame says the next instruction. */
WALK_FUNCTION uint32_t walk_ruby_line(struct walk *walk, uint64_t body, uint64_t at)
{
  if (!WALK_RUNS(walk, RUBY))
    return 0;
  uint64_t number = (at - walk_language_word(walk, body, UNWIND_RUBY_INSTRUCTIONS)) / 8;
  uint32_t count = (uint32_t)walk_language_word(walk, body, UNWIND_RUBY_LINES_COUNT);
  uint64_t index = walk_language_word(walk, body, UNWIND_RUBY_LINES_INDEX);
  uint32_t rank = count == 1;
  if (count > 1 && index >= WALK_ADDRESS_MIN && number < 1u << 24)
    rank = walk_ruby_rank(walk, index, (uint32_t)number - (number != 0));
  uint64_t entries = walk_language_word(walk, body, UNWIND_RUBY_LINES);
  if (rank == 0 || rank > count || entries < WALK_ADDRESS_MIN)
    return 0;
  uint64_t entry = entries + (uint64_t)(rank - 1) * WALK_RUBY_ENTRY;
  uint32_t line = (uint32_t)(WALK_PEEK(walk, entry & ~7ull) >> (entry & 7) * 8);
  return line < WALK_WORD_AT_NONE ? line : 0;
}

/* Sets language.word to the next frame's, and goes to its caller. C functions stand among the native ones.
 * What is at no instruction runs none: such frames stand for a file that is loaded, and are the last of no
 * call whatever they say. */
WALK_INLINE void walk_ruby_deliver(struct walk *walk)
{
  uint64_t frame = walk->language.frame;
  uint64_t environment = walk_language_word(walk, frame, UNWIND_RUBY_FLAGS);
  uint64_t flags = environment < WALK_ADDRESS_MIN ? 0 : WALK_PEEK(walk, environment & ~7ull);
  uint64_t code = walk_language_word(walk, frame, UNWIND_RUBY_CODE);
  uint64_t at = walk_language_word(walk, frame, UNWIND_RUBY_AT);
  walk->language.word = 0;
  if ((flags & WALK_RUBY_NATIVE) == 0 && code != 0 && at != 0)
    walk->language.word = walk_language_name(
        walk, code, walk_ruby_line(walk, walk_language_word(walk, code, UNWIND_RUBY_BODY), at));
  walk->language.frame = frame + walk->runtime.fields[UNWIND_RUBY_FRAME_SIZE];
  if (flags == 0 || walk->language.frame >= walk->language.entry)
    walk->language.state = WALK_LANGUAGE_NONE;
  else if ((flags & WALK_RUBY_LAST) != 0 && at != 0)
    walk->language.state = WALK_LANGUAGE_READY;
}

#endif
