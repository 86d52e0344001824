/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs a program to tell: the least of several rounds, in nanoseconds a call. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/capture.h"

#define ROUNDS 25
#define CALLS  20000

struct bench {
  capture *c;
  capture *nobody;
  uint32_t category;
  uint32_t name;
  uint32_t counter;
  uint32_t event;
  uint64_t sum; /* so that nothing is left out as useless */
};

static void intern(struct bench *bench)
{
  bench->sum += capture_string(bench->c, "update_world_positions", CAPTURE_NUL);
}

static void intern_with_length(struct bench *bench)
{
  bench->sum += capture_string(bench->c, "update_world_positions", 22);
}

static void intern_function(struct bench *bench)
{
  bench->sum += capture_function(bench->c, bench->name, bench->category, 12);
}

static void mark(struct bench *bench)
{
  capture_mark(bench->c, bench->category, bench->name, NULL);
}

static void count(struct bench *bench)
{
  capture_count(bench->c, bench->counter, 1);
}

static void mark_for_nobody(struct bench *bench)
{
  capture_mark(bench->nobody, bench->category, bench->name, NULL);
}

static void take_time(struct bench *bench)
{
  bench->sum += capture_time();
}

/* A stack of 30 of which the innermost changes, as a virtual machine's hook would give it. */
static void sample(struct bench *bench)
{
  const struct capture_sample_options options = {.size = sizeof options, .event = bench->event};
  struct capture_stack stack;

  if (capture_sample_begin(bench->c, &stack, &options) != 0)
    return;
  capture_sample_frame(&stack, 0x1000 + bench->sum++ % 16);
  for (uint64_t i = 0; i < 29; i++)
    capture_sample_frame(&stack, 0x2000 + i);
  capture_sample_end(&stack);
}

static void measure(struct bench *bench, const char *what, void (*call)(struct bench *))
{
  double least = 1e9;

  for (int round = 0; round < ROUNDS; round++) {
    uint64_t begin = capture_time();
    double each;

    for (int i = 0; i < CALLS; i++)
      call(bench);
    each = (double)(capture_time() - begin) / CALLS;
    least = each < least ? each : least;
  }
  printf("%-40s %8.1f ns\n", what, least);
}

int main(void)
{
  const struct capture_options options = {.size = sizeof options, .window_count = 1008};
  const struct capture_counter_options counter = {.size = sizeof counter, .category = "bench", .name = "n"};
  int fd = memfd_create("bench-inside", MFD_CLOEXEC);
  struct bench bench = {0};

  if (fd < 0 || capture_create(&bench.c, fd, &options) != 0)
    return EXIT_FAILURE;
  capture_thread_begin(bench.c, NULL);
  bench.category = capture_string(bench.c, "bench", CAPTURE_NUL);
  bench.name = capture_string(bench.c, "update_world_positions", CAPTURE_NUL);
  bench.counter = capture_counter(bench.c, &counter);
  bench.event = capture_event(bench.c, "samples", CAPTURE_EVENT_COUNT, 1);
  measure(&bench, "a known name (22 bytes, NUL)", intern);
  measure(&bench, "a known name (22 bytes, length)", intern_with_length);
  measure(&bench, "a known function", intern_function);
  measure(&bench, "the time", take_time);
  measure(&bench, "a mark", mark);
  measure(&bench, "a count", count);
  measure(&bench, "a sample of 30 frames", sample);
  measure(&bench, "a mark when nobody records", mark_for_nobody);
  capture_close(bench.c);
  close(fd);
  return bench.sum ? EXIT_SUCCESS : EXIT_FAILURE;
}
