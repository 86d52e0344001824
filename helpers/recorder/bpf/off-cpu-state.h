/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of a thread while it is off the CPU. */
#ifndef RECORDER_BPF_OFF_CPU_STATE_H
#define RECORDER_BPF_OFF_CPU_STATE_H

#include "helpers/recorder/bpf/user-stack.h"

#include <bpf/bpf_core_read.h>

/* Of a stack in the kernel: the program's own, and the function through which it was called. */
#define OFF_SKIPPED_FRAMES 2

/* Of task_struct's state: never to come back. */
#define TASK_GOING 0x80 /* TASK_DEAD */

#define TASK_INTERRUPTIBLE   0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED         0xc /* and TASK_TRACED */
#define TASK_PARKED          0x40
#define TASK_NOLOAD          0x400 /* uninterruptible, but idle */
#define TASK_RTLOCK_WAIT     0x1000
#define TASK_FROZEN          0x8000

/* Of a thread that is off the CPU already when the recording begins. */
struct off_found {
  uint32_t size; /* of what follows, as it stands in the ring */
  struct recorder_raw raw;
  struct recorder_raw_registers registers;
  struct recorder_raw_found found;
};

/* Fits a page with the kernel's own part. */
struct off_state {
  uint64_t since;   /* 0: on the CPU */
  uint64_t runtime; /* of the thread then: how long it had been on a CPU in its life */
  uint32_t size;    /* of what follows, as it stands in the ring */
  struct recorder_raw raw;
  struct recorder_raw_off_cpu off;
  uint64_t frames[RECORDER_RAW_OFF_FRAMES];
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct off_state);
} off_states SEC(".maps");

static __always_inline void publish_state(struct off_state *state, uint64_t now)
{
  __sync_lock_test_and_set(&state->since, now);
}

static __always_inline uint32_t off_reason(struct task_struct *task, int preempted, uint32_t state)
{
  if (preempted || state == 0)
    return RECORDER_RAW_PREEMPTED;
  if ((state & (TASK_STOPPED | TASK_FROZEN)) != 0)
    return RECORDER_RAW_STOPPED;
  if (BPF_CORE_READ_BITFIELD(task, in_iowait))
    return RECORDER_RAW_IO;
  if ((state & (TASK_INTERRUPTIBLE | TASK_NOLOAD | TASK_PARKED)) != 0)
    return RECORDER_RAW_SLEEPING;
  return (state & (TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT)) != 0 ? RECORDER_RAW_BLOCKED
                                                                  : RECORDER_RAW_UNKNOWN;
}

/* Process and thread, as its namespace numbers them. */
static __always_inline uint64_t current_numbers(void)
{
  struct bpf_pidns_info info = {0};
  if (config.pid_namespace_inode == 0 ||
      bpf_get_ns_current_pid_tgid(config.pid_namespace_device, config.pid_namespace_inode, &info,
                                  sizeof info) != 0)
    return bpf_get_current_pid_tgid();
  return (uint64_t)info.tgid << 32 | info.pid;
}

#define INTERRUPT_BITS 0xff0100 /* while serving soft interrupts, hard ones and non-maskable ones */

#if defined(__TARGET_ARCH_x86)
/* The count stands so many bytes after the CPU's run queue, whose address is at hand; 0: not known. */
const volatile int64_t preempt_count_place = 0;

static __always_inline int can_tell_interrupts(void)
{
  return preempt_count_place != 0;
}

static __always_inline uint32_t preempt_count(void)
{
  struct task_struct *task = bpf_get_current_task_btf();
  const void *queue = BPF_CORE_READ(task, se.cfs_rq, rq);
  uint32_t count = 0;
  bpf_probe_read_kernel(&count, sizeof count, queue + preempt_count_place);
  return count;
}
#else
static __always_inline int can_tell_interrupts(void)
{
  return 1;
}

static __always_inline uint32_t preempt_count(void)
{
  struct task_struct *task = bpf_get_current_task_btf();
  return BPF_CORE_READ(task, thread_info.preempt.count);
}
#endif

static __always_inline int is_in_interrupt(void)
{
  return (preempt_count() & INTERRUPT_BITS) != 0;
}

#endif
