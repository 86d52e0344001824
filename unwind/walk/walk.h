/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walker: from a thread's registers to the addresses of its stack, by tables (unwind-table.h) and frame
 * pointers. One source: BPF programs, the recorder, importers and the preload library include it, each with
 * its own way to the memory. No dependencies, no allocation, no recursion, no loop without a bound;
 * async-signal-safe. Whoever only wants the types includes walk-types.h; unwind-walk.h is this walker for
 * ordinary programs.
 *
 * Whatever stands in the area (walk-types.h), the walker reads only inside of it: offsets are masked, loops
 * are bounded. So an area that is being changed costs a wrong frame at worst.
 *
 * The includer defines, before it includes this header:
 *   struct walk_memory              what it needs to read the thread's memory; it becomes walk->memory
 *   WALK_READ(walk, address, &word) reads a word (uint64_t) of the thread's memory, at a multiple of 8; 0, or
 *                                   an enum walk_end
 *   WALK_AREA(walk)                 the area, a const uint8_t * aligned to 8, or NULL
 *   WALK_AREA_SIZE(walk)            its size, a power of two
 * and may define
 *   WALK_FUNCTION, WALK_INLINE      how larger and smaller functions are declared: `static inline`, or for
 *                                   the verifier's sake `__noinline` (it looks at a global function once,
 *                                   whoever calls it) and `static __always_inline`
 *   WALK_MEMO(walk, address)        a struct walk_memo * where the rule of that address may be remembered,
 *                                   the same for the same address, zero at first; or NULL
 *   WALK_NAME(walk, code, at)       what is delivered for a language's frame (walk-language.h): a WALK_WORD
 *   WALK_THREAD(walk)               the thread, as its own namespace numbers it
 *   WALK_PEEK(walk, address)        a word of its memory, at a multiple of 8; 0 where it cannot be read
 *   (the last three together)
 *   WALK_LEADS(walk)                whether the thread is its process's first
 *   WALK_REPEAT(n, step, state)     calls step(i, state) for i from 0 on, at most n times, until it is not 0
 *   WALK_FRAME_MEMO(walk, address)  as WALK_MEMO, a struct walk_frame_memo *
 *   WALK_RUNTIME(walk)              the runtime whose frames are followed, where it is known beforehand
 *   WALK_KEEPS_INTERPRETER(walk)    whether an interpreter's native frame is delivered, too
 */
#ifndef WALK_H
#define WALK_H

#include "unwind/walk/walk-types.h"

#ifndef WALK_READ
#error                                                                                                       \
    "walk.h needs WALK_READ, WALK_AREA and WALK_AREA_SIZE; for the types alone include unwind/walk/walk-types.h"
#endif
#ifndef WALK_FUNCTION
#define WALK_FUNCTION static inline
#endif
#ifndef WALK_INLINE
#define WALK_INLINE static inline
#endif
#ifndef WALK_REPEAT
#define WALK_REPEAT(n, step, state)                                                                          \
  for (uint32_t walk_i = 0; walk_i < (n) && step(walk_i, state) == 0; walk_i++)                              \
  continue
#endif
#ifndef WALK_FRAME_MEMO
#define WALK_FRAME_MEMO(walk, address) ((struct walk_frame_memo *)0)
#endif
#ifndef WALK_RUNTIME
#define WALK_RUNTIME(walk) ((walk)->runtime.kind)
#endif
#define WALK_RUNS(walk, name) ((walk) && WALK_RUNTIME(walk) == UNWIND_RUNTIME_##name)
#ifndef WALK_KEEPS_INTERPRETER
#define WALK_KEEPS_INTERPRETER(walk) 0
#endif
#ifndef WALK_LEADS
#define WALK_LEADS(walk) 0
#endif
#ifndef WALK_MEMO
#define WALK_MEMO(walk, address) ((struct walk_memo *)0)
#endif

/* Where no program has code: what a null pointer and its neighbours point to, and the kernel's half. */
#define WALK_ADDRESS_MIN 0x1000ull
#define WALK_ADDRESS_MAX (1ull << 56)

/* What is known of the frame that walk->registers describe. */
enum walk_flags {
  WALK_EXACT = 1 << 0,         /* ip is where it stood, no return address */
  WALK_IN_KERNEL = 1 << 1,     /* ip is where the kernel was entered */
  WALK_KNOWN_FP = 1 << 2,      /* fp */
  WALK_KNOWN_BASE = 1 << 3,    /* base */
  WALK_KNOWN_GENERAL = 1 << 4, /* general and link */
  WALK_KNOWN_ALL = WALK_KNOWN_FP | WALK_KNOWN_BASE | WALK_KNOWN_GENERAL
};

/* The head of the table that was searched last; offsets are in the area. */
struct walk_table {
  uint64_t base;
  uint32_t bucket_shift;
  uint32_t n_buckets;
  uint32_t n_rows;
  uint32_t n_rules;
  uint32_t buckets;
  uint32_t rows;
  uint32_t rules;
};

/* A walk. The includer sets registers, process, machine, address_mask and memory, calls walk_begin, and then
 * walk_step from frame to frame. */
struct walk {
  struct walk_registers registers; /* of the frame that the walk has come to; its address is registers.ip */
  struct walk_process process;
  uint64_t address_mask; /* what of a return address is the address: all bits, or on aarch64 those without tag
                            and authentication code */
  uint32_t machine;      /* WALK_X86_64 or WALK_AARCH64 */
  uint32_t flags;        /* enum walk_flags */
  uint32_t by_frame_pointers; /* WALK_END_BY_FRAME_POINTERS once a frame was left so; else 0 */
  /* Of the walk itself: */
  struct {
    uint64_t word;  /* that was delivered last */
    uint64_t bias;  /* runtime address - address in the file, of the runtime's binary */
    uint64_t frame; /* the next one */
    uint64_t entry; /* as the next ones: see the walkers of the runtimes */
    uint64_t anchor;
    uint64_t second;
    uint64_t address;          /* of the native frame that was come to last, where it was looked up, */
    uint64_t fp;               /* its frame pointer, */
    int32_t end;               /* how it was left, */
    uint32_t by_frame_pointer; /* and whether by that */
    uint32_t state;            /* enum walk_language_state */
    uint32_t reserved;
  } language;
  struct unwind_runtime runtime; /* unless language.state is WALK_LANGUAGE_NONE */
  struct {
    uint32_t generation; /* of the process whose the next ones are; 0: nobody's */
    uint32_t is_stub;    /* what the frame has called */
    uint64_t low;        /* of the code cache */
    uint64_t high;
    uint64_t call;        /* where the stub that calls Java is returned to */
    uint64_t interpreter; /* if it was come to */
    uint64_t interpreter_size;
    struct {
      uint64_t low;
      uint64_t high;
      uint64_t segments; /* their map */
      uint64_t shift;    /* of the size of one */
    } heaps[4];
    uint64_t name; /* of nmethods; 0: none was come to */
    uint64_t blob; /* the frame's */
    uint32_t kind;
    uint32_t size;  /* of the frame, in words */
    uint32_t check; /* differs when there is another nmethod by now */
    uint32_t scope; /* where what the frame runs is described; 0: nowhere */
    uint16_t fields[UNWIND_HOTSPOT_READ + 3];
  } hotspot;                   /* see walk-hotspot.h */
  struct walk_mapping mapping; /* where the last address was found */
  struct walk_table table;     /* mapping's */
  union {
    struct unwind_rule rule; /* that was found last */
    uint64_t rule_words[2];
  };
  struct walk_memory memory;
};

/*
 * Rules of the game, each with a test:
 *
 * A return address is looked up minus one, frame 0 and what was interrupted by a signal never. Where the
 * sample was taken in the kernel, by a syscall, ip may stand one behind its function: looked up minus one
 * when exactly there is no rule.
 *
 * sp grows from frame to frame, but for a signal's frame, for UNWIND_CFA_FP_ELSEWHERE (both lead to another
 * stack), and for a CFA that is no offset of sp or fp.
 *
 * UNWIND_SAVED_SAME keeps a register; it is not lost.
 *
 * A frame in WALK_MAPPING_FRAME_POINTERS, outside of all mappings with WALK_PROCESS_FRAME_POINTERS, or
 * without a rule although its mapping has a table (code of a just-in-time compiler that was made when it was
 * built), is left by what its next instructions say (walk-code.h), or by its frame pointer: fp must not lie
 * below sp, be aligned, and *(fp + 8) lie in an executable mapping. The latter is noted, for it proves
 * nothing of what lies between. A rule that was read from code (UNWIND_RULE_BY_CODE) is noted likewise.
 *
 * Addresses delivered are the return addresses themselves (as perf's callchains have them).
 */

#include "unwind/walk/walk-search.h"

/* A word of the thread's memory; 0 or an enum walk_end. */
WALK_INLINE int walk_read(struct walk *walk, uint64_t address, uint64_t *ret_word)
{
  return (address & 7) == 0 ? WALK_READ(walk, address, ret_word) : WALK_BAD_FRAME;
}

/* What the rule's CFA is an offset of; 0 or an enum walk_end. */
WALK_INLINE int walk_cfa_base(const struct walk *walk, uint64_t *ret_base)
{
  uint32_t needs = 0;
  switch (walk->rule.cfa) {
  case UNWIND_CFA_SP:
  case UNWIND_CFA_SP_DEREF:
  case UNWIND_CFA_CLONE:
    *ret_base = walk->registers.sp;
    break;
  case UNWIND_CFA_PLT:
    *ret_base = walk->registers.sp + ((walk->registers.ip & 15) >= walk->rule.operand ? 8 : 0);
    break;
  case UNWIND_CFA_FP:
  case UNWIND_CFA_FP_DEREF:
  case UNWIND_CFA_FP_ELSEWHERE:
    *ret_base = walk->registers.fp;
    needs = WALK_KNOWN_FP;
    break;
  case UNWIND_CFA_BASE:
    *ret_base = walk->registers.base;
    needs = WALK_KNOWN_BASE;
    break;
  case UNWIND_CFA_REGISTER:
    if (walk->rule.operand >= 32)
      return WALK_UNSUPPORTED;
    *ret_base = walk->registers.general[walk->rule.operand & 31];
    needs = WALK_KNOWN_GENERAL;
    break;
  default:
    return WALK_UNSUPPORTED;
  }
  return (walk->flags & needs) == needs ? 0 : WALK_UNSUPPORTED;
}

/* The CFA by the rule; 0 or an enum walk_end. */
WALK_INLINE int walk_cfa(struct walk *walk, uint64_t *ret_cfa)
{
  uint64_t cfa = 0;
  int end = walk_cfa_base(walk, &cfa);
  if (end != 0)
    return end;
  cfa += (uint64_t)(int64_t)walk->rule.cfa_offset;
  switch (walk->rule.cfa) {
  case UNWIND_CFA_SP_DEREF:
  case UNWIND_CFA_FP_DEREF:
    end = walk_read(walk, cfa, &cfa);
    if (end != 0)
      return end;
    cfa += (uint64_t)(int64_t)walk->rule.cfa_add;
    break;
  case UNWIND_CFA_SP:
  case UNWIND_CFA_PLT:
  case UNWIND_CFA_FP:
  case UNWIND_CFA_CLONE:
    /* Only whose return address is in a register can have left the stack as its caller had it. */
    if (cfa < walk->registers.sp ||
        (cfa == walk->registers.sp && UNWIND_SAVED_RA(walk->rule.saved) == UNWIND_SAVED_AT_CFA))
      return WALK_BAD_FRAME;
    break;
  default:
    break;
  }
  *ret_cfa = cfa;
  return (cfa & 7) == 0 ? 0 : WALK_BAD_FRAME;
}

WALK_INLINE uint64_t walk_words_from(uint64_t address, int16_t words)
{
  return address + (uint64_t)((int64_t)words * 8);
}

/* Whose return address is in a register has not called yet: it is the innermost frame. */
WALK_INLINE int walk_return_address(struct walk *walk, uint64_t cfa, uint64_t *ret_ip)
{
  uint32_t number = (uint16_t)walk->rule.ra_at;
  switch (UNWIND_SAVED_RA(walk->rule.saved)) {
  case UNWIND_SAVED_AT_CFA:
    return walk_read(walk, walk_words_from(cfa, walk->rule.ra_at), ret_ip);
  case UNWIND_SAVED_SAME:
    number = walk->machine == WALK_AARCH64 ? 30 : 32;
    break;
  case UNWIND_SAVED_IN_REGISTER:
    break;
  default:
    return WALK_UNSUPPORTED;
  }
  if (number >= 32 || (walk->flags & WALK_KNOWN_GENERAL) == 0)
    return WALK_UNSUPPORTED;
  *ret_ip = walk->registers.general[number & 31];
  return 0;
}

/* A register of the caller's: read when the frame has saved it; *known loses its flag when it is lost. */
WALK_INLINE int walk_restore(struct walk *walk, uint32_t saved, uint64_t address, uint32_t flag,
                             uint64_t *value, uint32_t *known)
{
  uint64_t word = 0;
  int end = 0;
  switch (saved) {
  case UNWIND_SAVED_SAME:
    return 0;
  case UNWIND_SAVED_AT_CFA:
    end = walk_read(walk, address, &word);
    /* What lies below sp is popped again, so that the register has it; copies of stacks begin at sp. */
    if (end == WALK_UNREADABLE && address < walk->registers.sp)
      return 0;
    *known |= flag;
    *value = word;
    return end;
  default:
    *known &= ~flag;
    return 0;
  }
}

/* Sets fp, base and flags to the caller's. */
WALK_INLINE int walk_restore_saved(struct walk *walk, uint64_t cfa)
{
  const struct unwind_rule *rule = &walk->rule;
  uint64_t fp = walk->registers.fp, base = walk->registers.base;
  uint32_t known = walk->flags & (WALK_KNOWN_FP | WALK_KNOWN_BASE);
  uint64_t from = (rule->flags & UNWIND_RULE_FROM_SP) != 0 ? walk->registers.sp : cfa;
  if ((rule->flags & UNWIND_RULE_FROM_FP) != 0) {
    if ((known & WALK_KNOWN_FP) == 0)
      return WALK_UNSUPPORTED;
    from = fp;
  }
  int end = walk_restore(walk, UNWIND_SAVED_FP(rule->saved), walk_words_from(from, rule->fp_at),
                         WALK_KNOWN_FP, &fp, &known);
  if (end == 0)
    end = walk_restore(walk, UNWIND_SAVED_BASE(rule->saved), walk_words_from(from, rule->base_at),
                       WALK_KNOWN_BASE, &base, &known);
  if (end != 0)
    return end;
  walk->registers.fp = fp;
  walk->registers.base = base;
  walk->flags = known | ((rule->flags & UNWIND_RULE_SIGNAL) != 0 ? WALK_EXACT : 0);
  return 0;
}

/* Whether walk->rule says that this frame is the root of the stack. */
WALK_INLINE int walk_is_root(const struct walk *walk)
{
  if (walk->rule.cfa == UNWIND_CFA_CLONE)
    return (walk->flags & WALK_KNOWN_GENERAL) != 0 && walk->registers.general[walk->rule.operand & 31] == 0;
  return UNWIND_SAVED_RA(walk->rule.saved) == UNWIND_SAVED_UNDEFINED;
}

_Static_assert((int)UNWIND_RULE_BY_CODE == (int)WALK_END_BY_FRAME_POINTERS, "one is made the other");

/* Goes to the caller by walk->rule, which is no signal frame's. */
WALK_INLINE int walk_apply_rule(struct walk *walk)
{
  walk->by_frame_pointers |= walk->rule.flags & UNWIND_RULE_BY_CODE;
  if (walk_is_root(walk))
    return WALK_COMPLETE;
  uint64_t cfa = 0, ip = 0;
  int end = walk_cfa(walk, &cfa);
  if (end == 0)
    end = walk_return_address(walk, cfa, &ip);
  if (end != 0)
    return end;

  ip &= walk->address_mask;
  /* The kernel begins a program with nothing in the link register. */
  if (ip == 0 && walk->machine == WALK_AARCH64 && UNWIND_SAVED_RA(walk->rule.saved) == UNWIND_SAVED_SAME)
    return WALK_COMPLETE;
  /* Who makes a stack for a coroutine puts it where its first function looks for its caller. */
  if (ip == 0 && UNWIND_SAVED_RA(walk->rule.saved) == UNWIND_SAVED_AT_CFA && walk->by_frame_pointers == 0)
    return WALK_COMPLETE;
  if (!walk_is_code(ip))
    return WALK_NO_TABLE;
  end = walk_restore_saved(walk, cfa);
  if (end != 0)
    return end;
  walk->registers.ip = ip;
  walk->registers.sp = cfa;
  if (walk->rule.cfa == UNWIND_CFA_FP_ELSEWHERE)
    walk->by_frame_pointers = WALK_END_BY_FRAME_POINTERS;
  return 0;
}

/* The registers by their names. */
WALK_INLINE void walk_name_registers(struct walk_registers *registers, uint32_t machine)
{
  int aarch64 = machine == WALK_AARCH64;
  registers->sp = registers->general[aarch64 ? 31 : 7];
  registers->fp = registers->general[aarch64 ? 29 : 6];
  registers->base = aarch64 ? 0 : registers->general[3];
  registers->link = aarch64 ? registers->general[30] : 0;
}

/* DWARF's number of the register that stands at that word of the kernel's struct sigcontext. */
WALK_INLINE uint32_t walk_signal_register(uint32_t machine, uint32_t word)
{
  /* A digit a word, the lowest first: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp. */
  return machine == WALK_AARCH64 ? word : (uint32_t)(0x72013645fedcba98ull >> (word & 15) * 4) & 15;
}

/* Like walk_read, once for all that is seldom. */
WALK_FUNCTION int walk_read_aside(struct walk *walk, uint64_t address, uint64_t *ret_word)
{
  return walk && ret_word ? walk_read(walk, address, ret_word) : WALK_UNREADABLE;
}

/* Restores the register that stands at that word, whose address is given. */
WALK_FUNCTION int walk_restore_interrupted(struct walk *walk, uint64_t address, uint32_t word)
{
  uint64_t value = 0;
  if (!walk)
    return WALK_UNSUPPORTED;
  int end = walk_read(walk, address, &value);
  if (end == 0)
    walk->registers.general[walk_signal_register(walk->machine, word) & 31] = value;
  return end;
}

/* Goes to what a signal interrupted: the kernel saved all registers on the stack. */
WALK_FUNCTION int walk_apply_signal(struct walk *walk)
{
  if (!walk)
    return WALK_UNSUPPORTED;
  uint32_t machine = walk->machine, n = machine == WALK_AARCH64 ? 32 : 16;
  uint64_t at = walk->registers.sp + (uint64_t)(int64_t)walk->rule.cfa_offset;
  uint64_t word = 0;
  for (uint32_t i = 0; i < 32 && i < n; i++) {
    int end = walk_restore_interrupted(walk, at + i * 8, i);
    if (end != 0)
      return end;
  }
  int end = walk_read_aside(walk, at + n * 8, &word);
  if (end != 0)
    return end;
  word &= walk->address_mask;
  if (WALK_IS_WORD(word))
    return WALK_BAD_FRAME;
  walk_name_registers(&walk->registers, machine);
  walk->registers.ip = word;
  walk->flags = WALK_EXACT | WALK_KNOWN_ALL;
  return 0;
}

/* Goes to the caller by frame pointer. */
WALK_FUNCTION int walk_apply_frame_pointer(struct walk *walk)
{
  if (!walk)
    return WALK_UNSUPPORTED;
  uint64_t frame = walk->registers.fp;
  uint64_t fp = 0;
  uint64_t ip = 0;
  if ((walk->flags & WALK_KNOWN_FP) == 0)
    return WALK_NO_TABLE;
  if (frame == 0)
    return WALK_FRAME_POINTERS;
  if (frame < walk->registers.sp || (frame & 7) != 0)
    return WALK_NO_TABLE;
  int end = walk_read_aside(walk, frame, &fp);
  if (end != 0)
    return end;
  end = walk_read_aside(walk, frame + 8, &ip);
  if (end != 0)
    return end;
  ip &= walk->address_mask;
  if (ip == 0)
    return WALK_FRAME_POINTERS;
  if (!walk_find_mapping(walk, ip - 1))
    return walk_unmapped(walk, ip);
  walk->registers.ip = ip;
  walk->registers.sp = frame + 16;
  walk->registers.fp = fp;
  walk->flags = WALK_KNOWN_FP;
  walk->by_frame_pointers = WALK_END_BY_FRAME_POINTERS;
  return 0;
}

#include "unwind/walk/walk-code.h"

/* Goes to the caller of a frame that nothing describes, for which walk_find ended so. */
WALK_INLINE int walk_apply_nothing(struct walk *walk, uint64_t address, int found)
{
  if ((found & WALK_LOOKED) == 0) {
    if (walk_apply_code(walk) == 0)
      return 0;
    walk_remember_nothing(walk, address, found);
  }
  int end = walk_apply_frame_pointer(walk);
  return (found & ~WALK_LOOKED) == WALK_BY_FRAME_POINTER || end == 0 || end == WALK_MISSED ? end
                                                                                           : WALK_NO_TABLE;
}

/* Begins at walk->registers: of a thread that was interrupted there, or that entered the kernel there
 * (in_kernel). */
WALK_INLINE void walk_begin(struct walk *walk, int in_kernel)
{
  walk->flags = WALK_EXACT | WALK_KNOWN_ALL | (in_kernel ? WALK_IN_KERNEL : 0);
  /* A program may say that it stands anywhere. */
  if (WALK_IS_WORD(walk->registers.ip))
    walk->registers.ip = 0;
  walk->by_frame_pointers = 0;
  walk->mapping.start = 0;
  walk->mapping.end = 0;
  walk->language.state = 0;
}

/* The end of a walk, as others are told of it. */
WALK_INLINE int walk_tell(const struct walk *walk, int end)
{
  return end == WALK_MISSED ? end : end | (int)walk->by_frame_pointers;
}

/* Goes from the frame that walk->registers describe to its caller: 0, and registers.ip is the caller's
 * address; or the enum walk_end for which the frame was the last one. */
WALK_INLINE int walk_step(struct walk *walk)
{
  if (!walk)
    return WALK_UNSUPPORTED;
  uint64_t address = walk->registers.ip - ((walk->flags & WALK_EXACT) != 0 ? 0 : 1);
  int end = walk_find(walk, address);
  if (((end & ~WALK_LOOKED) == WALK_NO_RULE || end == WALK_NO_TABLE) && (walk->flags & WALK_IN_KERNEL) != 0)
    end = walk_find(walk, --address);
  if (end >= WALK_BY_FRAME_POINTER)
    return walk_apply_nothing(walk, address, end);
  if (end != 0)
    return end;
  return walk->rule.cfa == UNWIND_CFA_SIGNAL ? walk_apply_signal(walk) : walk_apply_rule(walk);
}

#ifdef WALK_NAME
#include "unwind/walk/walk-language.h"
#endif

#endif
