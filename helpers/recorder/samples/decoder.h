/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the records of perf's rings, in the order of time, into the stream. */
#ifndef RECORDER_DECODER_H
#define RECORDER_DECODER_H

#include "helpers/recorder/events/source.h"
#include "helpers/recorder/languages/functions.h"
#include "helpers/recorder/samples/held.h"
#include "helpers/recorder/samples/misses.h"
#include "helpers/recorder/stream/kernel.h"
#include "helpers/recorder/stream/output.h"
#include "helpers/recorder/tasks/tasks.h"

/* More than any kernel gives: sample_max_stack has 16 bits. */
#define RECORDER_STACK_MAX 65536

/* Of a stack in which words stand for several functions. */
#define RECORDER_EXPANDED_MAX 4096

struct recorder_decoder {
  struct recorder_output *output;
  const struct recorder_source *source;
  struct recorder_unwinder *unwinder; /* NULL: stacks come from perf, or not at all */
  struct recorder_tasks tasks;
  struct recorder_kernel kernel;
  struct recorder_functions functions;
  struct recorder_table targets; /* pids whose samples are kept; empty: everybody's */
  struct recorder_held_queue held;
  bool tables_came;              /* since held samples were tried last */
  uint64_t delivery_due;         /* when they may be tried again */
  struct recorder_misses misses; /* of threads that are off the CPU */
  uint32_t off_cpu;              /* the event's index; UINT32_MAX: none */
  uint64_t off_cpu_lost;         /* of its samples, as far as the stream was told */
  uint32_t *frames;              /* RECORDER_STACK_MAX of them, for the stack at hand */
  uint32_t *nodes;               /* likewise */
  bool eager;                    /* tables of all processes are requested before they are missed */
  uint64_t waker_addresses[RECORDER_RAW_OFF_WAKER_USER];
  uint64_t *expanded;  /* RECORDER_EXPANDED_MAX of them, likewise */
  uint64_t *addresses; /* WALK_FRAMES_MAX of them, for the stack that is being walked */
};

void recorder_decoder_init(struct recorder_decoder *decoder, struct recorder_output *output,
                           const struct recorder_source *source);
/* For sources whose stacks are walked by tables; takes the unwinder over. Before the first record. */
void recorder_decoder_set_unwinder(struct recorder_decoder *decoder, struct recorder_unwinder *unwinder);
void recorder_decoder_clear(struct recorder_decoder *decoder);

/* One record; damaged ones are counted. */
void recorder_decoder_record(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record);
/* The process is a target: what unwinding it needs is requested now. */
void recorder_decoder_expect(struct recorder_decoder *decoder, int32_t pid);
/* After a round of records, or when the unwinder's descriptors are readable: takes tables that came, delivers
 * samples that waited for them or for too long (now is of CLOCK_MONOTONIC), and tells the programs what
 * changed. */
void recorder_decoder_serve(struct recorder_decoder *decoder, uint64_t now);

/* Delivers what still waits as far as its stacks are known. */
void recorder_decoder_drop_held(struct recorder_decoder *decoder);

/* The kinds of records. */
void recorder_decoder_sample(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record);
void recorder_decoder_task(struct recorder_decoder *decoder, struct recorder_ring *ring,
                           const struct perf_event_header *record);

/* What a BPF program left of time off the CPU: `size` bytes, aligned as in a ring; record says when, where
 * and by whom it was left. False when it is nothing of that kind. */
bool recorder_decoder_off_cpu(struct recorder_decoder *decoder, struct recorder_ring *ring,
                              const struct recorder_sample_fixed *record, const struct recorder_raw *raw,
                              uint32_t size);
/* The same, of a thread that is still off the CPU at that time. */
void recorder_decoder_off_cpu_rest(struct recorder_decoder *decoder, uint64_t time,
                                   const struct recorder_raw *raw, uint32_t size);

/* Walks the stack of a thread of that process from start now, into decoder->addresses. False when it misses a
 * table. */
bool recorder_decoder_walk(struct recorder_decoder *decoder, struct recorder_sample *sample,
                           struct recorder_process *process);
/* The same, or the sample is held back: then false, too, and it is written later. */
bool recorder_decoder_walk_or_hold(struct recorder_decoder *decoder, struct recorder_sample *sample,
                                   struct recorder_thread *thread);
/* The outcome that an end of a walk (enum walk_end) is. */
uint8_t recorder_decoder_outcome(uint32_t end);
/* Finds the sample's user stack and how it ended. False: it is held back, and written later. */
bool recorder_decoder_unwind(struct recorder_decoder *decoder, struct recorder_sample *sample,
                             struct recorder_thread *thread, const struct recorder_raw *raw);
/* Writes a sample, and counts it or its loss. layout: by which its addresses are understood, NULL for the
 * thread's address space as it is now. */
void recorder_decoder_write(struct recorder_decoder *decoder, struct recorder_sample *sample,
                            struct recorder_thread *thread, struct recorder_memo *kernel_memo,
                            const struct recorder_layout *layout);

/* True when records of this thread that come from events opened for `tid` count. A thread that was opened
 * itself and also inherits from another is sampled twice: the first that tells of it is believed, alone. */
bool recorder_decoder_believes(const struct recorder_decoder *decoder, struct recorder_thread *thread,
                               int32_t tid);

#endif
