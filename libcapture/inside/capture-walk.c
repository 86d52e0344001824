/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-walk-private.h"

#include "libcapture/format/capture-format.h"

#define WORD sizeof(uint64_t)

/* Of a frame, from where its pointer points. */
#if defined(__riscv)
#define RECORD_OFFSET (2 * WORD)
#else
#define RECORD_OFFSET 0
#endif

struct walk {
  const struct capture_walk_bounds *bounds;
  uint64_t fp;
  uint64_t floor; /* the next frame's record lies here or above */
};

bool capture_walk_is_text(const struct capture_walk_text *text, uint64_t address, size_t length)
{
  uint32_t low = 0, high = text->count;

  while (low < high) {
    uint32_t middle = (low + high) / 2;

    if (text->ranges[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < text->count && address >= text->ranges[low].start && length <= text->ranges[low].end - address;
}

/* Of the thread's own stack, whose layout only the compiler knows. */
__attribute__((no_sanitize_address)) static uint64_t read_word(uint64_t address)
{
  return *(const volatile uint64_t *)(uintptr_t)address;
}

/* Whether two words can be read at address: UNKNOWN, or why not. */
static uint32_t walk_check(const struct walk *walk, uint64_t address)
{
  if (address % WORD != 0 || address < walk->floor)
    return CAPTURE_OUTCOME_BAD_FRAME;
  return address > walk->bounds->high - 2 * WORD ? CAPTURE_OUTCOME_UNREADABLE : CAPTURE_OUTCOME_UNKNOWN;
}

static uint64_t walk_strip(uint64_t address)
{
#if defined(__aarch64__)
  /* XPACLRI, which does nothing on processors that sign no pointers. */
  register uint64_t x30 __asm__("x30") = address;

  __asm__("hint #7" : "+r"(x30));
  return x30;
#else
  return address;
#endif
}

/* One frame up: the return address, 0 at the root; *ret_outcome is set when there is none. */
static uint64_t walk_step(struct walk *walk, uint32_t *ret_outcome)
{
  uint64_t record = walk->fp - RECORD_OFFSET;
  uint32_t problem;

  if (walk->fp == 0) {
    *ret_outcome = CAPTURE_OUTCOME_FRAME_POINTERS;
    return 0;
  }
  problem = walk_check(walk, record);
  if (problem != CAPTURE_OUTCOME_UNKNOWN) {
    *ret_outcome = problem;
    return 0;
  }
  walk->fp = read_word(record);
  walk->floor = record + 2 * WORD;
  *ret_outcome = CAPTURE_OUTCOME_FRAME_POINTERS;
  return walk_strip(read_word(record + WORD));
}

/* Whether the frame holds that return address: then it is the function's own, which was set up before the
 * instruction that pushes something else. */
static bool is_in_frame(const struct walk *walk, uint64_t address)
{
  uint64_t record = walk->fp - RECORD_OFFSET;

  return walk->fp != 0 && walk_check(walk, record) == CAPTURE_OUTCOME_UNKNOWN &&
         walk_strip(read_word(record + WORD)) == address;
}

#if defined(__riscv)
static bool is_half_made(const struct walk *walk, const struct capture_registers *registers)
{
  (void)walk;
  (void)registers;
  return false;
}
#else
/* Whether the caller's frame pointer was pushed last and is still in the register: compilers put other
 * instructions before the one that sets it. */
static bool is_half_made(const struct walk *walk, const struct capture_registers *registers)
{
  return walk->fp != 0 && walk_check(walk, registers->sp) == CAPTURE_OUTCOME_UNKNOWN &&
         read_word(registers->sp) == walk->fp;
}
#endif

/* The caller of a function whose frame is not there yet, or not any more. */
static uint64_t step_over_edge(struct walk *walk, const struct capture_registers *registers)
{
  enum capture_walk_edge edge = capture_walk_look(walk->bounds->text, registers->ip);
  uint64_t at = registers->sp, address = 0;

  if (edge == CAPTURE_WALK_INSIDE && is_half_made(walk, registers))
    edge = CAPTURE_WALK_BELOW_TOP;
  if (edge == CAPTURE_WALK_INSIDE)
    return 0;
  if (edge == CAPTURE_WALK_BELOW_TOP)
    at += WORD;
  if (edge != CAPTURE_WALK_IN_LINK)
    address = walk_check(walk, at) == CAPTURE_OUTCOME_UNKNOWN ? walk_strip(read_word(at)) : 0;
  else if (!is_in_frame(walk, walk_strip(registers->lr)))
    address = walk_strip(registers->lr);
  return capture_walk_is_text(walk->bounds->text, address, 1) ? address : 0;
}

#if defined(__riscv)
/* Of a leaf that pushed s0 alone, where ra should be. */
static uint64_t step_over_leaf(struct walk *walk, const struct capture_registers *registers)
{
  uint64_t record = walk->fp - RECORD_OFFSET, saved;

  if (walk->fp == 0 || walk_check(walk, record) != CAPTURE_OUTCOME_UNKNOWN)
    return 0;
  saved = read_word(record + WORD);
  if (saved % WORD != 0 || saved < walk->fp || saved > walk->bounds->high)
    return 0;
  walk->floor = walk->fp;
  walk->fp = saved;
  return registers->lr;
}
#else
static uint64_t step_over_leaf(struct walk *walk, const struct capture_registers *registers)
{
  (void)walk;
  (void)registers;
  return 0;
}
#endif

/* On x86-64 and riscv64 the stack pointer on entry; on aarch64, where a record lies at the bottom of its
 * frame, right behind that of the function called last. */
uint64_t capture_walk_place(uint64_t fp)
{
#if defined(__riscv)
  return fp;
#else
  return fp + WORD;
#endif
}

/* Of the frame that the walk goes on from. */
static uint64_t walk_place(const struct walk *walk)
{
  bool is_possible = walk->fp >= walk->floor && walk->fp <= walk->bounds->high;

  return is_possible ? capture_walk_place(walk->fp) : walk->floor;
}

/* Appends callers, beginning with the one at `next`. */
static uint32_t walk_on(struct walk *walk, uint64_t next, uint64_t *frames, uint64_t *sps, uint32_t count,
                        uint32_t max, uint32_t *ret_outcome)
{
  while (next != 0) {
    if (count == max) {
      *ret_outcome = CAPTURE_OUTCOME_TRUNCATED;
      break;
    }
    frames[count] = next;
    sps[count++] = walk_place(walk);
    next = walk_step(walk, ret_outcome);
  }
  return count;
}

static bool is_within(const struct capture_walk_bounds *bounds, uint64_t sp)
{
  return bounds->high >= 2 * WORD && sp >= bounds->low && sp <= bounds->high - 2 * WORD;
}

uint32_t capture_walk(const struct capture_registers *registers, const struct capture_walk_bounds *bounds,
                      uint64_t *frames, uint64_t *sps, uint32_t max, uint32_t *ret_outcome)
{
  struct walk walk = {.bounds = bounds, .fp = registers->fp, .floor = registers->sp};
  uint64_t next;

  *ret_outcome = CAPTURE_OUTCOME_UNSUPPORTED;
  if (registers->ip == 0 && registers->sp == 0)
    return 0;
  *ret_outcome = CAPTURE_OUTCOME_TRUNCATED;
  if (max == 0)
    return 0;
  frames[0] = registers->ip;
  sps[0] = registers->sp;
  *ret_outcome = CAPTURE_OUTCOME_UNREADABLE;
  if (!is_within(bounds, registers->sp))
    return 1;
  *ret_outcome = CAPTURE_OUTCOME_FRAME_POINTERS;
  next = bounds->text ? step_over_edge(&walk, registers) : 0;
  if (next == 0)
    next = step_over_leaf(&walk, registers);
  if (next == 0) {
    sps[0] = walk_place(&walk);
    next = walk_step(&walk, ret_outcome);
  }
  return walk_on(&walk, next, frames, sps, 1, max, ret_outcome);
}

uint32_t capture_walk_callers(uint64_t fp, const struct capture_walk_bounds *bounds, uint64_t *frames,
                              uint64_t *sps, uint32_t max, uint32_t *ret_outcome)
{
  struct walk walk = {.bounds = bounds, .fp = fp, .floor = fp - RECORD_OFFSET};

  *ret_outcome = CAPTURE_OUTCOME_UNREADABLE;
  if (!is_within(bounds, walk.floor))
    return 0;
  return walk_on(&walk, walk_step(&walk, ret_outcome), frames, sps, 0, max, ret_outcome);
}

uint64_t capture_walk_end(uint64_t fp, uintptr_t low, uintptr_t high)
{
  const struct capture_walk_bounds bounds = {.low = low, .high = high};
  struct walk walk = {.bounds = &bounds, .fp = fp, .floor = fp - RECORD_OFFSET};
  uint64_t end = 0;
  uint32_t outcome;

  if (!is_within(&bounds, walk.floor))
    return 0;
  while (walk_step(&walk, &outcome) != 0)
    end = walk_place(&walk);
  return end;
}
