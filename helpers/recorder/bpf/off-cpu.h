/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves a record of each thread that was off the CPU: from when to when, why, where, and who woke it. */
#ifndef RECORDER_BPF_OFF_CPU_H
#define RECORDER_BPF_OFF_CPU_H

#include "helpers/recorder/bpf/off-cpu-members.h"
#include "helpers/recorder/bpf/off-cpu-state.h"

/* How user stacks are found. */
enum off_user {
  OFF_USER_NONE = 0,
  OFF_USER_TABLES = 1,
  OFF_USER_FRAME_POINTERS = 2 /* the kernel's own way */
};

const volatile uint64_t off_threshold = 0; /* ns */
const volatile uint32_t off_user = OFF_USER_NONE;
const volatile uint8_t off_kernel = 1;
/* Since Linux 5.18 the state with which a thread leaves is an argument; the thread's own may have changed by
 * then. */
const volatile uint8_t off_switch_has_state = 0;

uint32_t off_enabled = 0;
uint64_t off_begin = 0; /* when it was enabled */
uint64_t off_lost = 0;  /* records that could not be kept or left */

static __always_inline void count_off_loss(void)
{
  __sync_fetch_and_add(&off_lost, 1);
}

static __always_inline uint32_t keep_kernel_stack(void *context, uint64_t *frames)
{
  if (!off_kernel)
    return 0;
  long size = bpf_get_stack(context, frames, RECORDER_RAW_OFF_KERNEL * 8, OFF_SKIPPED_FRAMES);
  return size > 0 ? (uint32_t)size / 8 : 0;
}

/* Bounded for the verifier, too. */
static __always_inline uint32_t keep_frames(uint64_t *to, const uint64_t *from, uint32_t n, uint32_t limit)
{
  if (n > limit)
    n = limit;
  bpf_probe_read_kernel(to, n * 8, from);
  return n;
}

static __always_inline uint32_t chase_frame_pointers(void *context, uint64_t *frames, uint32_t limit,
                                                     uint8_t *ret_end)
{
  long size = bpf_get_stack(context, frames, limit * 8, BPF_F_USER_STACK);
  *ret_end = size > 0 ? WALK_FRAME_POINTERS : 0;
  return size > 0 ? (uint32_t)size / 8 : 0;
}

/* The current thread's; says in *ret_end how it ended. What is missing is sent ahead as `kind` under the time
 * `since`.
 */
static __always_inline uint32_t walk_current(void *context, struct scratch *scratch, uint32_t slot,
                                             enum recorder_raw_kind kind, uint64_t since, uint64_t *frames,
                                             uint32_t limit, uint8_t *ret_end)
{
  *ret_end = 0;
  struct task_struct *task = bpf_get_current_task_btf();
  if (!task->mm || !read_task_registers(&scratch->regs))
    return 0;
  if (registers_are_32_bit(&scratch->regs)) {
    frames[0] = registers_ip(&scratch->regs);
    *ret_end = WALK_UNSUPPORTED;
    return 1;
  }
  scratch->raw.ip[0] = (uint32_t)since;
  scratch->raw.ip[1] = (uint32_t)(since >> 32);
  const struct walk_process *process = current_process();
  struct walk *walk = bpf_map_lookup_elem(&walks, &slot);
  uint32_t n = process && walk ? walk_user_stack(scratch, walk, slot, process, 1) : 0;
  if (n != 0)
    tell_functions(context, walk, slot);
  if (n == 0 || scratch->raw.end == WALK_MISSED) {
    leave_miss(context, scratch, kind);
    *ret_end = WALK_MISSED;
    return 0;
  }
  *ret_end = n > limit ? walk_tell(walk, WALK_TRUNCATED) : scratch->raw.end;
  return keep_frames(frames, scratch->frames, n, limit);
}

static __always_inline uint32_t keep_user_stack(void *context, enum recorder_raw_kind kind, uint64_t since,
                                                uint64_t *frames, uint32_t limit, uint8_t *ret_end)
{
  *ret_end = 0;
  if (off_user == OFF_USER_FRAME_POINTERS)
    return chase_frame_pointers(context, frames, limit, ret_end);
  uint32_t slot = 0;
  struct scratch *scratch = off_user == OFF_USER_TABLES ? take_scratch(&slot) : NULL;
  if (!scratch)
    return 0;
  uint32_t n = walk_current(context, scratch, slot, kind, since, frames, limit, ret_end);
  return_scratch(slot);
  return n;
}

static __always_inline uint64_t state_size(const struct off_state *state)
{
  uint64_t count =
      state->off.n_kernel + state->off.n_user + state->off.n_waker_kernel + state->off.n_waker_user;
  return count < RECORDER_RAW_OFF_FRAMES ? count : RECORDER_RAW_OFF_FRAMES;
}

static __always_inline uint64_t finish_state(struct off_state *state, uint64_t now)
{
  uint64_t count = state_size(state);
  state->off.duration = now - state->since;
  state->raw.kind = RECORDER_RAW_OFF_CPU;
  state->raw.count = (uint16_t)count;
  state->raw.ip[0] = (uint32_t)state->since;
  state->raw.ip[1] = (uint32_t)(state->since >> 32);
  return sizeof state->raw + sizeof state->off + count * 8;
}

/* The thread was off the CPU until that time. */
static __always_inline void leave_state(void *context, struct off_state *state, uint64_t until)
{
  if (until - state->since >= off_threshold) {
    uint64_t size = finish_state(state, until);
    if (bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &state->raw, size) != 0)
      count_off_loss();
  }
  state->since = 0;
}

static __always_inline void leave_off_cpu(void *context, struct task_struct *task, uint64_t now)
{
  struct off_state *state = bpf_task_storage_get(&off_states, task, 0, 0);
  if (state && state->since != 0)
    leave_state(context, state, now);
}

/* A kernel may switch to a thread without telling. How long it was on the CPU since is known nevertheless. */
static __always_inline void leave_untold(void *context, struct task_struct *task, uint64_t now)
{
  struct off_state *state = bpf_task_storage_get(&off_states, task, 0, 0);
  if (!state || state->since == 0)
    return;
  uint64_t on = task->se.sum_exec_runtime - state->runtime;
  leave_state(context, state, on < now - state->since ? now - on : state->since);
}

/* The current thread leaves the CPU. */
static __always_inline void keep_leaving(void *context, struct task_struct *task, uint32_t reason,
                                         uint64_t now)
{
  struct off_state *state = bpf_task_storage_get(&off_states, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!state) {
    count_off_loss();
    return;
  }
  state->runtime = task->se.sum_exec_runtime;
  uint64_t numbers = current_numbers();
  state->off = (struct recorder_raw_off_cpu){
      .pid = (int32_t)(numbers >> 32), .tid = (int32_t)(uint32_t)numbers, .reason = (uint8_t)reason};
  uint32_t n = keep_kernel_stack(context, state->frames);
  if (n > RECORDER_RAW_OFF_KERNEL)
    n = RECORDER_RAW_OFF_KERNEL;
  state->off.n_kernel = (uint16_t)n;
  state->off.n_user = (uint16_t)keep_user_stack(context, RECORDER_RAW_OFF_CPU_MISS, now, state->frames + n,
                                                RECORDER_RAW_OFF_USER, &state->raw.end);
  /* From now on a waker may add what it is. */
  publish_state(state, now);
}

RUNTIMES(switch_runtimes);
RUNTIMES(waking_runtimes);

SEC("tp_btf/sched_switch")
int recorder_off_cpu_switch(uint64_t *arguments)
{
  struct task_struct *previous = (struct task_struct *)arguments[1],
                     *next = (struct task_struct *)arguments[2];
  uint64_t now = bpf_ktime_get_ns();
  if (!off_enabled)
    return 0;
  go_to_runtime(arguments, &switch_runtimes);
  if (is_member(next))
    leave_off_cpu(arguments, next, now);
  if (!is_member(previous))
    return 0;
  leave_untold(arguments, previous, now);
  uint32_t state = off_switch_has_state ? (uint32_t)arguments[3] : previous->__state;
  if ((state & TASK_GOING) == 0)
    keep_leaving(arguments, previous, off_reason(previous, arguments[0] != 0, state), now);
  return 0;
}

/* The current thread wakes another one that is off the CPU. */
static __always_inline void keep_waker(void *context, struct off_state *state, uint64_t now)
{
  struct recorder_raw_off_cpu *off = &state->off;
  if (!can_tell_interrupts())
    return;
  if (is_in_interrupt()) {
    off->waking = RECORDER_RAW_BY_INTERRUPT;
    return;
  }
  if (!is_member(bpf_get_current_task_btf()))
    return;
  uint64_t numbers = current_numbers();
  off->waker_pid = (int32_t)(numbers >> 32);
  off->waker_tid = (int32_t)(uint32_t)numbers;
  off->waking = RECORDER_RAW_BY_THREAD;
  uint32_t at = off->n_kernel + off->n_user;
  if (now - state->since < off_threshold || at > RECORDER_RAW_OFF_KERNEL + RECORDER_RAW_OFF_USER)
    return;
  uint32_t n = keep_kernel_stack(context, state->frames + at);
  if (n > RECORDER_RAW_OFF_KERNEL)
    n = RECORDER_RAW_OFF_KERNEL;
  off->n_waker_kernel = (uint16_t)n;
  off->n_waker_user =
      (uint16_t)keep_user_stack(context, RECORDER_RAW_WAKER_MISS, state->since, state->frames + at + n,
                                RECORDER_RAW_OFF_WAKER_USER, &off->waker_end);
}

SEC("tp_btf/sched_waking")
int recorder_off_cpu_waking(uint64_t *arguments)
{
  struct task_struct *woken = (struct task_struct *)arguments[0];
  if (!off_enabled || !is_member(woken))
    return 0;
  go_to_runtime(arguments, &waking_runtimes);
  struct off_state *state = bpf_task_storage_get(&off_states, woken, 0, 0);
  if (state && state->since != 0 && state->off.waking == RECORDER_RAW_NOT_WOKEN)
    keep_waker(arguments, state, bpf_ktime_get_ns());
  return 0;
}

/* As if the thread had left the CPU when the recording began. */
static __always_inline void keep_found(struct task_struct *task, struct off_state *state)
{
  state->runtime = task->se.sum_exec_runtime;
  state->raw.end = off_user == OFF_USER_TABLES && task->mm ? WALK_MISSED : 0;
  state->off = (struct recorder_raw_off_cpu){
      .pid = task->tgid, .tid = task->pid, .reason = (uint8_t)off_reason(task, 0, task->__state)};
  long size = off_kernel ? bpf_get_task_stack(task, state->frames, RECORDER_RAW_OFF_KERNEL * 8, 0) : 0;
  state->off.n_kernel = size > 0 ? (uint16_t)(size / 8) : 0;
  publish_state(state, off_begin);
}

/* Its registers, of which the recorder walks what can be walked. They take more than a program's stack has.
 */
static __always_inline void write_found(struct seq_file *seq, struct task_struct *task)
{
  uint32_t slot = 0;
  struct scratch *scratch = take_scratch(&slot);
  if (!scratch)
    return;
  struct off_found *found = (struct off_found *)scratch->frames;
  if (bpf_probe_read_kernel(&scratch->regs, sizeof scratch->regs, (const void *)bpf_task_pt_regs(task)) ==
      0) {
    *found = (struct off_found){.size = sizeof *found - sizeof found->size,
                                .raw = {.kind = RECORDER_RAW_OFF_CPU_MISS,
                                        .end = WALK_MISSED,
                                        .ip = {(uint32_t)off_begin, (uint32_t)(off_begin >> 32)}},
                                .found = {.pid = task->tgid, .tid = task->pid}};
    registers_number(found->registers.general, &scratch->regs);
    found->registers.general[REGISTERS_IP] = registers_ip(&scratch->regs);
    bpf_seq_write(seq, found, sizeof *found);
  }
  return_scratch(slot);
}

/* At the beginning: those that have left the CPU before. The kernel may ask for one twice. */
SEC("iter/task")
int recorder_off_cpu_found(struct bpf_iter__task *context)
{
  struct task_struct *task = context->task;
  if (!task || task->on_cpu || task->__state == 0 || (task->__state & TASK_GOING) != 0 ||
      config.pid_namespace_inode != 0 || !is_member(task))
    return 0;
  struct off_state *state = bpf_task_storage_get(&off_states, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!state) {
    count_off_loss();
    return 0;
  }
  if (state->since == 0)
    keep_found(task, state);
  if (state->since == off_begin && state->raw.end == WALK_MISSED)
    write_found(context->meta->seq, task);
  return 0;
}

/* At the end: those that have not come back. */
SEC("iter/task")
int recorder_off_cpu_rest(struct bpf_iter__task *context)
{
  struct task_struct *task = context->task;
  if (!task || task->pid == 0 || task->on_cpu)
    return 0;
  struct off_state *state = bpf_task_storage_get(&off_states, task, 0, 0);
  uint64_t now = bpf_ktime_get_ns();
  if (!state || state->since == 0 || now - state->since < off_threshold)
    return 0;
  state->size = (uint32_t)finish_state(state, now);
  uint64_t size = state->size;
  if (size > sizeof *state - offsetof(struct off_state, raw))
    return 0;
  bpf_seq_write(context->meta->seq, &state->size, sizeof state->size);
  bpf_seq_write(context->meta->seq, &state->raw, (uint32_t)size);
  return 0;
}

#endif
