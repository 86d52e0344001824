/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAPTURE_WRITER_PRIVATE_H
#define CAPTURE_WRITER_PRIVATE_H

#include "libcapture/file/capture-table.h"
#include "libcapture/file/capture-writer.h"

/* Items of NODES that are gathered, so that many chains share a record's header. */
#define CAPTURE_WRITER_ITEMS_MAX 2048

/* A window being filled. */
struct capture_writer_window {
  struct capture_slot slot;
  uint32_t used; /* bytes of content */
  uint64_t time_first;
  uint64_t time_last;
};

struct capture_writer_event {
  struct capture_writer_window window;
  uint64_t weight;     /* the window's, when entry_size is 16 */
  uint32_t entry_size; /* of the window */
  uint32_t entry_min;  /* what this epoch's samples have shown to need */
};

/* Strings stand in an arena, in the order of their identifiers; the table tells them apart by hash. */
struct capture_writer_strings {
  char *arena;
  uint32_t *ends;                   /* by identifier: where in the arena its bytes end; ends[0] is 0 */
  struct capture_table_slot *slots; /* never more than half full */
  uint64_t seed;
  uint32_t arena_size;
  uint32_t mask;
  uint32_t count;
  uint32_t max;
};

struct capture_writer {
  capture_sink *sink;
  int error; /* first error of a close; nothing is written any more */
  uint32_t epoch;

  struct capture_writer_window dictionary;
  struct capture_writer_window records;
  struct capture_writer_window names;
  struct capture_writer_event *events; /* by identifier */
  uint32_t max_events;
  uint32_t n_events; /* highest identifier that was sampled */

  struct capture_table spaces;
  struct capture_table frames;
  struct capture_table nodes; /* stack nodes and joins; a join's low has CAPTURE_WRITER_JOIN set */
  struct capture_writer_strings strings;
  /* Interned but not yet in the window: the last of their tables. The window always has room for them. */
  uint32_t pending_frames;
  uint32_t pending_nodes; /* of which items speak */
  uint32_t n_pending_items;
  uint32_t current; /* node after those items, see capture_record_nodes */
  uint32_t pending_items[CAPTURE_WRITER_ITEMS_MAX];
  struct capture_pair last_space; /* what capture_writer_frame asked for last */
  uint32_t last_space_id;
  uint32_t next_ids[CAPTURE_RECORD_EVENT - CAPTURE_RECORD_BINARY + 1];
  uint32_t last_counter;
};

#define CAPTURE_WRITER_JOIN 0x80000000u

/* The dictionary. Room for `size` more bytes beside what is pending: 0, -EAGAIN or the sink's error. */
int capture_writer_reserve(capture_writer *writer, uint32_t size);
/* Writes what is pending and commits. */
void capture_writer_commit_dictionary(capture_writer *writer);
int capture_writer_close_dictionary(capture_writer *writer);
void capture_writer_forget(capture_writer *writer);

int capture_writer_strings_create(struct capture_writer_strings *strings, uint32_t max, uint64_t seed);
void capture_writer_strings_destroy(struct capture_writer_strings *strings);
void capture_writer_strings_clear(struct capture_writer_strings *strings);
/* An identifier that no string gets; 0 when there are none left. */
uint32_t capture_writer_strings_skip(struct capture_writer_strings *strings);

/* Windows. */
int capture_writer_open_window(capture_writer *writer, struct capture_writer_window *window,
                               const struct capture_window_header *fill);
void capture_writer_commit_window(capture_writer *writer, struct capture_writer_window *window);
int capture_writer_close_window(capture_writer *writer, struct capture_writer_window *window);

#endif
