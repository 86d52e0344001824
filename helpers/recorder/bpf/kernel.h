/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What BPF programs need to know of the kernel: few things, so they stand here by hand. */
#ifndef RECORDER_BPF_KERNEL_H
#define RECORDER_BPF_KERNEL_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

/* As libbpf's headers call them. */
typedef int16_t __s16;
typedef int32_t __s32;
typedef int64_t __s64;
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

enum bpf_map_type {
  BPF_MAP_TYPE_HASH = 1,
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_PROG_ARRAY = 3,
  BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
  BPF_MAP_TYPE_PERCPU_ARRAY = 6,
  BPF_MAP_TYPE_LRU_HASH = 9,
  BPF_MAP_TYPE_TASK_STORAGE = 29
};

#define BPF_ANY           0
#define BPF_F_NO_PREALLOC 1
#define BPF_F_MMAPABLE    (1 << 10)
#define BPF_F_CURRENT_CPU 0xffffffffull
#define BPF_F_USER_STACK  (1 << 8)

#define BPF_LOCAL_STORAGE_GET_F_CREATE 1

#define ENOENT 2
#define EBUSY  16

struct bpf_pidns_info {
  uint32_t pid;
  uint32_t tgid;
};

/* A thread's registers as the kernel saves them and as perf_event programs are given them:
 * bpf_user_pt_regs_t. */
#if defined(__TARGET_ARCH_x86)
struct recorder_pt_regs {
  uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct recorder_pt_regs {
  uint64_t regs[31];
  uint64_t sp;
  uint64_t pc;
  uint64_t pstate;
};
#else
#error "There is no struct recorder_pt_regs for this machine."
#endif

/* What is looked at of the kernel's own; where it stands there is found when the programs are loaded. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct;
struct rq;

struct cfs_rq {
  struct rq *rq;
};

struct sched_entity {
  uint64_t sum_exec_runtime;
  struct cfs_rq *cfs_rq;
};

#if defined(__TARGET_ARCH_arm64)
struct thread_info {
  struct {
    uint32_t count;
  } preempt;
};
#endif

struct task_struct {
#if defined(__TARGET_ARCH_arm64)
  struct thread_info thread_info;
#endif
  uint32_t __state;
  uint32_t on_cpu; /* an int in the kernel, since 7.2 a u8: only what is unsigned fits both */
  int pid;
  int tgid;
  uint32_t in_iowait : 1;
  struct sched_entity se;
  struct mm_struct *mm;
  struct task_struct *group_leader;
  void *perf_event_ctxp;
};

/* Before Linux 6.2. */
struct task_struct___before_6_2 {
  void *perf_event_ctxp[2];
};

struct linux_binprm {
  uint32_t secureexec : 1;
};

struct seq_file;

struct bpf_iter_meta {
  struct seq_file *seq;
};

struct bpf_iter__task {
  struct bpf_iter_meta *meta;
  struct task_struct *task;
};

#pragma clang attribute pop

struct bpf_perf_event_data {
  struct recorder_pt_regs regs;
  uint64_t sample_period;
  uint64_t addr;
};

#endif
