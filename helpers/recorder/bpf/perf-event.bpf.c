/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves the user stack of a perf event's sample; forgets processes that execute another program. */
#include "helpers/recorder/bpf/user-stack.h"

char program_license[] SEC("license") = "GPL";

/* Returns 1: the kernel drops the sample otherwise. */
SEC("perf_event")
int recorder_perf_event(struct bpf_perf_event_data *context)
{
  uint32_t slot = 0;
  struct scratch *scratch = take_scratch(&slot);
  if (!scratch)
    return 1;
  uint64_t ip = registers_ip(&context->regs);
  scratch->regs = context->regs;
  int in_kernel = !registers_are_user(&scratch->regs);
  if (!in_kernel ||
      (read_task_registers(&scratch->regs) && !recorder_is_stack_gone(registers_sp(&scratch->regs))))
    leave_user_stack(context, scratch, slot, ip, in_kernel);
  else
    leave_none(context, scratch, ip);
  return_scratch(slot);
  return 1;
}

/* Until the recorder hears of the exec, the old program's tables would be taken for the new one, which often
 * stands at the same addresses: from here on the process is not known, so its samples wait for the recorder.
 */
SEC("raw_tracepoint/sched_process_exec")
int recorder_exec(void *context)
{
  uint32_t pid = current_pid();
  bpf_map_delete_elem(&processes, &pid);
  return 0;
}
