/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves the user stack of a perf event's sample; forgets processes that execute another program. */
#include "helpers/recorder/bpf/user-stack.h"

char program_license[] SEC("license") = "GPL";

RUNTIMES(perf_event_runtimes);

/* Returns 1: the kernel drops the sample otherwise. */
SEC("perf_event")
int recorder_perf_event(struct bpf_perf_event_data *context)
{
  go_to_runtime(context, &perf_event_runtimes);
  uint32_t slot = 0;
  struct scratch *scratch = take_scratch(&slot);
  if (!scratch)
    return 1;
  uint64_t ip = registers_ip(&context->regs);
  scratch->regs = context->regs;
  int in_kernel = !registers_are_user(&scratch->regs);
  if (!in_kernel || find_stack_below_kernel(scratch))
    leave_user_stack(context, scratch, slot, ip, in_kernel);
  else
    leave_none(context, scratch, ip);
  return_scratch(slot);
  return 1;
}

/* When each process executed a program last; the recorder reads it. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 4096);
  __type(key, uint32_t);
  __type(value, uint64_t);
} execs SEC(".maps");

/* Until the recorder hears of the exec, the old program's tables would be taken for the new one, which often
 * stands at the same addresses: from here on the process is not known, so its samples wait for the recorder.
 * First the time: who comes with the old program's tables just now sees it, or they are deleted after that.
 */
SEC("raw_tracepoint/sched_process_exec")
int recorder_exec(void *context)
{
  uint32_t pid = current_pid();
  uint64_t now = bpf_ktime_get_ns();
  bpf_map_update_elem(&execs, &pid, &now, BPF_ANY);
  bpf_map_delete_elem(&processes, &pid);
  return 0;
}
