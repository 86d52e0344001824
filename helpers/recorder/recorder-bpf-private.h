/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loaded programs consist of: for recorder-bpf*.c, and for tests and benchmarks that look inside. */
#ifndef RECORDER_BPF_PRIVATE_H
#define RECORDER_BPF_PRIVATE_H

#include "helpers/recorder/recorder-bpf.h"

#include "helpers/recorder/bpf/config.h"

#include "perf-event.skel.h"
#include "tracepoint.skel.h"

struct recorder_bpf {
  struct recorder_bpf_config config;
  struct perf_event_bpf *programs;
  struct tracepoint_bpf *tracepoint; /* NULL: no event has been one yet */
  uint64_t *tracepoints;             /* that have the program */
  int *tracepoint_fds;               /* events of this process's that keep it there, one each */
  uint32_t n_tracepoints;
  void *area;
  size_t area_size;
};

/* Before the programs are loaded; off_cpu NULL: those that record time off the CPU are left out. */
void recorder_bpf_configure_off_cpu(struct perf_event_bpf *programs,
                                    const struct recorder_off_cpu_options *off_cpu);
/* Afterwards: attached, but nobody's time is recorded yet. 0 or -errno. */
int recorder_bpf_attach_off_cpu(struct perf_event_bpf *programs);

#endif
