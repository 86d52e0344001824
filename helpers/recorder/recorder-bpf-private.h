/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loaded programs consist of: for recorder-bpf*.c, and for tests and benchmarks that look inside. */
#ifndef RECORDER_BPF_PRIVATE_H
#define RECORDER_BPF_PRIVATE_H

#include "helpers/recorder/recorder-bpf.h"

#include "perf-event.skel.h"

struct recorder_bpf {
  struct perf_event_bpf *programs;
  void *area;
  size_t area_size;
};

/* Before the programs are loaded; off_cpu NULL: those that record time off the CPU are left out. */
void recorder_bpf_configure_off_cpu(struct perf_event_bpf *programs,
                                    const struct recorder_off_cpu_options *off_cpu);
/* Afterwards: attached, but nobody's time is recorded yet. 0 or -errno. */
int recorder_bpf_attach_off_cpu(struct perf_event_bpf *programs);

#endif
