/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-walk.h"

#include <signal.h>
#include <ucontext.h>

#include "libcapture/format/capture-format.h"

#if PRELOAD_WALKS

struct walk_memory {
  const struct preload_walk *given;
};

static inline bool is_inside(uint64_t address, uintptr_t low, uintptr_t high)
{
  return address >= low && address < high && high - address >= sizeof(uint64_t);
}

static inline void note_read(struct preload_place *place, uint64_t address, uint64_t word)
{
  if (place->n_reads < PRELOAD_PLACE_READS) {
    place->reads[place->n_reads].address = address;
    place->reads[place->n_reads].word = word;
  }
  place->n_reads++;
}

static inline int read_word(const struct preload_walk *given, uint64_t address, uint64_t *ret_word)
{
  if (!is_inside(address, given->low, given->high) &&
      !is_inside(address, given->other_low, given->other_high)) {
    /* Where bounds are other ones it may be. */
    if (given->place)
      given->place->n_reads = PRELOAD_PLACE_READS + 1;
    return WALK_UNREADABLE;
  }
  *ret_word = *(const volatile uint64_t *)address;
  if (given->place)
    note_read(given->place, address, *ret_word);
  return 0;
}

#define WALK_READ(walk, address, word) read_word((walk)->memory.given, address, word)
#define WALK_AREA(walk)                ((walk)->memory.given->area->bytes)
#define WALK_AREA_SIZE(walk)           ((walk)->memory.given->area->size)
#define WALK_MEMO(walk, address)                                                                             \
  ((walk)->memory.given->memos                                                                               \
       ? &(walk)->memory.given->memos->memos[((address) ^ (address) >> 8) % PRELOAD_MEMOS]                   \
       : (struct walk_memo *)0)
#include "unwind/walk/walk.h"

#ifdef __aarch64__
#define MACHINE      WALK_AARCH64
#define ADDRESS_MASK ((1ull << 48) - 1)
#else
#define MACHINE      WALK_X86_64
#define ADDRESS_MASK (~0ull)
#endif

/* What leaf functions may use below the stack pointer. */
#define RED_ZONE 128u

/* Of a frame whose caller's stack pointer is given, what __builtin_frame_address(0) is in it. */
#define FRAME_ADDRESS(sp) ((sp)-16)

_Static_assert(CAPTURE_OUTCOME_COMPLETE == (int)WALK_COMPLETE &&
                   CAPTURE_OUTCOME_UNSUPPORTED == (int)WALK_UNSUPPORTED &&
                   CAPTURE_OUTCOME_BY_FRAME_POINTERS == WALK_END_BY_FRAME_POINTERS,
               "an enum walk_end is an enum capture_outcome");

static int preload_walk_step(struct preload_walk *walk, struct walk *state, uint32_t n)
{
  walk->frames[n] = state->registers.ip;
  int end = walk_step(state);
  if (walk->sps)
    walk->sps[n] = end == WALK_ENDED_NOT ? FRAME_ADDRESS(state->registers.sp) : walk->high;
  return end;
}

static uint32_t preload_walk_finish(struct preload_walk *walk, const struct walk *state, int end, uint32_t n,
                                    uint32_t *ret_outcome)
{
  /* Code may have been made there, in memory that was not mapped when the mappings were read. */
  walk->missed = end == WALK_MISSED || end == WALK_NO_TABLE;
  if (end == WALK_MISSED)
    end = WALK_NO_TABLE;
  *ret_outcome = (uint32_t)walk_tell(state, end == WALK_ENDED_NOT ? WALK_TRUNCATED : end);
  return n;
}

/* ── Where the walk before has been ───────────────────────────────────────────────────────────────────── */

static void begin_trail(struct preload_trail *trail, uint32_t serial)
{
  if (trail->serial != serial)
    trail->count = 0;
  trail->serial = serial;
  trail->at = trail->count;
  trail->n_fresh = 0;
}

/* Registers beyond these are known of the innermost frame, and of one that a signal interrupted. */
static bool is_at(const struct preload_place *place, const struct walk *state)
{
  return place->ip == state->registers.ip && place->fp == state->registers.fp &&
         place->base == state->registers.base && place->flags == state->flags &&
         place->by_frame_pointers == state->by_frame_pointers && (state->flags & WALK_KNOWN_GENERAL) == 0;
}

static bool find_place(struct preload_trail *trail, const struct walk *state)
{
  while (trail->at > 0 && trail->places[trail->at - 1].sp < state->registers.sp)
    trail->at--;
  return trail->at > 0 && trail->places[trail->at - 1].sp == state->registers.sp &&
         is_at(&trail->places[trail->at - 1], state);
}

/* Whether the step from there to its caller would do what it did. */
static bool is_unchanged(const struct preload_walk *walk, const struct preload_place *place)
{
  if (place->n_reads > PRELOAD_PLACE_READS)
    return false;
  for (uint32_t i = 0; i < place->n_reads; i++) {
    uint64_t address = place->reads[i].address;
    if (!is_inside(address, walk->low, walk->high) ||
        *(const volatile uint64_t *)address != place->reads[i].word)
      return false;
  }
  return true;
}

static void take_place(struct walk *state, const struct preload_place *place)
{
  state->registers.ip = place->ip;
  state->registers.sp = place->sp;
  state->registers.fp = place->fp;
  state->registers.base = place->base;
  state->flags = place->flags;
  state->by_frame_pointers = place->by_frame_pointers;
}

static void note_place(struct preload_walk *walk, const struct walk *state)
{
  struct preload_place *place = &walk->trail->fresh[walk->trail->n_fresh++];
  place->ip = state->registers.ip;
  place->sp = state->registers.sp;
  place->fp = state->registers.fp;
  place->base = state->registers.base;
  place->flags = state->flags;
  place->by_frame_pointers = state->by_frame_pointers;
  place->n_reads = 0;
  walk->place = place;
}

/* Goes on as the walk before did, up to the first step that would be another one now. Returns how many
 * frames; *ret_end when that was to the end. */
static uint32_t preload_walk_follow(struct preload_walk *walk, struct walk *state, uint32_t n, int *ret_end)
{
  struct preload_trail *trail = walk->trail;
  uint32_t first = trail->at, count = 0;
  while (n + count < walk->max && is_unchanged(walk, &trail->places[trail->at - 1])) {
    const struct preload_place *place = &trail->places[trail->at - 1];
    if (trail->at == 1 && place->end == 0)
      break;
    walk->frames[n + count++] = place->ip;
    if (place->end != 0) {
      *ret_end = place->end;
      trail->at = first;
      return count;
    }
    trail->at--;
  }
  if (count == 0)
    return 0;
  take_place(state, &trail->places[trail->at - 1]);
  for (uint32_t i = first; i > trail->at; i--)
    trail->fresh[trail->n_fresh++] = trail->places[i - 1];
  return count;
}

/* What was walked anew lies below what was not: `kept` places. */
static void end_trail(struct preload_trail *trail, uint32_t kept)
{
  trail->count = kept;
  while (trail->n_fresh > 0)
    trail->places[trail->count++] = trail->fresh[--trail->n_fresh];
}

static uint32_t run_by_trail(struct preload_walk *walk, struct walk *state, int *ret_end)
{
  struct preload_trail *trail = walk->trail;
  uint32_t n = 0, kept = 0, followed;
  begin_trail(trail, state->process.serial);
  while (*ret_end == WALK_ENDED_NOT && n < walk->max) {
    followed = find_place(trail, state) ? preload_walk_follow(walk, state, n, ret_end) : 0;
    n += followed;
    if (*ret_end != WALK_ENDED_NOT)
      kept = trail->at;
    else if (followed == 0) {
      note_place(walk, state);
      *ret_end = preload_walk_step(walk, state, n++);
      walk->place->end = *ret_end;
    }
  }
  walk->place = NULL;
  end_trail(trail, kept);
  return n;
}

/* Frames up to `skip` are left out; 0: none. Of the registers those are known; 0: all. */
static uint32_t preload_walk_run(struct preload_walk *walk, struct walk *state, uint64_t skip, uint32_t known,
                                 uint32_t *ret_outcome)
{
  struct preload_version *version;
  const struct walk_process *process = preload_area_enter(walk->area, &version);
  uint32_t n = 0;
  int end = WALK_ENDED_NOT;
  walk->frames[0] = state->registers.ip;
  if (!process)
    return preload_walk_finish(walk, state, WALK_NO_TABLE, skip == 0, ret_outcome);
  state->process = *process;
  state->machine = MACHINE;
  state->address_mask = ADDRESS_MASK;
  state->memory.given = walk;
  walk_begin(state, 0);
  if (known != 0)
    state->flags = known;
  /* Few frames of this library's own, all of them known. */
  for (int i = 0; skip != 0 && i < 16 && end == WALK_ENDED_NOT && state->registers.ip != skip; i++)
    end = walk_step(state);
  if (skip != 0 && state->registers.ip != skip)
    end = end == WALK_ENDED_NOT ? WALK_NO_TABLE : end;
  if (walk->trail)
    n = run_by_trail(walk, state, &end);
  while (end == WALK_ENDED_NOT && n < walk->max) {
    end = preload_walk_step(walk, state, n);
    n++;
  }
  preload_area_leave(version);
  return preload_walk_finish(walk, state, end, n, ret_outcome);
}

#ifdef __aarch64__

static void take_registers(struct walk_registers *registers, const ucontext_t *context)
{
  for (int i = 0; i < 31; i++)
    registers->general[i] = context->uc_mcontext.regs[i];
  registers->general[31] = context->uc_mcontext.sp;
  registers->ip = context->uc_mcontext.pc;
}

#define TAKE_OWN_REGISTERS(registers)                                                                        \
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"                                   \
                   : "=r"((registers)->ip), "=r"((registers)->general[31]), "=r"((registers)->general[29]),  \
                     "=r"((registers)->general[30]))

#else

static void take_registers(struct walk_registers *registers, const ucontext_t *context)
{
  static const uint8_t numbers[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; i++)
    registers->general[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
  registers->ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

#define TAKE_OWN_REGISTERS(registers)                                                                        \
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2\n\tmovq %%rbx, %3"                 \
                   : "=r"((registers)->ip), "=m"((registers)->general[7]), "=m"((registers)->general[6]),    \
                     "=m"((registers)->general[3]))

#endif

uint32_t preload_walk_interrupted(struct preload_walk *walk, const void *ucontext, uint32_t *ret_outcome)
{
  const ucontext_t *context = ucontext;
  struct walk state;
  take_registers(&state.registers, context);
  walk_name_registers(&state.registers, MACHINE);
  /* The kernel says with each signal which other stack handlers of this thread have. */
  walk->other_low = (uintptr_t)context->uc_stack.ss_sp;
  walk->other_high = walk->other_low + context->uc_stack.ss_size;
  if ((context->uc_stack.ss_flags & SS_DISABLE) != 0 || walk->other_high < walk->other_low)
    walk->other_low = walk->other_high = 0;
  /* Nothing below is anybody's, and there may be no memory there yet. */
  if (state.registers.sp >= walk->low + RED_ZONE && state.registers.sp < walk->high)
    walk->low = state.registers.sp - RED_ZONE;
  return preload_walk_run(walk, &state, 0, 0, ret_outcome);
}

#ifdef __x86_64__

/* This library's own frames all have frame pointers, which lead past them much faster than rules. */
static bool begin_at_caller(const struct preload_walk *walk, uint64_t caller, struct walk *state)
{
  uint64_t fp = (uint64_t)(uintptr_t)__builtin_frame_address(0), before = 0;
  for (int i = 0; i < 8 && fp > before && (fp & 7) == 0 && is_inside(fp, walk->low, walk->high) &&
                  is_inside(fp + 8, walk->low, walk->high);
       i++) {
    const uint64_t *record = (const uint64_t *)fp;
    if (record[1] == caller) {
      state->registers.ip = caller;
      state->registers.sp = fp + 16;
      state->registers.fp = record[0];
      state->registers.base = 0;
      return true;
    }
    before = fp;
    fp = record[0];
  }
  return false;
}

#else

static bool begin_at_caller(const struct preload_walk *walk, uint64_t caller, struct walk *state)
{
  return false;
}

#endif

__attribute__((noinline)) uint32_t preload_walk_here(struct preload_walk *walk, const void *first,
                                                     uint32_t *ret_outcome)
{
  struct walk state;
  if (begin_at_caller(walk, (uint64_t)(uintptr_t)first, &state)) {
    uint32_t n = preload_walk_run(walk, &state, 0, WALK_KNOWN_FP, ret_outcome);
    /* The register that is not known there is one that few functions need. */
    if ((*ret_outcome & ~(uint32_t)WALK_END_BY_FRAME_POINTERS) != CAPTURE_OUTCOME_UNSUPPORTED)
      return n;
  }
  TAKE_OWN_REGISTERS(&state.registers);
  walk_name_registers(&state.registers, MACHINE);
  return preload_walk_run(walk, &state, (uint64_t)(uintptr_t)first, 0, ret_outcome);
}

#else

uint32_t preload_walk_interrupted(struct preload_walk *walk, const void *ucontext, uint32_t *ret_outcome)
{
  *ret_outcome = CAPTURE_OUTCOME_UNSUPPORTED;
  return 0;
}

uint32_t preload_walk_here(struct preload_walk *walk, const void *first, uint32_t *ret_outcome)
{
  walk->frames[0] = (uint64_t)(uintptr_t)first;
  *ret_outcome = CAPTURE_OUTCOME_UNSUPPORTED;
  return 1;
}

#endif
