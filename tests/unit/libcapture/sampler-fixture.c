/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler-fixture.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

volatile unsigned n_calls;

uint64_t thread_time(void)
{
  struct timespec now;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * G_GUINT64_CONSTANT(1000000000) + (uint64_t)now.tv_nsec;
}

void begin(Sampled *s, const struct capture_options *options)
{
  s->fd = memfd_create("sampler", MFD_CLOEXEC);
  g_assert_cmpint(capture_create(&s->c, s->fd, options), ==, 0);
  g_assert_cmpint(capture_thread_begin(s->c, "main"), ==, 0);
}

void start(Sampled *s, capture_stack_fn stack, void *data)
{
  const struct capture_sampler_options options = {.size = sizeof options,
                                                  .clock = CAPTURE_SAMPLE_WALL_TIME,
                                                  .frequency = 2000,
                                                  .stack = stack,
                                                  .stack_data = data};

  n_calls = 0;
  g_assert_cmpint(capture_sampler_start(s->c, &options), ==, 0);
}

void end(Sampled *s)
{
  capture_sampler_stop(s->c);
  capture_close(s->c);
  sampled_read(&s->sampled, s->fd);
  close(s->fd);
}

void wait_for_calls(void)
{
  volatile unsigned i = 0; /* a frame of its own, in which it is busy */

  while (n_calls < ENOUGH)
    i = i + 1;
}

void count_call(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  capture_sample_native(stack, NULL);
}
