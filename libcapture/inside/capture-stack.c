/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-stack-private.h"

#include <string.h>

#include "libcapture/inside/capture-sampler-private.h"

/* capture_inside_stack.native: */
enum {
  FOUND, /* 1: the native frames were found */
  NEXT,  /* the first that was not appended */
  END,   /* behind the last */
  OUTCOME,
  FLOOR, /* no frame that is to come lies below */
  CALLER /* frame pointer of capture_sample_native, when that is where native frames begin */
};

#define SCRATCH (CAPTURE_FRAMES_MAX + 1)

static struct capture_inside_stack *stack_inside(struct capture_stack *stack)
{
  return (struct capture_inside_stack *)(void *)stack;
}

/* Where the thread's stack may be read. False: nowhere. */
static bool find_bounds(const struct capture_inside_stack *in, uint64_t sp, struct capture_walk_bounds *ret)
{
  const struct capture_sampler *sampler = capture_sampler_get(in->c);
  struct capture_thread *thread = in->thread;

  *ret = (struct capture_walk_bounds){.text = sampler ? &sampler->maps.text : NULL};
  if (!thread)
    return false;
  if (thread->stack_low == 0 && sampler) {
    uintptr_t low, high;

    if (!capture_maps_find_stack(&sampler->maps, sp, &low, &high))
      return false;
    thread->stack_high = high;
    thread->stack_low = low;
  }
  ret->low = thread->stack_low;
  ret->high = thread->stack_high;
  return ret->low != 0;
}

/* Which end of a walk it was: a chain that ends where it did when the thread began is whole. */
static uint32_t stack_judge(const struct capture_inside_stack *in, const uint64_t *sps, uint32_t count,
                            uint32_t outcome)
{
  bool broken = outcome == CAPTURE_OUTCOME_BAD_FRAME || outcome == CAPTURE_OUTCOME_UNREADABLE;

  return broken && in->thread && count > 0 && sps[count - 1] == in->thread->chain_end
             ? CAPTURE_OUTCOME_FRAME_POINTERS
             : outcome;
}

/* Programs see the format through their own header. */
_Static_assert((int)CAPTURE_UNWIND_COMPLETE == CAPTURE_OUTCOME_COMPLETE &&
                   (int)CAPTURE_UNWIND_FRAME_POINTERS == CAPTURE_OUTCOME_FRAME_POINTERS &&
                   (int)CAPTURE_UNWIND_TRUNCATED == CAPTURE_OUTCOME_TRUNCATED &&
                   (int)CAPTURE_UNWIND_NO_TABLE == CAPTURE_OUTCOME_NO_TABLE &&
                   (int)CAPTURE_UNWIND_UNREADABLE == CAPTURE_OUTCOME_UNREADABLE &&
                   (int)CAPTURE_UNWIND_BAD_FRAME == CAPTURE_OUTCOME_BAD_FRAME &&
                   (int)CAPTURE_UNWIND_UNSUPPORTED == CAPTURE_OUTCOME_UNSUPPORTED &&
                   (int)CAPTURE_UNWIND_LATE == CAPTURE_OUTCOME_LATE,
               "as in the format");

/* All native frames, into place at of the scratch, max at most; returns how many. */
static uint32_t find_native(struct capture_inside_stack *in, uint32_t at, uint32_t max, uint32_t *ret_outcome)
{
  const struct capture_sampler *sampler = capture_sampler_get(in->c);
  uint64_t *frames = in->w->frames + at, *sps = in->w->sps + at;
  struct capture_registers registers = {.sp = in->native[CALLER]};
  struct capture_walk_bounds bounds;
  uint32_t count;

  if (in->ucontext)
    capture_registers_read(&registers, in->ucontext);
  if (!find_bounds(in, registers.sp, &bounds))
    bounds.low = bounds.high = 0;
  if (in->ucontext && sampler && sampler->options.unwind) {
    memset(sps, 0, max * sizeof sps[0]);
    return sampler->options.unwind(in->ucontext, bounds.low, bounds.high, frames, sps, max, ret_outcome,
                                   sampler->options.unwind_data);
  }
  count = in->ucontext ? capture_walk(&registers, &bounds, frames, sps, max, ret_outcome)
                       : capture_walk_callers(in->native[CALLER], &bounds, frames, sps, max, ret_outcome);
  *ret_outcome = stack_judge(in, sps, count, *ret_outcome);
  return count;
}

void capture_stack_add_native(struct capture_inside_stack *in)
{
  uint32_t max = in->max - in->count, outcome, count;

  count = find_native(in, in->count, max, &outcome);
  in->count += count < max ? count : max;
  in->sample.outcome = (uint8_t)outcome;
}

static void find_native_once(struct capture_inside_stack *in)
{
  uint32_t first = SCRATCH - in->max > in->count ? SCRATCH - in->max : in->count;
  uint32_t max = SCRATCH - first < in->max ? SCRATCH - first : in->max, outcome, count;

  if (in->native[FOUND])
    return;
  count = find_native(in, first, max, &outcome);
  in->native[FOUND] = 1;
  in->native[NEXT] = first;
  in->native[END] = first + (count < max ? count : max);
  in->native[OUTCOME] = outcome;
}

/* Frees the place behind what was appended, where a native frame waits when a sample's frames are very many.
 */
static void make_room(struct capture_inside_stack *in)
{
  uint64_t next = in->native[NEXT], end = in->native[END];

  if (!in->native[FOUND] || next == end || in->count < next)
    return;
  if (end == SCRATCH) {
    end--;
    in->native[OUTCOME] = CAPTURE_OUTCOME_TRUNCATED;
  }
  memmove(in->w->frames + next + 1, in->w->frames + next, (end - next) * sizeof in->w->frames[0]);
  memmove(in->w->sps + next + 1, in->w->sps + next, (end - next) * sizeof in->w->sps[0]);
  in->native[NEXT] = next + 1;
  in->native[END] = end + 1;
}

static void stack_append(struct capture_inside_stack *in, uint64_t frame)
{
  if (in->count == in->max) {
    in->sample.outcome = CAPTURE_OUTCOME_TRUNCATED;
    return;
  }
  in->w->frames[in->count++] = frame;
}

void capture_sample_frame(struct capture_stack *stack, uint64_t frame)
{
  struct capture_inside_stack *in = stack_inside(stack);

  if (!in->c)
    return;
  make_room(in);
  stack_append(in, frame);
}

__attribute__((noinline)) void capture_sample_native(struct capture_stack *stack, const void *until)
{
  struct capture_inside_stack *in = stack_inside(stack);
  uint64_t *native = in->native;

  if (!in->c)
    return;
  native[CALLER] = (uintptr_t)__builtin_frame_address(0);
  find_native_once(in);
  while (native[NEXT] < native[END] && (!until || in->w->sps[native[NEXT]] < (uintptr_t)until)) {
    native[FLOOR] = in->w->sps[native[NEXT]];
    stack_append(in, in->w->frames[native[NEXT]++]);
  }
  if (native[NEXT] == native[END] && in->sample.outcome != CAPTURE_OUTCOME_TRUNCATED)
    in->sample.outcome = (uint8_t)native[OUTCOME];
}

/* The first frame found already that lies above that place. */
static bool skip_found(struct capture_inside_stack *in, uint64_t place)
{
  uint64_t next = in->native[NEXT];

  while (next < in->native[END] && in->w->sps[next] <= place)
    next++;
  if (next == in->native[END])
    return false;
  in->native[NEXT] = next;
  return true;
}

__attribute__((noinline)) void capture_sample_skip(struct capture_stack *stack, const void *frame)
{
  struct capture_inside_stack *in = stack_inside(stack);
  uint64_t place = capture_walk_place((uintptr_t)frame), *native = in->native;
  uint32_t outcome = CAPTURE_OUTCOME_BAD_FRAME, count = 0, first;
  const struct capture_sampler *sampler;
  struct capture_walk_bounds bounds;

  if (!in->c)
    return;
  native[CALLER] = (uintptr_t)__builtin_frame_address(0);
  find_native_once(in);
  sampler = capture_sampler_get(in->c);
  if (sampler && sampler->options.unwind && skip_found(in, place))
    return;
  first = SCRATCH - in->max > in->count ? SCRATCH - in->max : in->count;
  if (place >= native[FLOOR] && find_bounds(in, place, &bounds))
    count = capture_walk_callers((uintptr_t)frame, &bounds, in->w->frames + first, in->w->sps + first,
                                 SCRATCH - first, &outcome);
  outcome = stack_judge(in, in->w->sps + first, count, outcome);
  native[NEXT] = first;
  native[END] = first + count;
  native[OUTCOME] = outcome;
}

void capture_stack_add_shadow(struct capture_inside_stack *in)
{
  const struct capture_shadow_stack *stack =
      in->thread ? atomic_load_explicit(&in->thread->shadow_stack, memory_order_acquire) : NULL;
  uint32_t depth;

  if (!stack)
    return;
  /* Acquire: what the runtime wrote below depth is there. */
  depth = __atomic_load_n(&stack->depth, __ATOMIC_ACQUIRE);
  if (depth > stack->capacity)
    depth = stack->capacity;
  while (depth > 0 && in->count < in->max)
    stack_append(in, stack->frames[--depth]);
  if (depth > 0)
    in->sample.outcome = CAPTURE_OUTCOME_TRUNCATED;
}
