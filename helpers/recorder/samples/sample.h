/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample, taken apart. */
#ifndef RECORDER_SAMPLE_H
#define RECORDER_SAMPLE_H

#include "helpers/recorder/events/source.h"
#include "helpers/recorder/tables/unwinder.h"

/* Who woke a thread that was off the CPU; tid 0: not known. */
struct recorder_waker {
  int32_t pid;
  int32_t tid;
  const uint64_t *kernel;
  const uint64_t *user;
  uint32_t n_kernel;
  uint32_t n_user;
};

/* Pointers lead into the record, or to where a part of it was kept. Addresses are from the leaf to the root.
 */
struct recorder_sample {
  uint64_t time;
  uint64_t ip;
  uint64_t weight;
  uint32_t event; /* index */
  uint16_t cpu;
  uint8_t mode;    /* enum capture_mode */
  uint8_t outcome; /* enum capture_outcome */
  const uint64_t *kernel;
  const uint64_t *user;
  uint32_t n_kernel;
  uint32_t n_user;
  uint64_t abi; /* PERF_SAMPLE_REGS_ABI_*, where a copy of the stack was asked for: NONE of kernel threads */
  uint64_t detail; /* of an event with details: without the waker */
  struct recorder_waker waker;
  struct recorder_unwinder_start start; /* with bytes: what there is to unwind from */
};

/* Takes a record apart, of the source's event of that index. False when it is too short for what it should
 * hold. */
bool recorder_sample_read(struct recorder_sample *ret, const struct recorder_source *source, uint32_t event,
                          const struct recorder_sample_fixed *record);
/* Sets start from a miss. */
void recorder_sample_set_miss(struct recorder_sample *sample, const struct recorder_raw *raw);

#endif
