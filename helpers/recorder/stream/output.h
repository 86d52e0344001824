/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stream: writes definitions the first time an epoch needs them, and counts what could not be written.
 * Functions that define return 0, -EAGAIN (no window is free: drop what needed it, and count it) or
 * -ENOSPC (the epoch is full: recorder_output_next_epoch, then again).
 */
#ifndef RECORDER_OUTPUT_H
#define RECORDER_OUTPUT_H

#include "helpers/recorder-protocol.h"
#include "helpers/recorder/events/event.h"
#include "helpers/recorder/tasks/process.h"
#include "libcapture/file/capture-writer.h"

struct recorder_names;

struct recorder_output {
  capture_pool *pool;
  capture_sink sink;
  capture_writer *writer;
  uint32_t epoch;               /* the writer's, here for speed */
  struct recorder_names *names; /* told of what is defined; NULL: nothing is to be named */
  bool command_lines;
  uint32_t window_count;
  const struct recorder_event_type *events;
  uint32_t event_ids[RECORDER_EVENTS_MAX];
  uint32_t events_epoch;                /* in which the events were defined */
  uint64_t samples;                     /* written */
  uint64_t outcomes[RECORDER_OUTCOMES]; /* of these, by enum capture_outcome */
  uint64_t lost;                        /* in all, for whatever reason */
  uint64_t throttled;
  uint64_t dropped; /* for want of a window, not yet in the stream */
  uint64_t dropped_records;
  uint64_t damaged; /* not understood, not yet in the stream */
};

/* Options may be NULL. 0 or -errno. */
int recorder_output_init(struct recorder_output *output, const struct recorder_configure *configure,
                         const struct recorder_event_type *events,
                         const struct capture_writer_options *options);
/* Commits and closes all windows. The pool's descriptors stay valid in the caller's process. */
void recorder_output_clear(struct recorder_output *output);

int recorder_output_process(struct recorder_output *output, struct recorder_process *process);
int recorder_output_thread(struct recorder_output *output, struct recorder_thread *thread);
/* Process 0 (NULL) is the kernel. */
int recorder_output_mapping(struct recorder_output *output, const struct recorder_process *process,
                            const struct recorder_mapping *mapping);
int recorder_output_events(struct recorder_output *output);
int recorder_output_next_epoch(struct recorder_output *output);

/* Writes into the records window; counts the record as dropped when there is no room. */
void recorder_output_record(struct recorder_output *output, const struct capture_record *record,
                            uint64_t time);
/* A message for people: one sentence, at most 255 bytes of it. */
void recorder_output_say(struct recorder_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts a record of perf's that could not be understood. */
void recorder_output_damaged(struct recorder_output *output);
/* A loss that perf told of: into the stream and the counts. event 0: not known. */
void recorder_output_lost(struct recorder_output *output, uint64_t time, uint64_t samples, uint64_t records,
                          uint32_t cpu, uint32_t event);
/* True while losses wait to be written. */
bool recorder_output_owes(const struct recorder_output *output);
/* Writes what was dropped or damaged, if that is possible now, and publishes all. */
void recorder_output_commit(struct recorder_output *output, uint64_t time);

#endif
