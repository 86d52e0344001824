/* SPDX-License-Identifier: GPL-3.0-or-later */
/* alternate: host() interprets outer(), which calls inner(), which calls the native builtin(). */
#include <capture-1/capture.h>

#include <time.h>

static capture *c;

#include "recipe.h" /* of capture.h: struct machine, current, start_sampler */

#define APART __attribute__((noinline, noclone))

APART static void helper(void)
{
  for (volatile unsigned i = 0; i < 100000; i++)
    ;
}

APART static void builtin(void)
{
  while (clock() < 2 * CLOCKS_PER_SEC)
    helper();
}

static uint64_t define(const char *name)
{
  uint32_t text = capture_string(c, name, CAPTURE_NUL);

  return CAPTURE_IDENTIFIER(capture_function(c, text, 0, 0));
}

APART static void interpret(struct machine *machine)
{
  machine->frame = __builtin_frame_address(0);
  machine->calls[0] = define("outer");
  machine->calls[1] = define("inner");
  __atomic_store_n(&machine->depth, 2, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  current = machine;
  builtin();
  current = NULL;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

APART static void host(void)
{
  static struct machine machine;

  interpret(&machine);
  __asm__ volatile(""); /* no tail call */
}

int main(void)
{
  capture_connect(&c, CAPTURE_OPTIONS(options, .name = "alternate"));
  capture_thread_begin(c, NULL);
  if (start_sampler() < 0)
    return 1;
  host();
  capture_close(c);
  return 0;
}
