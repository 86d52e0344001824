/* SPDX-License-Identifier: BSD-2-Clause */
/* PHP's frames: see enum unwind_php_field. Part of walk-language.h, which includes it. */
#ifndef WALK_PHP_H
#define WALK_PHP_H

#define WALK_PHP_FIRST_OF_CALL (1u << 17) /* of a frame's bits */
#define WALK_PHP_INTERNAL      1          /* a type of functions: written in C */
#define WALK_PHP_INSTRUCTION   32         /* bytes */
/* Registers that the interpreter keeps its instruction in. */
#define WALK_PHP_REGISTER(walk) ((walk)->machine == WALK_AARCH64 ? 28 : 15)

WALK_INLINE void walk_php_begin(struct walk *walk)
{
  walk->language.frame =
      walk_language_word(walk, walk->runtime.address + walk->language.bias, UNWIND_PHP_TOP);
  walk->language.second = 0;
  if (walk->language.frame != 0)
    walk->language.state = WALK_LANGUAGE_READY;
}

/* Whether the native frame with this ip is a call of the interpreter. What is interrupted in it has its
 * instruction in a register, and not in the frame yet: that is kept as language.second. */
WALK_INLINE int walk_php_is_call(struct walk *walk, uint64_t ip)
{
  uint64_t address = walk->language.address - walk->language.bias;
  if (address < walk->runtime.code_start || address >= walk->runtime.code_end)
    return 0;
  walk->language.second = walk->language.address == ip ? walk->registers.general[WALK_PHP_REGISTER(walk)] : 0;
  return 1;
}

/* The interpreter may be entering or leaving another function than the frame's: its instruction is another
 * one's then. */
WALK_INLINE int walk_php_is_in(struct walk *walk, uint64_t function, uint64_t opline)
{
  uint64_t begin = walk_language_word(walk, function, UNWIND_PHP_OPCODES);
  uint64_t count = (uint32_t)walk_language_word(walk, function, UNWIND_PHP_COUNT);
  return begin != 0 && opline >= begin && opline - begin < count * WALK_PHP_INSTRUCTION;
}

/* 0: the function has none, or it is not known. */
WALK_INLINE uint32_t walk_php_line(struct walk *walk, uint64_t frame, uint64_t function)
{
  uint64_t second = walk->language.second;
  walk->language.second = 0;
  if ((walk_language_word(walk, function, UNWIND_PHP_TYPE) & 0xff) == WALK_PHP_INTERNAL)
    return 0;
  uint64_t opline = second != 0 && walk_php_is_in(walk, function, second)
                        ? second
                        : walk_language_word(walk, frame, UNWIND_PHP_OPLINE);
  uint32_t line = (uint32_t)walk_language_word(walk, opline, UNWIND_PHP_LINE);
  return line < WALK_WORD_AT_NONE ? line : 0;
}

/* Sets language.word to the next frame's, and goes to its caller. */
WALK_INLINE void walk_php_deliver(struct walk *walk)
{
  uint64_t frame = walk->language.frame;
  uint64_t function = walk_language_word(walk, frame, UNWIND_PHP_FUNCTION);
  uint32_t info = (uint32_t)walk_language_word(walk, frame, UNWIND_PHP_INFO);
  uint32_t line = function != 0 ? walk_php_line(walk, frame, function) : 0;
  walk->language.word = function != 0 ? walk_language_name(walk, function, line) : 0;
  walk->language.frame = walk_language_word(walk, frame, UNWIND_PHP_PREVIOUS);
  if (walk->language.frame == 0)
    walk->language.state = WALK_LANGUAGE_NONE;
  else if ((info & WALK_PHP_FIRST_OF_CALL) != 0)
    walk->language.state = WALK_LANGUAGE_READY;
}

#endif
