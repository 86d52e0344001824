/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that samples itself into a capture of its own and judges it: for other machines and for the
 * thread sanitizer, where libc is all there is. Prints TAP; exits with 1 when something is wrong. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libcapture/capture.h"
#include "libcapture/format/capture-format.h"
#include "sampled.h"
#include "walk-chain.h"

/* The thread sanitizer lets a handler run when the interrupted function has long gone on; the address
 * sanitizer puts calls into functions' first instructions. */
#if defined(__SANITIZE_THREAD__)
#define STACKS_HOLD 0
#else
#define STACKS_HOLD 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CALLERS_HOLD 0
#else
#define CALLERS_HOLD 1
#endif

/* Emulators have few timers. */
#if !defined(THREADS)
#define THREADS 64
#endif
#define GENERATIONS 3
#define CHAIN_NS    UINT64_C(150000000)
#define ENOUGH      20 /* samples of the chain */
#define THREAD_NS   6000000
#define FREQUENCY   1000

static int n_tests;
static bool has_failed;

static void check(bool holds, const char *what)
{
  printf("%s %d - %s\n", holds ? "ok" : "not ok", ++n_tests, what);
  has_failed |= !holds;
}

static uint64_t own_time(clockid_t clock)
{
  struct timespec now;

  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void spin(uint64_t ns)
{
  uint64_t end = own_time(CLOCK_THREAD_CPUTIME_ID) + ns;

  while (own_time(CLOCK_THREAD_CPUTIME_ID) < end)
    walk_chain_run(200);
}

static capture *begin(int *ret_fd, enum capture_clock_of_sampler clock, bool all_threads)
{
  const struct capture_options options = {.size = sizeof options, .name = "bare"};
  const struct capture_sampler_options sampler = {
      .size = sizeof sampler, .clock = clock, .frequency = FREQUENCY, .all_threads = all_threads};
  capture *c;

  *ret_fd = memfd_create("bare", MFD_CLOEXEC);
  if (capture_create(&c, *ret_fd, &options) < 0 || capture_thread_begin(c, "first") < 0 ||
      capture_sampler_start(c, &sampler) < 0) {
    puts("Bail out! The sampler did not start.");
    exit(1);
  }
  return c;
}

static void end(capture *c, int fd, struct sampled *ret)
{
  capture_sampler_stop(c);
  capture_close(c);
  sampled_read(ret, fd);
  close(fd);
  if (ret->messages[0] != '\0')
    printf("# %s", ret->messages);
}

static void count_verdicts(const struct sampled *sampled, unsigned verdicts[4])
{
  memset(verdicts, 0, 4 * sizeof verdicts[0]);
  for (size_t i = 0; i < sampled->count; i++)
    verdicts[walk_chain_judge(sampled->samples[i].frames, sampled->samples[i].count)]++;
}

/* Timers tick late where a machine is busy, and more so a virtual one: then there are few samples, of great
 * weight. So longer, until there are enough. */
static void sample_chain(enum capture_clock_of_sampler clock, struct sampled *ret)
{
  for (uint64_t ns = CHAIN_NS;; ns *= 4) {
    int fd;
    capture *c = begin(&fd, clock, false);

    spin(ns);
    end(c, fd, ret);
    if (ret->count >= 2 * ENOUGH || ns > 16 * CHAIN_NS)
      return;
    sampled_clear(ret);
  }
}

static void test_chain(enum capture_clock_of_sampler clock, const char *name)
{
  struct sampled sampled;
  unsigned verdicts[4];

  sample_chain(clock, &sampled);
  count_verdicts(&sampled, verdicts);
  printf("# %s: %zu samples, %llu ns; in the chain %u whole, %u without the caller, %u wrong\n", name,
         sampled.count, (unsigned long long)sampled_weight(&sampled, 0), verdicts[WALK_CHAIN_COMPLETE],
         verdicts[WALK_CHAIN_NO_CALLER], verdicts[WALK_CHAIN_WRONG]);
  check(sampled.count >= ENOUGH && sampled.lost == 0, name);
  check(!STACKS_HOLD || (verdicts[WALK_CHAIN_COMPLETE] >= ENOUGH &&
                         verdicts[WALK_CHAIN_NO_CALLER] * CALLERS_HOLD + verdicts[WALK_CHAIN_WRONG] == 0),
        "every stack is whole");
  sampled_clear(&sampled);
}

static capture *shared;
static _Atomic unsigned n_running;
static pid_t tids[THREADS * GENERATIONS];

static void *take_part(void *data)
{
  size_t number = (size_t)(uintptr_t)data;

  tids[number] = (pid_t)syscall(SYS_gettid);
  if (capture_thread_begin(shared, NULL) < 0)
    abort();
  spin(THREAD_NS);
  /* Half of them end without a word. */
  if (number % 2 == 0)
    capture_thread_end(shared);
  n_running--;
  return NULL;
}

static void run_generation(size_t generation)
{
  pthread_t threads[THREADS - 1];

  n_running = THREADS - 1;
  for (size_t i = 0; i < THREADS - 1; i++) {
    if (pthread_create(&threads[i], NULL, take_part, (void *)(uintptr_t)(generation * THREADS + i)) != 0)
      abort();
  }
  /* Who writes a capture of his own has it written by ordinary calls. */
  while (n_running > 0) {
    usleep(2000);
    capture_flush(shared);
  }
  for (size_t i = 0; i < THREADS - 1; i++)
    pthread_join(threads[i], NULL);
}

static void test_threads(void)
{
  struct sampled sampled;
  unsigned seen = 0, verdicts[4];
  int fd;

  shared = begin(&fd, CAPTURE_SAMPLE_WALL_TIME, false);
  for (size_t i = 0; i < GENERATIONS; i++)
    run_generation(i);
  end(shared, fd, &sampled);
  for (size_t i = 0; i < THREADS * GENERATIONS; i++)
    seen += tids[i] != 0 && sampled_weight(&sampled, tids[i]) > 0;
  count_verdicts(&sampled, verdicts);
  printf("# %zu samples of %u threads, %llu lost; in the chain %u whole, %u wrong\n", sampled.count, seen,
         (unsigned long long)sampled.lost, verdicts[WALK_CHAIN_COMPLETE], verdicts[WALK_CHAIN_WRONG]);
  check(seen == (THREADS - 1) * GENERATIONS, "every thread that takes part is sampled");
  check(!STACKS_HOLD || (verdicts[WALK_CHAIN_COMPLETE] > 100 && verdicts[WALK_CHAIN_WRONG] == 0),
        "with its own stack");
  sampled_clear(&sampled);
}

static _Atomic bool goes_on;
static _Atomic unsigned ready;

static void *never_call_in(void *data)
{
  tids[(uintptr_t)data] = (pid_t)syscall(SYS_gettid);
  ready++;
  while (goes_on)
    walk_chain_run(200);
  return NULL;
}

static void test_all_threads(void)
{
  struct sampled sampled;
  pthread_t threads[4];
  unsigned seen = 0, whole = 0;
  capture *c;
  int fd;

  goes_on = true;
  ready = 0;
  for (size_t i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, never_call_in, (void *)(uintptr_t)i);
  while (ready < 4)
    usleep(1000);
  c = begin(&fd, CAPTURE_SAMPLE_WALL_TIME, true);
  spin(CHAIN_NS);
  goes_on = false;
  for (size_t i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  end(c, fd, &sampled);
  for (size_t i = 0; i < sampled.count; i++)
    whole += sampled.samples[i].tid != getpid() &&
             walk_chain_judge(sampled.samples[i].frames, sampled.samples[i].count) == WALK_CHAIN_COMPLETE;
  for (size_t i = 0; i < 4; i++)
    seen += sampled_weight(&sampled, tids[i]) > 0;
  printf("# %zu samples, %u whole ones of %u strange threads\n", sampled.count, whole, seen);
  check(seen == 4 && (!STACKS_HOLD || whole > 20), "threads that never called in are sampled when all are");
  sampled_clear(&sampled);
}

int main(void)
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  test_chain(CAPTURE_SAMPLE_CPU_TIME, "processor time");
  test_chain(CAPTURE_SAMPLE_WALL_TIME, "the wall's time");
  test_threads();
  test_all_threads();
  printf("1..%d\n", n_tests);
  return has_failed;
}
