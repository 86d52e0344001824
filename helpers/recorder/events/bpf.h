/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The BPF programs of a recording: loaded, attached, fed. All of it goes when this process does; no map's
 * descriptor leaves it. A build without clang, bpftool or libbpf has this interface, too: recorder_bpf_open
 * then says what is lacking.
 */
#ifndef RECORDER_BPF_H
#define RECORDER_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/recorder/bpf/off-cpu-member.h"
#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/common/error.h"
#include "unwind/walk/walk-types.h"

struct recorder_bpf;

/* What is to be known of time off the CPU. */
struct recorder_off_cpu_options {
  uint64_t threshold; /* ns: what is shorter is left out */
  bool everybody;     /* else members only */
  bool children;      /* processes that members start are members; their threads always are */
  bool kernel;        /* with the kernel's stacks */
  uint32_t unwind; /* enum recorder_unwind: how user stacks are found. TABLES: they are missed, and walked in
                      user space */
};

struct recorder_bpf_options {
  uint32_t area_size;       /* bytes, a power of two, at most 2^29 */
  uint32_t max_stack;       /* frames, user and kernel apart; at most WALK_FRAMES_MAX */
  uint32_t miss_stack;      /* bytes of the stack that a piece of a miss carries at most, of two */
  uint32_t processes;       /* that can be known at once */
  uint32_t interpreter;     /* frames of interpreters are delivered, too */
  uint32_t only_own_events; /* tracepoints: leave records only of tasks that have perf events of their own, as
                               those have that are recorded one by one; 0: of all */
  const struct recorder_off_cpu_options *off_cpu; /* NULL: time off the CPU is not recorded */
};

/* Loads the programs. 0, or a negative errno and in error a sentence that says what lacks (CAP_BPF and
 * CAP_PERFMON, a kernel with BTF, the build's tools) and what to do. */
int recorder_bpf_open(struct recorder_bpf **ret, const struct recorder_bpf_options *options,
                      struct recorder_error *error);
void recorder_bpf_close(struct recorder_bpf *bpf);

/* The area that walk.h searches, mapped writable; zero at first. */
void *recorder_bpf_area(struct recorder_bpf *bpf, size_t *ret_size);

/* The process whose mappings stand in the area; replaces what was said of it. `since` (CLOCK_MONOTONIC): what
 * is said was true then. Three system calls. 0 or -errno (-E2BIG: too many; -ESTALE: it has executed another
 * program since, of which nothing is said). */
int recorder_bpf_set_process(struct recorder_bpf *bpf, int32_t pid, const struct walk_process *process,
                             uint64_t since);
int recorder_bpf_remove_process(struct recorder_bpf *bpf, int32_t pid);

/* There is a process with that runtime (enum unwind_runtime_kind). The programs that know its functions come
 * a little later; until then, and where the kernel does not take them, its stacks have native frames alone.
 */
void recorder_bpf_want_runtime(struct recorder_bpf *bpf, uint32_t runtime);
/* Does what is due of that; does not wait. */
void recorder_bpf_serve(struct recorder_bpf *bpf);
/* The name of a language whose programs the kernel did not take, or NULL. */
const char *recorder_bpf_refused_runtime(const struct recorder_bpf *bpf);

/* Where the programs leave their records on that CPU: a descriptor of PERF_COUNT_SW_BPF_OUTPUT. It stays the
 * caller's. */
int recorder_bpf_set_output(struct recorder_bpf *bpf, uint32_t cpu, int fd);
/* User stacks for the samples of that event, and of all that inherit from it; until the descriptor is closed.
 * A tracepoint (its id, as in struct perf_event_attr's config; 0: the event is none) has the program itself,
 * until recorder_bpf_close, and leaves records whether its event takes a sample or not. While it
 * runs, the kernel takes no samples of other events with programs on that CPU, and does not count them. 0 or
 * -errno. */
int recorder_bpf_attach(struct recorder_bpf *bpf, int event_fd, uint64_t tracepoint);

/* With off_cpu only. The process, known by a descriptor of its own, becomes a member. 0 or -errno. */
int recorder_bpf_off_cpu_add(struct recorder_bpf *bpf, int pidfd, enum recorder_off_cpu_member member);
/* From now on records are left, or not any more. */
void recorder_bpf_off_cpu_enable(struct recorder_bpf *bpf, bool enable);
/* Records that were lost up to now. */
uint64_t recorder_bpf_off_cpu_lost(const struct recorder_bpf *bpf);

typedef void (*recorder_bpf_rest_fn)(const struct recorder_raw *raw, uint32_t size, void *data);
/* After enabling: those threads that were off the CPU already are so from now on, for the programs; hands
 * over a RECORDER_RAW_OFF_CPU_MISS of each whose user stack is to be walked, followed by struct
 * recorder_raw_found. Only threads of the first namespace of processes are found. 0 or -errno. */
int recorder_bpf_off_cpu_found(struct recorder_bpf *bpf, recorder_bpf_rest_fn fn, void *data);
/* When nothing is left any more: hands over the records of those threads that are still off the CPU, up to
 * this moment. The raw record is aligned as in a ring, and valid during the call. 0 or -errno. */
int recorder_bpf_off_cpu_rest(struct recorder_bpf *bpf, recorder_bpf_rest_fn fn, void *data);

#endif
