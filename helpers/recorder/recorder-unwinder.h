/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * User stacks by unwind tables: keeps the area that walk.h searches as processes, mappings and tables come and go, and walks
 * in user space what the kernel could not or may not walk.
 *
 * The area is the BPF programs' when there are any, else this process's own memory. Published in this order: table, mappings,
 * process; taken down in reverse, and freed when no program can be looking any more. A full area gives up what was
 * used least recently; its processes miss and come back.
 */
#ifndef RECORDER_UNWINDER_H
#define RECORDER_UNWINDER_H

#include "helpers/recorder/recorder-bpf.h"
#include "helpers/recorder/recorder-process.h"
#include "helpers/recorder/recorder-tables.h"

struct recorder_unwinder;

enum recorder_unwinder_answer {
  RECORDER_UNWOUND = 1, /* frames and end are said */
  RECORDER_UNWIND_LATER = 2 /* a table is pending: ask again when recorder_unwinder_serve says that tables came */
};

/* bpf may be NULL; it stays the caller's. */
int recorder_unwinder_create(struct recorder_unwinder **ret, struct recorder_bpf *bpf, const struct recorder_tables_options *options);
void recorder_unwinder_free(struct recorder_unwinder *unwinder);

/* The process's mappings changed, or it was first seen: its tables are requested (all of them at once when `eagerly`, else as
 * they are missed) and what is known is published. */
void recorder_unwinder_update(struct recorder_unwinder *unwinder, struct recorder_process *process, bool eagerly);
/* This generation of the process is over. */
void recorder_unwinder_forget(struct recorder_unwinder *unwinder, struct recorder_process *process);

/* Walks over registers and `size` bytes of the stack as they were at address `stack`. Frames: room for `max`. */
enum recorder_unwinder_answer recorder_unwinder_walk(struct recorder_unwinder *unwinder, struct recorder_process *process,
                                                     const struct walk_registers *registers, bool in_kernel, const uint8_t *bytes,
                                                     size_t size, uint64_t stack, uint64_t *frames, uint32_t max, uint32_t *ret_count,
                                                     enum walk_end *ret_end);

uint32_t recorder_unwinder_poll(struct recorder_unwinder *unwinder, struct pollfd *fds);
/* True when tables came: samples that wait may be asked for again. */
bool recorder_unwinder_serve(struct recorder_unwinder *unwinder);

#endif
