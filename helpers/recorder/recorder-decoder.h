/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the records of perf's rings, in the order of time, into the stream. */
#ifndef RECORDER_DECODER_H
#define RECORDER_DECODER_H

#include "helpers/recorder/recorder-kernel.h"
#include "helpers/recorder/recorder-output.h"
#include "helpers/recorder/recorder-source.h"
#include "helpers/recorder/recorder-tasks.h"

/* More than any kernel gives: sample_max_stack has 16 bits. */
#define RECORDER_STACK_MAX 65536

struct recorder_decoder {
  struct recorder_output *output;
  const struct recorder_source *source;
  struct recorder_tasks tasks;
  struct recorder_kernel kernel;
  struct recorder_table targets; /* pids whose samples are kept; empty: everybody's */
  uint32_t *frames;              /* RECORDER_STACK_MAX of them, for the stack at hand */
  uint32_t *nodes;               /* likewise */
};

void recorder_decoder_init(struct recorder_decoder *decoder, struct recorder_output *output,
                           const struct recorder_source *source);
void recorder_decoder_clear(struct recorder_decoder *decoder);

/* One record; damaged ones are counted. */
void recorder_decoder_record(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record);

/* The kinds of records. */
void recorder_decoder_sample(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record);
void recorder_decoder_task(struct recorder_decoder *decoder, struct recorder_ring *ring,
                           const struct perf_event_header *record);

/* True when records of this thread that come from events opened for `tid` count. A thread that was opened
 * itself and also inherits from another is sampled twice: the first that tells of it is believed, alone. */
bool recorder_decoder_believes(const struct recorder_decoder *decoder, struct recorder_thread *thread,
                               int32_t tid);

#endif
