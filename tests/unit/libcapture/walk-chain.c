/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk-chain.h"

#include <stdbool.h>

/* A section each, whose bounds the linker knows. */
#define CHAINED(function)                                                                                    \
  extern const char __start_chain_##function[], __stop_chain_##function[];                                   \
  __attribute__((noinline, noclone, used, section("chain_" #function)))

/* A function that calls nothing gets a frame only when it asks for one. */
#if defined(WALK_CHAIN_PLAIN)
#define WANT_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))
#else
#define WANT_FRAME() ((void)0)
#endif

CHAINED(leaf) static unsigned leaf(unsigned x)
{
  WANT_FRAME();
  for (unsigned i = 0; i < 4; i++)
    x = x * 1664525u + 1013904223u;
  return x;
}

CHAINED(inner) static unsigned inner(unsigned x)
{
  volatile unsigned local[4] = {x, x + 1, x + 2, x + 3};

  return leaf(local[x & 3]) + local[0];
}

CHAINED(middle) static unsigned middle(unsigned x)
{
  return inner(x) ^ leaf(x) ^ inner(x + 1);
}

CHAINED(outer) static unsigned outer(unsigned x)
{
  unsigned y = middle(x);

  return y + middle(y);
}

CHAINED(run) static unsigned run(unsigned rounds)
{
  unsigned x = 1;

  while (rounds-- > 0)
    x = outer(x) + 1;
  return x;
}

unsigned walk_chain_run(unsigned rounds)
{
  unsigned result = run(rounds);

  __asm__ volatile("" ::: "memory"); /* no tail call */
  return result;
}

enum { LEAF, INNER, MIDDLE, OUTER, RUN, FUNCTIONS };

static const struct {
  const char *start, *stop;
} functions[FUNCTIONS] = {
    [LEAF] = {__start_chain_leaf, __stop_chain_leaf},
    [INNER] = {__start_chain_inner, __stop_chain_inner},
    [MIDDLE] = {__start_chain_middle, __stop_chain_middle},
    [OUTER] = {__start_chain_outer, __stop_chain_outer},
    [RUN] = {__start_chain_run, __stop_chain_run},
};

static int function_at(uint64_t address)
{
  for (int i = 0; i < FUNCTIONS; i++) {
    if (address >= (uintptr_t)functions[i].start && address < (uintptr_t)functions[i].stop)
      return i;
  }
  return FUNCTIONS;
}

/* Whether frames are those of the callers of `function`, up to run. */
static bool are_callers(int function, const uint64_t *frames, uint32_t count)
{
  uint32_t i = 0;

  while (function != RUN) {
    int caller = i < count ? function_at(frames[i++] - 1) : FUNCTIONS;
    bool calls = caller == function + 1 || (function == LEAF && caller == MIDDLE);

    if (!calls)
      return false;
    function = caller;
  }
  return true;
}

enum walk_chain_verdict walk_chain_judge(const uint64_t *frames, uint32_t count)
{
  int function = count > 0 ? function_at(frames[0]) : FUNCTIONS;

  if (function == FUNCTIONS)
    return WALK_CHAIN_ELSEWHERE;
  if (are_callers(function, frames + 1, count - 1))
    return WALK_CHAIN_COMPLETE;
  if (function == RUN)
    return WALK_CHAIN_WRONG;
  return are_callers(function + 1, frames + 1, count - 1) ||
                 (function == LEAF && are_callers(MIDDLE, frames + 1, count - 1))
             ? WALK_CHAIN_NO_CALLER
             : WALK_CHAIN_WRONG;
}
