/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program loads and unloads: it has libcapture in it, and closes its capture, as capture.h asks for,
 * when it goes. */
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/capture.h"

int plugin_start(volatile unsigned *n_calls);

static capture *c;

static void count_call(struct capture_stack *stack, const void *ucontext, void *data)
{
  volatile unsigned *n_calls = data;

  (*n_calls)++;
  capture_sample_native(stack, NULL);
}

int plugin_start(volatile unsigned *n_calls)
{
  const struct capture_sampler_options options = {.size = sizeof options,
                                                  .clock = CAPTURE_SAMPLE_WALL_TIME,
                                                  .frequency = 5000,
                                                  .all_threads = true,
                                                  .stack = count_call,
                                                  .stack_data = (void *)n_calls};
  int fd = memfd_create("plugin", MFD_CLOEXEC), r = capture_create(&c, fd, NULL);

  close(fd);
  return r < 0 ? r : capture_sampler_start(c, &options);
}

__attribute__((destructor)) static void stop(void)
{
  capture_close(c);
}
