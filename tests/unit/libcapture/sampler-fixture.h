/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that samples itself by the wall's time into a capture of its own, which is read afterwards. */
#ifndef SAMPLER_FIXTURE_H
#define SAMPLER_FIXTURE_H

#include <glib.h>

#include "libcapture/capture.h"
#include "sampled.h"

#define ENOUGH 30

typedef struct {
  int fd;
  capture *c;
  struct sampled sampled;
} Sampled;

extern volatile unsigned n_calls; /* of the callback, since start */

void begin(Sampled *s, const struct capture_options *options);
void start(Sampled *s, capture_stack_fn stack, void *data);
/* Stops, closes and reads: sampled_clear() is the caller's. */
void end(Sampled *s);
/* Until the callback was called often enough. */
void wait_for_calls(void);
/* Counts itself, and asks for all native frames. */
void count_call(struct capture_stack *stack, const void *ucontext, void *data);

/* Of the calling thread's processor. */
uint64_t thread_time(void);

/* A function in a section of its own, whose bounds the linker knows. */
#define SECTION(name) __attribute__((noinline, noclone, used, section("in_" #name)))
#define IS_IN(address, name)                                                                                 \
  ((address) >= (uintptr_t)__start_in_##name && (address) <= (uintptr_t)__stop_in_##name)

#endif
