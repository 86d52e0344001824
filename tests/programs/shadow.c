/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shadow: an interpreter of nothing, whose calls are on a shadow stack: outer() works, then calls inner(),
 * which works three times as long. */
#include <capture-1/capture.h>

#include <time.h>

static capture *c;

#include "recipe.h" /* of capture.h: begin_thread, enter, leave */

static void work(unsigned rounds)
{
  for (volatile unsigned i = 0; i < rounds; i++)
    ;
}

static uint32_t define(const char *name, uint32_t line)
{
  return capture_function(c, capture_string(c, name, CAPTURE_NUL),
                          capture_string(c, "shadow.lang", CAPTURE_NUL), line);
}

int main(void)
{
  capture_connect(&c, CAPTURE_OPTIONS(options, .name = "shadow"));
  begin_thread();
  capture_sampler_start(c, CAPTURE_OPTIONS(sampler_options, .clock = CAPTURE_SAMPLE_CPU_TIME));
  while (clock() < 2 * CLOCKS_PER_SEC) {
    enter(define("outer", 1));
    work(300000);
    enter(define("inner", 7));
    work(900000);
    leave();
    leave();
  }
  capture_close(c);
  return 0;
}
