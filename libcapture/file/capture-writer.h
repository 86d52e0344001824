/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes one stream: interns what samples refer to, writes samples, starts epochs.
 *
 * All memory is taken when the writer is created; afterwards no call allocates, locks or sets
 * errno, so each is async-signal-safe. A writer is used by one thread at a time.
 *
 * Functions that define something return its identifier (> 0) or a negative errno:
 *   -EAGAIN   no window is free; nothing was defined; count what you drop and go on
 *   -ENOSPC   the epoch is full: call capture_writer_next_epoch() and define again what you need
 *   -EINVAL   an argument that can never be written (a string of 60,000 bytes …)
 * A sink that failed once is not written to again: whatever needs a window returns its first error.
 * Identifiers hold for one epoch: remember capture_writer_epoch() beside each that you keep.
 * A definition is committed with the next capture_writer_commit(), always before the samples
 * that were written after it.
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include "libcapture/file/capture-sink.h"

typedef struct capture_writer capture_writer;

struct capture_writer_options {
  size_t size;          /* sizeof (struct capture_writer_options) */
  uint32_t max_nodes;   /* an epoch; 0: 1 << 20. Memory is about 32 bytes a node, touched as used */
  uint32_t max_frames;  /* 0: 1 << 19 */
  uint32_t max_strings; /* 0: 1 << 16 */
  uint32_t max_events;  /* 0: 64 */
};

/* In epoch 1. The sink stays the caller's and must outlive the writer; options may be NULL. Returns 0,
 * -EINVAL (limits that identifiers have no room for) or -ENOMEM; *ret is untouched on failure. Not
 * async-signal-safe. */
int capture_writer_create(capture_writer **ret, capture_sink *sink,
                          const struct capture_writer_options *options);
/* Commits and closes every open window, then frees. Not async-signal-safe. Returns 0 or the first error of a
 * close. */
int capture_writer_destroy(capture_writer *writer);

/* The epoch in which definitions made now hold, from 1. */
uint32_t capture_writer_epoch(const capture_writer *writer);
/* Closes all windows, forgets all definitions. Returns 0 or a negative errno of the sink. */
int capture_writer_next_epoch(capture_writer *writer);

/* Interned: the same bytes have the same identifier. length at most 4095 (longer ones are cut by the caller).
 */
int64_t capture_writer_string(capture_writer *writer, const char *bytes, size_t length);
/* Interned by (kind, owner, base). */
int64_t capture_writer_space(capture_writer *writer, uint32_t kind, uint32_t owner, uint64_t base);
/* Interned: the instruction at `address`, an offset of that kind and owner (the base is split off here). */
int64_t capture_writer_frame(capture_writer *writer, uint32_t kind, uint32_t owner, uint64_t address);
/* How many frames this epoch has; their identifiers are 1 to that. */
uint32_t capture_writer_n_frames(const capture_writer *writer);
/* What a frame of this epoch was interned as. */
void capture_writer_get_frame(const capture_writer *writer, uint32_t frame, uint32_t *ret_kind,
                              uint32_t *ret_owner, uint64_t *ret_address);
/* Interned: the node for `frames[0 … count)`, given from the leaf to the root as samples come,
 * on top of `root` (a node, or 0). count may be 0, then root is returned. */
int64_t capture_writer_stack(capture_writer *writer, uint32_t root, const uint32_t *frames, size_t count);
/* As capture_writer_stack, and tells the node of each frame: ret_nodes[i] is that of frames[i … count).
 * Whoever remembers them begins the next stack where it parts from this one. Undefined on failure. */
int64_t capture_writer_path(capture_writer *writer, uint32_t root, const uint32_t *frames, size_t count,
                            uint32_t *ret_nodes);
/* Interned: user and kernel joined; when either is 0 the other is returned. */
int64_t capture_writer_join(capture_writer *writer, uint32_t user, uint32_t kernel);

/* Writes record (record.size bytes, any dictionary type but STRING … NODES) into the dictionary.
 * When the record has an identifier field it must come from capture_writer_next_id(). */
int capture_writer_define(capture_writer *writer, const struct capture_record *record);
/* The next identifier for BINARY, PROCESS, THREAD, EVENT, FUNCTION (one of the strings' sequence) or COUNTER;
 * type is their record type. 0 when max_events or max_strings are given out, or for another type. */
uint32_t capture_writer_next_id(capture_writer *writer, uint16_t type);

/* Writes a record (LOST … LOG, MESSAGE) into the records window; time is its time (0: none).
 * Returns 0, -EAGAIN, -EINVAL (another type, not valid, longer than a window) or the sink's error. */
int capture_writer_record(capture_writer *writer, const struct capture_record *record, uint64_t time);

/* Writes a record (STRING, NAMED_BINARY, FUNCTIONS, PLACE_FRAMES, PLACE, MACHINE_CODE, PLACES_OUTCOME,
 * SOURCE_TEXT) into the names window. Its identifiers are the caller's to give out, from 1, of strings as of
 * binaries and place frames, and are looked up among the names of this epoch alone; so that nobody takes them
 * for those of a dictionary, names come in an epoch of their own. Returns as capture_writer_record. */
int capture_writer_name(capture_writer *writer, const struct capture_record *record);

struct capture_writer_sample {
  uint64_t time;
  uint32_t event; /* of an EVENT of this epoch */
  uint32_t thread;
  uint32_t leaf;
  uint16_t cpu;
  uint8_t outcome;
  uint8_t mode;
  uint64_t weight;
  uint64_t detail;
  bool has_detail;
};

/* Appends an entry to the event's samples window and opens another when the time does not fit
 * (earlier than the entry before it, or 2^32 ns after the window's first), the window is full or the
 * entry size changes: 16 bytes as long as the weight is the window's, 24 after an event's weight
 * has varied within a window, 32 once one had a detail. Returns 0, -EAGAIN, -EINVAL (event 0 or above
 * max_events) or the sink's error. */
int capture_writer_sample(capture_writer *writer, const struct capture_writer_sample *sample);

/* Publishes all that was written: dictionaries first. */
void capture_writer_commit(capture_writer *writer);
/* As commit, and closes every open window, so that a consumer can release them. 0 or a sink's error. */
int capture_writer_flush(capture_writer *writer);

#endif
