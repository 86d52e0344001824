/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "libcapture/inside/capture-sampler-private.h"

#define NS_PER_S UINT64_C(1000000000)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Tells our timers' signals from those that the program's own timers carry. */
#define TURN_MASK 0xffffffu

/* One program may have two copies of this library, its own and the preload library's: each knows its timers.
 */
static uint64_t value_magic(void)
{
  static const char here;
  const uint64_t address = (uint64_t)(uintptr_t)&here;

  return (0xca97 ^ address ^ address >> 12 ^ address >> 28) & 0xffff;
}

uint64_t capture_sampler_value(uint32_t index, uint32_t turn)
{
  return value_magic() << 48 | (uint64_t)(turn & TURN_MASK) << 24 | (index & TURN_MASK);
}

bool capture_sampler_parse_value(uint64_t value, uint32_t *ret_index, uint32_t *ret_turn)
{
  *ret_index = (uint32_t)value & TURN_MASK;
  *ret_turn = (uint32_t)(value >> 24) & TURN_MASK;
  return value >> 48 == value_magic();
}

/* The kernel's number for the clock of processor time of one thread; the C library has a name only for the
 * caller's own. */
static clockid_t cpu_clock(pid_t tid)
{
  return (clockid_t)(~(uint32_t)tid << 3 | 6u);
}

/* Not 0, which means that no timer runs. */
static uint32_t next_turn(struct capture_sampler *sampler)
{
  uint32_t turn;

  do
    turn = (atomic_fetch_add_explicit(&sampler->turns, 1, memory_order_relaxed) + 1) & TURN_MASK;
  while (turn == 0);
  return turn;
}

static struct timespec to_timespec(uint64_t ns)
{
  return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

/* Threads' first signals are spread over a period, so that they do not all stop at once again and again. */
static uint64_t first_tick(const struct capture_sampler *sampler, uint32_t turn)
{
  return 1 + turn * UINT64_C(0x9e3779b97f4a7c15) % sampler->period;
}

int capture_timer_begin(struct capture_sampler *sampler, struct capture_thread *thread)
{
  uint32_t index = (uint32_t)(thread - sampler->c->threads), turn = next_turn(sampler);
  pid_t tid = atomic_load_explicit(&thread->tid, memory_order_relaxed);
  bool wall = sampler->options.clock == CAPTURE_SAMPLE_WALL_TIME;
  const struct itimerspec times = {.it_interval = to_timespec(sampler->period),
                                   .it_value = to_timespec(first_tick(sampler, turn))};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  int r;

  event.sigev_notify_thread_id = tid;
  event.sigev_value.sival_ptr = (void *)(uintptr_t)capture_sampler_value(index, turn);
  if (atomic_load_explicit(&thread->timer_runs, memory_order_relaxed))
    return 0;
  if (timer_create(wall ? CLOCK_MONOTONIC : cpu_clock(tid), &event, &thread->timer) < 0)
    return -errno;
  __atomic_store_n(&thread->sampler_data[CAPTURE_SAMPLER_TURN], turn, __ATOMIC_RELEASE);
  if (timer_settime(thread->timer, 0, &times, NULL) < 0) {
    r = -errno;
    __atomic_store_n(&thread->sampler_data[CAPTURE_SAMPLER_TURN], 0, __ATOMIC_RELAXED);
    (void)timer_delete(thread->timer);
    return r;
  }
  atomic_store_explicit(&thread->timer_runs, true, memory_order_release);
  return 0;
}

void capture_timer_end(struct capture_sampler *sampler, struct capture_thread *thread)
{
  __atomic_store_n(&thread->sampler_data[CAPTURE_SAMPLER_TURN], 0, __ATOMIC_RELEASE);
  /* A child of fork has none of them; what has their numbers there is the program's. */
  if (atomic_exchange_explicit(&thread->timer_runs, false, memory_order_acq_rel) && getpid() == sampler->pid)
    (void)timer_delete(thread->timer);
}
