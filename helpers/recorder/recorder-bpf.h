/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The BPF programs of a recording: loaded, attached, fed. All of it goes when this process does; no map's descriptor leaves it.
 * A build without clang, bpftool or libbpf has this interface, too: recorder_bpf_open then says what is lacking.
 */
#ifndef RECORDER_BPF_H
#define RECORDER_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "helpers/recorder/recorder-error.h"
#include "unwind/walk-types.h"

struct recorder_bpf;

struct recorder_bpf_options {
  uint32_t area_size;   /* bytes, a power of two, at most 2^29 */
  uint32_t max_stack;   /* frames, user and kernel apart; at most WALK_FRAMES_MAX */
  uint32_t miss_stack;  /* bytes of the stack that a miss carries at most */
  uint32_t processes;   /* that can be known at once */
};

/* Loads the programs. 0, or a negative errno and in error a sentence that says what lacks (CAP_BPF and CAP_PERFMON, a
 * kernel with BTF, the build's tools) and what to do. */
int recorder_bpf_open(struct recorder_bpf **ret, const struct recorder_bpf_options *options, struct recorder_error *error);
void recorder_bpf_close(struct recorder_bpf *bpf);

/* The area that walk.h searches, mapped writable; zero at first. */
void *recorder_bpf_area(struct recorder_bpf *bpf, size_t *ret_size);

/* The process whose mappings stand in the area; replaces what was said of it. One system call. 0 or -errno (-E2BIG: too many). */
int recorder_bpf_set_process(struct recorder_bpf *bpf, int32_t pid, const struct walk_process *process);
int recorder_bpf_remove_process(struct recorder_bpf *bpf, int32_t pid);

/* Where the programs leave their records on that CPU: a descriptor of PERF_COUNT_SW_BPF_OUTPUT. It stays the caller's. */
int recorder_bpf_set_output(struct recorder_bpf *bpf, uint32_t cpu, int fd);
/* User stacks for the samples of that event, and of all that inherit from it; until the descriptor is closed. tracepoint: the
 * event is one. */
int recorder_bpf_attach(struct recorder_bpf *bpf, int event_fd, int tracepoint);

#endif
