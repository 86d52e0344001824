/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loaded programs consist of: for recorder-bpf.c, and for tests and benchmarks that look inside. */
#ifndef RECORDER_BPF_PRIVATE_H
#define RECORDER_BPF_PRIVATE_H

#include "helpers/recorder/recorder-bpf.h"

#include "perf-event.skel.h"

struct recorder_bpf {
  struct perf_event_bpf *programs;
  void *area;
  size_t area_size;
};

#endif
