/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves the user stack of a perf event's sample. */
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
