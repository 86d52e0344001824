/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every program does that leaves a user stack: maps, scratch, the walk, the raw record. */
#ifndef RECORDER_BPF_USER_STACK_H
#define RECORDER_BPF_USER_STACK_H

#include "helpers/recorder/bpf/walk-memory.h"

#include "helpers/recorder/bpf/functions.h"
#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/bpf/registers.h"

/* Bytes of the stack that a piece of a miss carries at most, whatever is asked for. A CPU keeps at most 32
 * KiB together, the rest of a scratch included. */
#define MISS_STACK_MAX 28672

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, 1); /* until it is loaded */
  __type(key, uint32_t);
  __type(value, struct walk_process);
} processes SEC(".maps");

struct miss {
  struct recorder_raw_registers registers;
  uint8_t stack[MISS_STACK_MAX];
};

struct scratch {
  uint64_t mapped; /* struct walk_memory's */
  struct recorder_pt_regs regs;
  uint32_t pad;
  struct recorder_raw raw; /* what follows it is part of the record */
  union {
    uint64_t frames[WALK_FRAMES_MAX];
    struct miss miss;
  };
};

/* One program may interrupt another on the same CPU, as a tracepoint's is by a wake-up's and both by a
 * sample's: each takes a scratch of its own. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, SCRATCHES);
  __type(key, uint32_t);
  __type(value, struct scratch);
} scratches SEC(".maps");

/* Apart from its scratch, for together they are more than a CPU's share of memory may be at a time. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, SCRATCHES);
  __type(key, uint32_t);
  __type(value, struct walk);
} walks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, uint32_t);
  __type(value, uint64_t);
} scratches_taken SEC(".maps");

static __always_inline uint64_t *taken_scratches(void)
{
  uint32_t zero = 0;
  return bpf_map_lookup_elem(&scratches_taken, &zero);
}

static __always_inline struct scratch *take_scratch(uint32_t *ret_slot)
{
  uint64_t *taken = taken_scratches();
  if (!taken)
    return NULL;
  for (uint32_t slot = 0; slot < SCRATCHES; slot++) {
    if ((__sync_fetch_and_or(taken, 1ull << slot) & 1ull << slot) != 0)
      continue;
    *ret_slot = slot;
    struct scratch *scratch = bpf_map_lookup_elem(&scratches, ret_slot);
    if (scratch)
      scratch->mapped = CHUNK_NONE;
    return scratch;
  }
  return NULL;
}

static __always_inline void return_scratch(uint32_t slot)
{
  uint64_t *taken = taken_scratches();
  if (taken)
    __sync_fetch_and_and(taken, ~(1ull << slot));
}

/* The registers with which the current thread entered the kernel; 0 when it has none, as threads of the
 * kernel. */
static __always_inline int read_task_registers(struct recorder_pt_regs *regs)
{
  const void *saved = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
  if (bpf_probe_read_kernel(regs, sizeof *regs, saved) != 0)
    return 0;
  return registers_are_user(regs) && registers_ip(regs) != 0;
}

/* As its namespace numbers it; 0: it is in none that is known. */
static __always_inline uint32_t current_pid(void)
{
  struct bpf_pidns_info info = {0};
  if (config.pid_namespace_inode == 0)
    return (uint32_t)(bpf_get_current_pid_tgid() >> 32);
  if (bpf_get_ns_current_pid_tgid(config.pid_namespace_device, config.pid_namespace_inode, &info,
                                  sizeof info) != 0)
    return 0;
  return info.tgid;
}

static __always_inline struct walk_process *current_process(void)
{
  uint32_t pid = current_pid();
  return bpf_map_lookup_elem(&processes, &pid);
}

/* The same programs for processes of one runtime, by enum unwind_runtime_kind: what follows frames of
 * languages takes the verifier long, so it is loaded when there is such a process. Each program has its own,
 * for the kernel lets it go on only in its like. */
#define RUNTIMES(name)                                                                                       \
  struct {                                                                                                   \
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);                                                                   \
    __uint(max_entries, UNWIND_RUNTIMES);                                                                    \
    __type(key, uint32_t);                                                                                   \
    __type(value, uint32_t);                                                                                 \
  } name SEC(".maps")

/* Does not return if the current process has a runtime whose program is there. */
static __always_inline void go_to_runtime(void *context, void *programs)
{
  if (RUNTIME != UNWIND_RUNTIME_NONE)
    return;
  const struct walk_process *process = current_process();
  if (process && process->runtime != UNWIND_RUNTIME_NONE)
    bpf_tail_call(context, programs, process->runtime);
}

struct loop {
  struct scratch *scratch;
  struct walk *walk;
  uint32_t n;
  int32_t end;
};

static long deliver_frame(uint32_t i, struct loop *loop)
{
  struct scratch *scratch = loop->scratch;
  uint64_t word = 0;
  loop->end = walk_next(loop->walk, &word);
  scratch->frames[loop->n & (WALK_FRAMES_MAX - 1)] = word;
  loop->n += word != 0;
  return loop->end != 0 ? 1 : 0;
}

/* Walks from scratch->regs; says how many frames it has found. */
static __always_inline uint32_t walk_user_stack(struct scratch *scratch, struct walk *walk, uint32_t slot,
                                                const struct walk_process *process, int in_kernel)
{
  walk->process = *process;
  walk->machine = REGISTERS_MACHINE;
  walk->address_mask = config.address_mask;
  registers_number(walk->registers.general, &scratch->regs);
  walk_name_registers(&walk->registers, REGISTERS_MACHINE);
  walk->registers.ip = registers_ip(&scratch->regs);
  for (uint32_t i = 0; i < CHUNKS; i++)
    walk->memory.numbers[i] = CHUNK_NONE;
  for (uint32_t i = 0; i < PEEKS; i++)
    walk->memory.peek_numbers[i] = CHUNK_NONE;
  walk->memory.mapped = scratch->mapped;
  walk->memory.n_unnamed = walk->memory.fetches = 0;
  walk->memory.slot = slot;
  if (RUNTIME != UNWIND_RUNTIME_NONE) {
    const struct function_counts *counted = count_functions();
    walk->memory.told_epoch = counted ? counted->epoch : 0;
    walk->memory.epoch = walk->memory.told_epoch + (uint32_t)(bpf_ktime_get_ns() >> FRAME_MEMO_TIME);
  }
  walk_begin(walk, in_kernel);
  if (RUNTIME != UNWIND_RUNTIME_NONE)
    walk_language_begin(walk);

  struct loop loop = {.scratch = scratch, .walk = walk, .n = 0, .end = 0};
  bpf_loop(config.max_frames, deliver_frame, &loop, 0);
  scratch->raw.end = walk_tell(walk, loop.end != 0 ? loop.end : WALK_TRUNCATED);
  return loop.n;
}

/* Copies the stack from sp on, in pieces, so that its end does not cost what lies before; says how much it
 * was. */
__noinline uint64_t recorder_copy_stack(struct scratch *scratch, uint64_t sp)
{
  if (!scratch)
    return 0;
  uint32_t limit = config.miss_stack;
  uint32_t n = 0;
  for (uint32_t i = 0; i <= MISS_STACK_MAX / CHUNK_SIZE; i++) {
    uint32_t size = CHUNK_SIZE - ((sp + n) & (CHUNK_SIZE - 1));
    if (n > MISS_STACK_MAX - CHUNK_SIZE || n + size > limit)
      break;
    if (bpf_probe_read_user(scratch->miss.stack + n, size, (const void *)(sp + n)) != 0)
      break;
    n += size;
  }
  return n;
}

static __always_inline void leave_none(void *context, struct scratch *scratch, uint64_t ip)
{
  scratch->raw.kind = RECORDER_RAW_NONE;
  scratch->raw.end = 0;
  scratch->raw.count = 0;
  scratch->raw.ip[0] = (uint32_t)ip;
  scratch->raw.ip[1] = (uint32_t)(ip >> 32);
  bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &scratch->raw, sizeof scratch->raw);
}

static __always_inline void leave_stack(void *context, struct scratch *scratch, uint32_t n)
{
  scratch->raw.kind = RECORDER_RAW_STACK;
  scratch->raw.count = n;
  uint64_t size = n * 8ull;
  if (size > sizeof scratch->frames)
    size = sizeof scratch->frames;
  bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &scratch->raw, sizeof scratch->raw + size);
}

/* A piece of the stack from `at` on, behind the registers; says how large it is. */
static __always_inline uint64_t leave_piece(void *context, struct scratch *scratch,
                                            enum recorder_raw_kind kind, uint64_t at)
{
  uint64_t size = recorder_copy_stack(scratch, at);
  scratch->raw.kind = kind;
  scratch->raw.end = WALK_MISSED;
  scratch->raw.count = size;
  if (size > MISS_STACK_MAX)
    size = MISS_STACK_MAX;
  bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &scratch->raw,
                        sizeof scratch->raw + sizeof scratch->miss.registers + size);
  return size;
}

static __always_inline void leave_miss(void *context, struct scratch *scratch, enum recorder_raw_kind kind)
{
  uint64_t *general = scratch->miss.registers.general;
  registers_number(general, &scratch->regs);
  uint64_t sp = general[REGISTERS_SP];
  general[REGISTERS_IP] = registers_ip(&scratch->regs);
  uint64_t size = leave_piece(context, scratch, kind, sp);
  if (kind == RECORDER_RAW_MISS && size + CHUNK_SIZE > config.miss_stack)
    leave_piece(context, scratch, RECORDER_RAW_MORE, sp + size);
}

enum stack_state { STACK_THERE, STACK_GONE, STACK_NOT_RESIDENT };

/* The stack is gone when nothing is mapped where it was of a thread that has entered the kernel: it is on its
 * way to its end, or to another program, whose mappings it may be making just now. (The thread's own word for
 * it would need the kernel's BTF, whose reading takes longer than all else that is done before a recording
 * begins.) */
__noinline int recorder_look_at_stack(uint64_t sp, uint64_t syscall)
{
  uint64_t word;
  if (bpf_probe_read_user(&word, sizeof word, (const void *)sp) == 0)
    return STACK_THERE;
  int found = recorder_find_mapping(sp);
  if (found == 0)
    return STACK_NOT_RESIDENT;
  return found == -ENOENT || (found == -EBUSY && (syscall == SYSCALL_EXECVE || syscall == SYSCALL_EXECVEAT))
             ? STACK_GONE
             : STACK_THERE;
}

/* Whether there is a user stack: that of scratch->regs, with which the current thread entered the kernel. */
static __always_inline int find_stack_below_kernel(struct scratch *scratch)
{
  if (!read_task_registers(&scratch->regs))
    return 0;
  uint64_t sp = registers_sp(&scratch->regs);
  int state = recorder_look_at_stack(sp, registers_syscall(&scratch->regs));
  if (state == STACK_NOT_RESIDENT)
    scratch->mapped = sp >> CHUNK_SHIFT;
  return state != STACK_GONE;
}

/* Leaves the stack that begins with scratch->regs, or what is needed to walk it later, for the sample of that
 * ip. */
static __always_inline void leave_user_stack(void *context, struct scratch *scratch, uint32_t slot,
                                             uint64_t ip, int in_kernel)
{
  scratch->raw.ip[0] = (uint32_t)ip;
  scratch->raw.ip[1] = (uint32_t)(ip >> 32);
  if (registers_are_32_bit(&scratch->regs)) {
    scratch->frames[0] = registers_ip(&scratch->regs);
    scratch->raw.end = WALK_UNSUPPORTED;
    leave_stack(context, scratch, 1);
    return;
  }
  const struct walk_process *process = current_process();
  struct walk *walk = bpf_map_lookup_elem(&walks, &slot);
  uint32_t n = process && walk ? walk_user_stack(scratch, walk, slot, process, in_kernel) : 0;
  if (n != 0)
    tell_functions(context, walk, slot);
  if (n == 0 || scratch->raw.end == WALK_MISSED)
    leave_miss(context, scratch, RECORDER_RAW_MISS);
  else
    leave_stack(context, scratch, n);
}

#endif
