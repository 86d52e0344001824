/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loaded programs consist of: for recorder-bpf*.c, and for tests and benchmarks that look inside. */
#ifndef RECORDER_BPF_PRIVATE_H
#define RECORDER_BPF_PRIVATE_H

#include "helpers/recorder/events/bpf.h"

#include <sys/types.h>

#include "helpers/recorder/bpf/config.h"

#include "off-cpu.skel.h"
#include "perf-event.skel.h"
#include "tracepoint.skel.h"

struct recorder_bpf {
  struct recorder_bpf_config config;
  struct perf_event_bpf *programs;
  int exec_fd; /* of the link by which the program that forgets processes is attached; -1 before */
  struct off_cpu_bpf *off_cpu;       /* NULL: time off the CPU is not recorded */
  struct tracepoint_bpf *tracepoint; /* NULL: no event has been one yet */
  uint64_t *tracepoints;             /* that have the program */
  int *tracepoint_fds;               /* events of this process's that keep it there, one each */
  uint32_t n_tracepoints;
  uint32_t runtimes_wanted; /* each a bit, by enum unwind_runtime_kind */
  uint32_t runtimes_begun;
  uint32_t runtimes_loading;
  uint32_t runtimes_refused;
  pid_t loader; /* of programs for a runtime; 0: there is none */
  void *area;
  size_t area_size;
};

/* Lets the programs of an object that is yet to be loaded use the maps that are there already. 0 or -errno.
 */
int recorder_bpf_share_maps(struct recorder_bpf *bpf, struct bpf_object *object);

/* Loads and attaches the programs that record time off the CPU, but nobody's is recorded yet. 0 or -errno. */
int recorder_bpf_load_off_cpu(struct recorder_bpf *bpf, const struct recorder_off_cpu_options *options);

/* Ends the child process that loads programs for a runtime, if there is one. */
void recorder_bpf_end_loader(struct recorder_bpf *bpf);

#endif
