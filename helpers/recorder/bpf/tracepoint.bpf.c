/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves the user stack of a tracepoint's sample. Attached to the tracepoint itself: it runs for every task.
 */
#include "helpers/recorder/bpf/user-stack.h"

#include <bpf/bpf_core_read.h>

char program_license[] SEC("license") = "GPL";

static __always_inline int has_own_events(void)
{
  struct task_struct *task = bpf_get_current_task_btf();
  if (bpf_core_field_exists(task->perf_event_ctxp))
    return task->perf_event_ctxp != NULL;
  const struct task_struct___before_6_2 *older = (const void *)task;
  return BPF_CORE_READ(older, perf_event_ctxp[0]) != NULL || BPF_CORE_READ(older, perf_event_ctxp[1]) != NULL;
}

RUNTIMES(tracepoint_runtimes);

/* Returns 1: the kernel drops the sample otherwise. */
SEC("tracepoint")
int recorder_tracepoint(void *context)
{
  uint64_t ip = 0;
  uint32_t slot = 0;
  if (config.only_own_events && (current_pid() == config.recorder || !has_own_events()))
    return 1;
  go_to_runtime(context, &tracepoint_runtimes);
  struct scratch *scratch = take_scratch(&slot);
  if (!scratch)
    return 1;
  /* The kernel's innermost frame is the sample's ip, which programs of tracepoints are not told. */
  bpf_get_stack(context, &ip, sizeof ip, 0);
  if (find_stack_below_kernel(scratch))
    leave_user_stack(context, scratch, slot, ip, 1);
  else
    leave_none(context, scratch, ip);
  return_scratch(slot);
  return 1;
}
