/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the walker learns from the instructions that a frame will execute next, where no table describes them:
 * when they lead straight to the end of the function, they say where its return address is. So it is with
 * small pieces of code that are made at run time to call something, such as CPython's trampolines for perf,
 * and at the end of any other function. x86-64 only. Part of walk.h, which includes it.
 */
#ifndef WALK_CODE_H
#define WALK_CODE_H

#ifndef WALK_H
#error "include unwind/walk/walk.h"
#endif

/* More instructions than that are no way straight to the end. */
#define WALK_CODE_STEPS 12

/* The frame as the instructions will leave it. */
struct walk_code {
  struct walk *walk;
  uint64_t at;
  uint64_t sp;
  uint64_t fp;
  uint64_t base;
  uint64_t ip;
  uint32_t known; /* WALK_KNOWN_FP, WALK_KNOWN_BASE */
  int end;
};

/* Eight bytes of code; what lies in the next word and cannot be read is 0. */
WALK_INLINE uint64_t walk_code_read(struct walk *walk, uint64_t at)
{
  uint64_t low = 0, high = 0;
  uint32_t shift = (uint32_t)(at & 7) * 8;
  if (walk_read_aside(walk, at & ~7ull, &low) != 0)
    return 0;
  if (shift == 0)
    return low;
  walk_read_aside(walk, (at & ~7ull) + 8, &high);
  return low >> shift | high << (64 - shift);
}

WALK_INLINE int walk_code_pop(struct walk *walk, struct walk_code *code, uint32_t number)
{
  uint64_t word = 0;
  if (number == 5 || number == 3) {
    if (walk_read_aside(walk, code->sp, &word) != 0)
      return 0;
    if (number == 5)
      code->fp = word;
    else
      code->base = word;
    code->known |= number == 5 ? WALK_KNOWN_FP : WALK_KNOWN_BASE;
  }
  code->sp += 8;
  return 1;
}

/* Executes an instruction of which `bytes` are the first ones. Its length; 0: it is none of those that ends
 * of functions are made of. */
WALK_INLINE uint32_t walk_code_execute(struct walk *walk, struct walk_code *code, uint64_t bytes)
{
  uint32_t one = bytes & 0xff, three = bytes & 0xffffff;
  if (one >= 0x58 && one <= 0x5f && one != 0x5c) /* pop */
    return walk_code_pop(walk, code, one - 0x58) ? 1 : 0;
  if (one == 0x41 && (bytes >> 8 & 0xf8) == 0x58) { /* pop of r8 to r15 */
    code->sp += 8;
    return 2;
  }
  if (three == 0xc48348 || three == 0xec8348) { /* add or sub of 8 bits */
    uint64_t change = (uint64_t)(int64_t)(int8_t)(bytes >> 24);
    code->sp += three == 0xc48348 ? change : -change;
    return 4;
  }
  if (three == 0xc48148) { /* add of 32 bits */
    code->sp += (uint64_t)(int64_t)(int32_t)(bytes >> 24);
    return 7;
  }
  if ((bytes & 0xf8ff) == 0xd0ff) /* call of a register */
    return 2;
  if ((bytes & 0xf8ffff) == 0xd0ff41)
    return 3;
  if (one == 0xe8) /* call */
    return 5;
  return three == 0x77f8c5 ? 3 : 0; /* vzeroupper */
}

/* Arrives at the caller; 0, or WALK_NO_TABLE. */
WALK_INLINE int walk_code_return(struct walk *walk, struct walk_code *code)
{
  if (code->sp < walk->registers.sp || (code->sp & 7) != 0 ||
      walk_read_aside(walk, code->sp, &code->ip) != 0 || !walk_is_code(code->ip) ||
      !walk_find_mapping(walk, code->ip - 1))
    return WALK_NO_TABLE;
  code->sp += 8;
  return 0;
}

static long walk_code_step(uint32_t i, struct walk_code *code)
{
  struct walk *walk = code->walk;
  (void)i;
  uint64_t bytes = walk_code_read(walk, code->at);
  if ((bytes & 0xff) == 0xc3) {
    code->end = walk_code_return(walk, code);
    return 1;
  }
  uint32_t length = walk_code_execute(walk, code, bytes);
  code->at += length;
  return length == 0;
}

/* Goes to the caller where the next instructions lead straight to it; 0, or WALK_NO_TABLE with the walk as it
 * was. The loop is one that the verifier looks at once: unrolled, it would take as long as all else. */
WALK_FUNCTION int walk_apply_code(struct walk *walk)
{
  if (!walk || walk->machine != WALK_X86_64)
    return WALK_NO_TABLE;
  struct walk_code code = {.walk = walk,
                           .at = walk->registers.ip,
                           .sp = walk->registers.sp,
                           .fp = walk->registers.fp,
                           .base = walk->registers.base,
                           .known = walk->flags & (WALK_KNOWN_FP | WALK_KNOWN_BASE),
                           .end = WALK_NO_TABLE};
  WALK_REPEAT(WALK_CODE_STEPS, walk_code_step, &code);
  if (code.end != 0)
    return WALK_NO_TABLE;
  walk->registers.ip = code.ip;
  walk->registers.sp = code.sp;
  walk->registers.fp = code.fp;
  walk->registers.base = code.base;
  walk->flags = code.known;
  return 0;
}

#endif
