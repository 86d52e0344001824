/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spins until it has been sampled often enough, its thread and one that never called in. For whoever looks at
 * its system calls. */
#include <pthread.h>
#include <sys/mman.h>

#include "libcapture/capture.h"

#define ENOUGH 300

static _Atomic unsigned n_calls;

static void count_call(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  capture_sample_native(stack, NULL);
}

static void *spin(void *data)
{
  while (n_calls < ENOUGH)
    ;
  return data;
}

int main(void)
{
  const struct capture_sampler_options options = {
      .size = sizeof options, .clock = CAPTURE_SAMPLE_WALL_TIME, .all_threads = true, .stack = count_call};
  pthread_t thread;
  capture *c;

  if (pthread_create(&thread, NULL, spin, NULL) != 0 ||
      capture_create(&c, memfd_create("spin", MFD_CLOEXEC), NULL) < 0 || capture_thread_begin(c, NULL) < 0 ||
      capture_sampler_start(c, &options) < 0)
    return 1;
  spin(NULL);
  pthread_join(thread, NULL);
  capture_close(c);
  return 0;
}
