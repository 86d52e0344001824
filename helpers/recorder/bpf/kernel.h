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
  BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
  BPF_MAP_TYPE_PERCPU_ARRAY = 6
};

#define BPF_F_NO_PREALLOC 1
#define BPF_F_MMAPABLE    (1 << 10)
#define BPF_F_CURRENT_CPU 0xffffffffull

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

struct bpf_perf_event_data {
  struct recorder_pt_regs regs;
  uint64_t sample_period;
  uint64_t addr;
};

#endif
