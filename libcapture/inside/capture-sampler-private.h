/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampler: a timer for each thread whose signal is delivered to that thread, and the signal's handler.
 *
 * A timer's signal carries which entry of the array of threads is meant, and the turn of that entry's timer:
 * so the handler needs no thread-local storage, and a signal of a timer that is no more is nobody's. Its
 * memory is kept until the capture is closed, so that a handler that comes late finds it.
 */
#ifndef CAPTURE_SAMPLER_PRIVATE_H
#define CAPTURE_SAMPLER_PRIVATE_H

#include <signal.h>

#include "libcapture/inside/capture-inside-private.h"
#include "libcapture/inside/capture-maps-private.h"

#define CAPTURE_SAMPLER_FREQUENCY     1000u
#define CAPTURE_SAMPLER_FREQUENCY_MAX 100000u
#define CAPTURE_SAMPLER_MAX_STACK     127u

/* Of the program's actions for SIGPROF so many are kept that a handler still reads the one it began with. */
#define CAPTURE_SAMPLER_ACTIONS 8u

struct capture_sampler {
  capture *c;
  bool runs;
  bool is_quiet;           /* it runs without timers: nobody records, or somebody else took SIGPROF */
  bool is_short_of_timers; /* which has been said */
  pid_t pid;               /* whose timers they are */
  struct capture_sampler_options options; /* all of them filled in */
  uint64_t period;                        /* nanoseconds */
  _Atomic uint32_t action;                /* which of those is the program's for SIGPROF */
  struct sigaction actions[CAPTURE_SAMPLER_ACTIONS];
  _Atomic uint32_t passed_on; /* signals that were the program's */
  _Atomic uint32_t turns;     /* timers that were begun */
  struct capture_maps maps;
};

/* Of struct capture_thread.sampler_data: the turn of the timer that runs; 0: none. */
#define CAPTURE_SAMPLER_TURN 0

/* The capture's sampler, also after it was stopped; NULL before the first start. Async-signal-safe. */
static inline struct capture_sampler *capture_sampler_get(const capture *c)
{
  return __atomic_load_n((struct capture_sampler *const *)&c->sampler, __ATOMIC_ACQUIRE);
}

/* What a timer's signal carries. */
uint64_t capture_sampler_value(uint32_t index, uint32_t turn);
bool capture_sampler_parse_value(uint64_t value, uint32_t *ret_index, uint32_t *ret_turn);

/* The thread's timer; one caller at a time. 0 or a negative errno. */
int capture_timer_begin(struct capture_sampler *sampler, struct capture_thread *thread);
void capture_timer_end(struct capture_sampler *sampler, struct capture_thread *thread);

/* SIGPROF; one caller at a time, too. install: -EBUSY when somebody has it, -EALREADY when that is a sampler.
 * remove waits until no thread is in the handler any more; false when somebody else has taken the signal,
 * which is left to him. */
int capture_signal_install(struct capture_sampler *sampler);
bool capture_signal_is_ours(void);
bool capture_signal_remove(const struct capture_sampler *sampler);

#endif
