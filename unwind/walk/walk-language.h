/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of a language among the native ones: where a native frame is a call of its interpreter, the
 * functions that this call runs are delivered in its place. Part of walk.h, which includes it.
 *
 * All of it is read from memory that the program may write: what cannot be read, or leads nowhere, costs the
 * walk the language's frames from there on, and nothing else. No step reads more than a bounded number of
 * words.
 */
#ifndef WALK_LANGUAGE_H
#define WALK_LANGUAGE_H

#ifndef WALK_H
#error "include unwind/walk/walk.h"
#endif

enum walk_language_state {
  WALK_LANGUAGE_NONE = 0,  /* no runtime, or no frames of it any more */
  WALK_LANGUAGE_BEGIN = 1, /* the thread's own state is to be found */
  WALK_LANGUAGE_READY = 2, /* `frame` is the next one */
  WALK_LANGUAGE_CALL = 3   /* so it is, and runs in the native frame that was come to last */
};

/* A word of a structure; without such a structure, or where it cannot be read, 0. */
WALK_INLINE uint64_t walk_language_word(struct walk *walk, uint64_t structure, uint32_t field)
{
  uint64_t at = structure + walk->runtime.fields[field];
  return structure < WALK_ADDRESS_MIN ? 0 : WALK_PEEK(walk, at & ~7ull) >> (at & 7) * 8;
}

/* What is delivered for a function at a line; 0: it is not known. */
WALK_INLINE uint64_t walk_language_name(struct walk *walk, uint64_t code, uint32_t line)
{
  uint64_t word = WALK_NAME(walk, code, line != 0 ? line - 1 : WALK_WORD_AT_NONE);
  return word != 0 && line != 0 ? word | WALK_WORD_LINE : word;
}

#include "unwind/walk/walk-hotspot.h"
#include "unwind/walk/walk-php.h"
#include "unwind/walk/walk-python.h"
#include "unwind/walk/walk-ruby.h"
#include "unwind/walk/walk-v8.h"

/* What the area says of the process's runtime; walk_begin was called. */
WALK_FUNCTION int walk_language_begin(struct walk *walk)
{
  if (!walk)
    return 0;
  const uint8_t *area = WALK_AREA(walk);
  if (!area || walk->process.n_mappings == 0 || walk->process.generation == 0)
    return 0;
  uint64_t size = WALK_AREA_SIZE(walk);
  uint64_t at = walk->process.mappings + (uint64_t)walk->process.n_mappings * sizeof(struct walk_mapping);
  uint64_t runtime = walk_area_u32(area, size, at + __builtin_offsetof(struct walk_language, runtime));
  if (runtime == 0)
    return 0;
  uint64_t *words = (uint64_t *)(void *)&walk->runtime;
  for (uint32_t i = 0; i < sizeof walk->runtime / 8; i++)
    words[i] = walk_area_u64(area, size, runtime + i * 8);
  if (walk->runtime.kind != WALK_RUNTIME(walk))
    return 0;
  walk->language.bias = walk_area_u64(area, size, at + __builtin_offsetof(struct walk_language, bias));
  walk->language.anchor = 0;
  if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_PYTHON || WALK_RUNTIME(walk) == UNWIND_RUNTIME_RUBY)
    walk->language.state = WALK_LANGUAGE_BEGIN;
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_HOTSPOT)
    walk->language.state = WALK_LANGUAGE_READY;
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_V8)
    walk_v8_begin(walk);
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_PHP)
    walk_php_begin(walk);
  return 0;
}

/* Delivers the next frame of the call as language.word. Returns as walk_next. */
WALK_FUNCTION int walk_language_deliver(struct walk *walk)
{
  if (!walk)
    return WALK_UNSUPPORTED;
  if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_HOTSPOT)
    walk_hotspot_deliver(walk);
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_V8)
    walk_v8_deliver(walk);
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_PYTHON)
    walk_python_deliver(walk);
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_PHP)
    walk_php_deliver(walk);
  else if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_RUBY)
    walk_ruby_deliver(walk);
  return walk->language.state == WALK_LANGUAGE_CALL ? 0 : walk->language.end;
}

/* Of the native frame that had this ip and sp, and was left with `end`: delivers it as language.word, or the
 * first of what it runs. Returns as walk_next. */
WALK_FUNCTION int walk_language_take(struct walk *walk, uint64_t ip, uint64_t sp, int end)
{
  if (!walk)
    return WALK_UNSUPPORTED;
  walk->language.word = ip;
  walk->language.end = end;
  if (WALK_RUNTIME(walk) == UNWIND_RUNTIME_V8) {
    uint64_t high = end == 0 ? walk->registers.sp : ~0ull;
    int innermost = walk->language.address == ip;
    if (!innermost && !walk_v8_is_frame(walk, sp, high))
      return end;
    int in_its_place = walk_v8_take(walk, sp, high, innermost);
    if (walk->language.frame == 0)
      return end;
    walk->language.state = WALK_LANGUAGE_CALL;
    return in_its_place ? walk_language_deliver(walk) : 0;
  }
  int is_call = 0;
  if (walk->language.state == WALK_LANGUAGE_BEGIN && WALK_RUNTIME(walk) == UNWIND_RUNTIME_PYTHON)
    walk_python_begin(walk, sp);
  else if (walk->language.state == WALK_LANGUAGE_BEGIN && WALK_RUNTIME(walk) == UNWIND_RUNTIME_RUBY)
    walk_ruby_begin(walk);
  if (walk->language.state == WALK_LANGUAGE_READY && WALK_RUNTIME(walk) == UNWIND_RUNTIME_PYTHON)
    is_call = walk_python_is_call(walk, ip, sp, end == 0 ? walk->registers.sp : ~0ull);
  else if (walk->language.state == WALK_LANGUAGE_READY && WALK_RUNTIME(walk) == UNWIND_RUNTIME_PHP)
    is_call = walk_php_is_call(walk, ip);
  else if (walk->language.state == WALK_LANGUAGE_READY && WALK_RUNTIME(walk) == UNWIND_RUNTIME_RUBY)
    is_call = walk_ruby_is_call(walk);
  if (!is_call)
    return end;
  walk->language.state = WALK_LANGUAGE_CALL;
  return WALK_KEEPS_INTERPRETER(walk) ? 0 : walk_language_deliver(walk);
}

/* Where it is known beforehand that there is no runtime, the compiler leaves all of that out. */
WALK_INLINE int walk_has_language(const struct walk *walk)
{
  return WALK_RUNTIME(walk) != UNWIND_RUNTIME_NONE && walk->language.state != WALK_LANGUAGE_NONE;
}

/* Goes on by one frame: *ret_word is the address of a native one, or what WALK_NAME made of a language's; 0
 * is nothing to be delivered. Returns 0, or the enum walk_end for which it was the last one. */
WALK_INLINE int walk_next(struct walk *walk, uint64_t *ret_word)
{
  int end;
  if (walk_has_language(walk) && walk->language.state == WALK_LANGUAGE_CALL) {
    end = walk_language_deliver(walk);
    *ret_word = walk->language.word;
    return end;
  }
  int steps_itself = walk_has_language(walk) && WALK_RUNTIME(walk) == UNWIND_RUNTIME_HOTSPOT;
  if (steps_itself && (end = walk_hotspot_step(walk)) != WALK_NOT_OURS) {
    *ret_word = walk->language.word;
    return end;
  }
  uint64_t ip = walk->registers.ip, sp = walk->registers.sp;
  uint32_t by_frame_pointers = walk->by_frame_pointers;
  walk->by_frame_pointers = 0;
  walk->language.fp = walk->registers.fp;
  walk->language.address = ip - ((walk->flags & WALK_EXACT) != 0 ? 0 : 1);
  end = walk_step(walk);
  walk->language.by_frame_pointer = walk->by_frame_pointers;
  walk->by_frame_pointers |= by_frame_pointers;
  *ret_word = ip;
  if (steps_itself || !walk_has_language(walk) || end == WALK_MISSED)
    return end;
  end = walk_language_take(walk, ip, sp, end);
  *ret_word = walk->language.word;
  return end;
}

#endif
