/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shadow: an interpreter of nothing, whose calls are on a shadow stack: outer() works, then calls inner(),
 * which works three times as long. */
#include <capture-1/capture.h>

#include <time.h>

enum { DEPTH = 16 };

static uint64_t frames[DEPTH];
static struct capture_shadow_stack shadow = {.size = sizeof(shadow), .frames = frames, .capacity = DEPTH};
static capture *recording;

static void work(unsigned rounds)
{
  for (volatile unsigned i = 0; i < rounds; i++)
    ;
}

static void call(const char *name, uint32_t line)
{
  uint32_t function = capture_function(recording, capture_string(recording, name, CAPTURE_NUL),
                                       capture_string(recording, "shadow.lang", CAPTURE_NUL), line);
  frames[shadow.depth] = CAPTURE_IDENTIFIER(function);
  __atomic_store_n(&shadow.depth, shadow.depth + 1, __ATOMIC_RELEASE);
}

static void leave(void)
{
  __atomic_store_n(&shadow.depth, shadow.depth - 1, __ATOMIC_RELEASE);
}

int main(void)
{
  capture_connect(&recording, &(struct capture_options){.size = sizeof(struct capture_options)});
  capture_thread_begin(recording, "interpreter");
  capture_thread_set_shadow_stack(recording, &shadow);
  capture_sampler_start(recording,
                        &(struct capture_sampler_options){.size = sizeof(struct capture_sampler_options)});
  while (clock() < 2 * CLOCKS_PER_SEC) {
    call("outer", 1);
    work(300000);
    call("inner", 7);
    work(900000);
    leave();
    leave();
  }
  capture_close(recording);
  return 0;
}
