/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the in-process sampler costs: its handler, a signal with all that belongs to it, and a busy loop that
 * is sampled. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "libcapture/inside/capture-sampler-private.h"

#define DEPTH   28 /* and main's, and the C library's */
#define BATCH   250
#define BATCHES 400
#define PAIRS   15

typedef void (*handler_fn)(int number, siginfo_t *info, void *ucontext);

static capture *c;
static uint32_t frames; /* of the last stack that was walked */

static uint64_t now(clockid_t clock)
{
  struct timespec ts;

  clock_gettime(clock, &ts);
  return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void sort(double *values, size_t n)
{
  qsort(values, n, sizeof values[0], compare);
}

static void create(void)
{
  const struct capture_options options = {.size = sizeof options, .window_count = 256};
  int fd = memfd_create("bench", MFD_CLOEXEC);

  if (capture_create(&c, fd, &options) < 0 || capture_thread_begin(c, NULL) < 0)
    abort();
}

static void start(enum capture_clock_of_sampler clock, uint32_t frequency)
{
  const struct capture_sampler_options options = {
      .size = sizeof options, .clock = clock, .frequency = frequency};

  if (capture_sampler_start(c, &options) < 0)
    abort();
}

/* ── The handler alone ────────────────────────────────────────────────────────────────────────────────── */

static void measure_handler(const ucontext_t *context, const char *name, bool vary)
{
  const struct capture_thread *thread = capture_inside_thread(c);
  siginfo_t info = {.si_code = SI_TIMER};
  ucontext_t interrupted = *context;
  struct sigaction action;
  double times[BATCHES];

  sigaction(SIGPROF, NULL, &action);
  info.si_value.sival_ptr = (void *)(uintptr_t)capture_sampler_value(
      (uint32_t)(thread - c->threads), (uint32_t)thread->sampler_data[CAPTURE_SAMPLER_TURN]);
  for (unsigned i = 0; i < BATCHES; i++) {
    uint64_t begin = now(CLOCK_MONOTONIC);

    for (unsigned k = 0; k < BATCH; k++) {
#if defined(__x86_64__)
      /* Another instruction of the same function, of 16. */
      interrupted.uc_mcontext.gregs[REG_RIP] = context->uc_mcontext.gregs[REG_RIP] + (vary ? k % 16 : 0);
#endif
      action.sa_sigaction(SIGPROF, &info, &interrupted);
    }
    times[i] = (double)(now(CLOCK_MONOTONIC) - begin) / BATCH;
    capture_flush(c);
  }
  sort(times, BATCHES);
  printf("%-44s %8.0f ns (quartiles %.0f, %.0f), %u frames\n", name, times[BATCHES / 2], times[BATCHES / 4],
         times[BATCHES * 3 / 4], frames);
}

static void on_signal(int number, siginfo_t *info, void *ucontext)
{
  static uint64_t addresses[128], sps[128];
  struct capture_walk_bounds bounds = {.low = capture_inside_thread(c)->stack_low,
                                       .high = capture_inside_thread(c)->stack_high};
  struct capture_registers registers;
  uint32_t outcome;

  capture_registers_read(&registers, ucontext);
  frames = capture_walk(&registers, &bounds, addresses, sps, 128, &outcome);
  measure_handler(ucontext, "handler, the same stack again", false);
  measure_handler(ucontext, "handler, another innermost frame", true);
}

__attribute__((noinline)) static int recurse(int depth)
{
  int result = depth > 0 ? recurse(depth - 1) + 1 : raise(SIGUSR1);

  __asm__ volatile("" ::: "memory");
  return result;
}

static void bench_handler(void)
{
  const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

  sigaction(SIGUSR1, &action, NULL);
  start(CAPTURE_SAMPLE_CPU_TIME, 1);
  recurse(DEPTH);
  capture_sampler_stop(c);
}

/* ── A loop that is sampled ───────────────────────────────────────────────────────────────────────────── */

__attribute__((noinline)) static unsigned work(unsigned rounds)
{
  unsigned x = 1;

  for (unsigned i = 0; i < rounds; i++) {
    x = x * 1664525 + 1013904223;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

__attribute__((noinline)) static double work_at(int depth, unsigned rounds)
{
  uint64_t begin;
  double used;

  if (depth > 0) {
    used = work_at(depth - 1, rounds);
    __asm__ volatile("" ::: "memory");
    return used;
  }
  begin = now(CLOCK_THREAD_CPUTIME_ID);
  work(rounds);
  return (double)(now(CLOCK_THREAD_CPUTIME_ID) - begin);
}

/* What a timer and its signal cost without us. */
static void do_nothing(int number)
{
  (void)number;
}

static timer_t start_empty(uint32_t frequency)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  const struct timespec period = {.tv_nsec = 1000000000L / frequency};
  const struct itimerspec times = {.it_interval = period, .it_value = period};
  timer_t timer;

  signal(SIGUSR2, do_nothing);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 || timer_settime(timer, 0, &times, NULL) < 0)
    abort();
  return timer;
}

/* The rounds of 300 ms. */
static unsigned calibrate(void)
{
  double used = work_at(0, 20000000);

  return (unsigned)(300e6 / used * 20000000);
}

static double work_sampled(enum capture_clock_of_sampler clock, uint32_t frequency, unsigned rounds)
{
  timer_t timer;
  double used;

  if (clock == CAPTURE_SAMPLE_AS_ASKED) {
    timer = start_empty(frequency);
    used = work_at(DEPTH, rounds);
    timer_delete(timer);
    return used;
  }
  start(clock, frequency);
  used = work_at(DEPTH, rounds);
  capture_sampler_stop(c);
  return used;
}

/* AS_ASKED: the empty handler's. */
static void bench_loop(const char *name, enum capture_clock_of_sampler clock, uint32_t frequency)
{
  unsigned rounds = calibrate();
  double ratios[PAIRS], costs[PAIRS];

  for (unsigned i = 0; i < PAIRS; i++) {
    double alone, sampled;

    /* In turns, so that what drifts falls on both. */
    alone = i % 2 ? work_at(DEPTH, rounds) : 0;
    sampled = work_sampled(clock, frequency, rounds);
    alone = i % 2 ? alone : work_at(DEPTH, rounds);
    capture_flush(c);
    ratios[i] = sampled / alone - 1;
    costs[i] = (sampled - alone) / (sampled / 1e9 * frequency);
  }
  sort(ratios, PAIRS);
  sort(costs, PAIRS);
  printf("%-44s %+8.2f %%, %.0f ns a period", name, 100 * ratios[PAIRS / 2], costs[PAIRS / 2]);
  printf(" (medians of %d pairs; quartiles %+.2f, %+.2f)\n", PAIRS, 100 * ratios[PAIRS / 4],
         100 * ratios[PAIRS * 3 / 4]);
}

int main(void)
{
  create();
  bench_handler();
  bench_loop("loop, 1 Hz (what is noise)", CAPTURE_SAMPLE_WALL_TIME, 1);
  bench_loop("loop, processor time, 1 kHz", CAPTURE_SAMPLE_CPU_TIME, 1000);
  bench_loop("loop, the wall's time, 1 kHz", CAPTURE_SAMPLE_WALL_TIME, 1000);
  bench_loop("loop, 1 kHz to an empty handler", CAPTURE_SAMPLE_AS_ASKED, 1000);
  bench_loop("loop, the wall's time, 10 kHz", CAPTURE_SAMPLE_WALL_TIME, 10000);
  bench_loop("loop, 10 kHz to an empty handler", CAPTURE_SAMPLE_AS_ASKED, 10000);
  capture_close(c);
  return 0;
}
