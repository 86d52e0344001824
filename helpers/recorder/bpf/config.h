/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs are told when they are loaded; constants to the verifier. Included by both sides. */
#ifndef RECORDER_BPF_CONFIG_H
#define RECORDER_BPF_CONFIG_H

#ifndef __bpf__
#include <stdint.h>
#endif

struct recorder_bpf_config {
  uint64_t area_size;
  uint64_t address_mask;         /* struct walk's */
  uint64_t pid_namespace_device; /* in which processes are numbered */
  uint64_t pid_namespace_inode;  /* 0: the machine's own */
  uint32_t max_frames;
  uint32_t miss_stack;
  uint32_t only_own_events; /* leave records only of tasks that have perf events of their own */
  uint32_t recorder;        /* the process that has rings, which are events, but is not recorded for them */
  uint32_t interpreter;     /* frames of interpreters are delivered, too */
  uint32_t runtime; /* of processes with this one (enum unwind_runtime_kind) functions are delivered */
};

#endif
