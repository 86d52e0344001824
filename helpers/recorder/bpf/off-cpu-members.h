/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose time off the CPU is recorded: everybody's, or that of the targets and of what they start. */
#ifndef RECORDER_BPF_OFF_CPU_MEMBERS_H
#define RECORDER_BPF_OFF_CPU_MEMBERS_H

#include "helpers/recorder/bpf/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "helpers/recorder/bpf/off-cpu-member.h"

const volatile uint8_t off_everybody = 0;
const volatile uint8_t off_children = 1; /* processes that members start are members */

/* Set from outside for the first thread of each target. A thread is a member by its own mark or its
 * process's. */
struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, uint32_t); /* enum recorder_off_cpu_member */
} off_members SEC(".maps");

static __always_inline uint32_t membership(struct task_struct *task)
{
  uint32_t *own = bpf_task_storage_get(&off_members, task, 0, 0);
  if (own && *own != RECORDER_OFF_CPU_NO_MEMBER)
    return *own;
  struct task_struct *leader = task->group_leader;
  uint32_t *of_process = leader ? bpf_task_storage_get(&off_members, leader, 0, 0) : NULL;
  return of_process ? *of_process : RECORDER_OFF_CPU_NO_MEMBER;
}

/* The idle threads are nobody's. */
static __always_inline int is_member(struct task_struct *task)
{
  return task->pid != 0 && (off_everybody || membership(task) == RECORDER_OFF_CPU_MEMBER);
}

static __always_inline void set_membership(struct task_struct *task, uint32_t member)
{
  uint32_t *own = bpf_task_storage_get(&off_members, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (own)
    *own = member;
}

SEC("tp_btf/sched_process_fork")
int recorder_off_cpu_fork(uint64_t *arguments)
{
  struct task_struct *parent = (struct task_struct *)arguments[0],
                     *child = (struct task_struct *)arguments[1];
  if (membership(parent) == RECORDER_OFF_CPU_MEMBER && (off_children || child->tgid == parent->tgid))
    set_membership(child, RECORDER_OFF_CPU_MEMBER);
  return 0;
}

/* Who gains rights by an exec is recorded no more, whatever he executes then, as perf's events of threads are
 * not. */
SEC("tp_btf/sched_process_exec")
int recorder_off_cpu_exec(uint64_t *arguments)
{
  struct task_struct *task = (struct task_struct *)arguments[0];
  struct linux_binprm *program = (struct linux_binprm *)arguments[2];
  uint32_t member = membership(task);
  if (member == RECORDER_OFF_CPU_NO_MEMBER || member == RECORDER_OFF_CPU_LEFT)
    return 0;
  set_membership(task, BPF_CORE_READ_BITFIELD(program, secureexec) ? RECORDER_OFF_CPU_LEFT
                                                                   : RECORDER_OFF_CPU_MEMBER);
  return 0;
}

#endif
