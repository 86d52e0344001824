/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * User stacks by unwind tables: keeps the area that walk.h searches as processes, mappings and tables come
 * and go, and walks in user space what the kernel could not or may not walk.
 *
 * The area is the BPF programs' when there are any, else this process's own memory. Published in this order:
 * table, mappings, process; taken down in reverse, and freed when no program can be looking any more. A full
 * area gives up what was used least recently; its processes miss and come back.
 */
#ifndef RECORDER_UNWINDER_H
#define RECORDER_UNWINDER_H

#include "helpers/recorder/events/bpf.h"
#include "helpers/recorder/tables/tables.h"
#include "helpers/recorder/tasks/process.h"

/* The pollfds that recorder_unwinder_poll sets at most. */
#define RECORDER_UNWINDER_FDS 16

struct recorder_unwinder;
/* One state of an address space, as walk.h searches it; counted by reference. Processes that fork share it.
 */
struct recorder_layout;

struct recorder_unwinder_options {
  struct recorder_bpf *bpf;           /* NULL: none; stays the caller's */
  uint32_t area_size;                 /* without BPF: a power of two; 0: 64 MiB, touched as used */
  struct recorder_binaries *binaries; /* of the processes; stays the caller's */
  struct recorder_tables_options tables;
};

enum recorder_unwinder_answer {
  RECORDER_UNWOUND = 1, /* frames and end are said */
  RECORDER_UNWIND_LATER =
      2, /* a table is pending: ask again when recorder_unwinder_serve says that tables came */
  RECORDER_UNWIND_OUTSIDE =
      3 /* a frame lies outside of all mappings that are known: look at the process again, once */
};

/* What is walked: user-space registers and `size` bytes of the stack as they were at address `stack`. */
struct recorder_unwinder_start {
  struct walk_registers registers;
  bool in_kernel; /* the thread had entered the kernel with these registers */
  const uint8_t *bytes;
  size_t size;
  uint64_t stack;
};

/* 0 or -errno. */
int recorder_unwinder_create(struct recorder_unwinder **ret, const struct recorder_unwinder_options *options);
/* Every layout and process must have been given back or forgotten. */
void recorder_unwinder_free(struct recorder_unwinder *unwinder);

/* The process's mappings changed, or it was first seen: what is known is published by the next
 * recorder_unwinder_publish, and all its tables are requested then when `eagerly`, else as they are missed.
 * Cheap when nothing changed. */
void recorder_unwinder_update(struct recorder_unwinder *unwinder, struct recorder_process *process,
                              bool eagerly);
/* The programs did not find what they needed of the process, which is published anew: they may have forgotten
 * it by an exec that was published before it was over. */
void recorder_unwinder_missed(struct recorder_unwinder *unwinder, struct recorder_process *process);
/* The process was looked at for frames outside of all mappings: what is outside now is followed by frame
 * pointers. */
void recorder_unwinder_looked(struct recorder_unwinder *unwinder, struct recorder_process *process);
/* This generation of the process is over: its mappings are about to go. */
void recorder_unwinder_forget(struct recorder_unwinder *unwinder, struct recorder_process *process);
/* All that happened to processes up to that time (CLOCK_MONOTONIC) was said. Who executed another program
 * later is not told to the programs before that was said, too. */
void recorder_unwinder_reach(struct recorder_unwinder *unwinder, uint64_t time);
/* Tells the programs of what changed. */
void recorder_unwinder_publish(struct recorder_unwinder *unwinder);
/* A sample of the process came, with these addresses of its stack: neither is given up soon. */
void recorder_unwinder_touch(struct recorder_unwinder *unwinder, struct recorder_process *process,
                             const uint64_t *frames, uint32_t count);

/* The process's address space as it is now; a reference of the caller's. */
struct recorder_layout *recorder_unwinder_layout(struct recorder_unwinder *unwinder,
                                                 struct recorder_process *process);
void recorder_layout_release(struct recorder_layout *layout);
/* What is mapped in it. */
struct recorder_mappings *recorder_layout_mappings(const struct recorder_layout *layout);

/* Walks in the process's address space as it was when the layout was taken. Frames: room for `max`.
 * *ret_count and *ret_end are set whatever the answer: how far it went; an end is WALK_MISSED only when the
 * answer is LATER or OUTSIDE. */
enum recorder_unwinder_answer
recorder_unwinder_walk(struct recorder_unwinder *unwinder, const struct recorder_process *process,
                       struct recorder_layout *layout, const struct recorder_unwinder_start *start,
                       uint64_t *frames, uint32_t max, uint32_t *ret_count, enum walk_end *ret_end);

/* Whose table the last walk waits for, when its answer was LATER: no use in asking again while that is
 * pending. NULL: not known. Valid as long as the layout is. */
const struct recorder_binary *recorder_unwinder_awaited(const struct recorder_unwinder *unwinder);

/* How many tables of files that nobody had mapped any more were forgotten, and how many were not asked for
 * since too many waited. */
void recorder_unwinder_count_bounds(const struct recorder_unwinder *unwinder, uint64_t *ret_forgotten,
                                    uint64_t *ret_refused);

/* Descriptors to wait for; at most RECORDER_UNWINDER_FDS. Returns how many were set. */
uint32_t recorder_unwinder_poll(struct recorder_unwinder *unwinder, struct pollfd *fds);
/* Takes what has come. True when tables came: samples that wait may be asked for again. */
bool recorder_unwinder_serve(struct recorder_unwinder *unwinder);

#endif
