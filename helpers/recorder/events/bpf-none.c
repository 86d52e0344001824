/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a build has instead of BPF programs when it lacks the tools to make them: RECORDER_BPF_LACKS names
 * them. */
#include <errno.h>

#include "helpers/recorder/events/bpf.h"

int recorder_bpf_open(struct recorder_bpf **ret, const struct recorder_bpf_options *options,
                      struct recorder_error *error)
{
  return recorder_error_set(
      error, ENOTSUP, "%s, for this program was built without %s: build it again where that is installed.",
      options->off_cpu != NULL ? "Time off the CPU cannot be recorded"
                               : "Stacks cannot be walked in the kernel",
      RECORDER_BPF_LACKS);
}

void recorder_bpf_close(struct recorder_bpf *bpf)
{
}

void *recorder_bpf_area(struct recorder_bpf *bpf, size_t *ret_size)
{
  *ret_size = 0;
  return NULL;
}

int recorder_bpf_set_process(struct recorder_bpf *bpf, int32_t pid, const struct walk_process *process,
                             uint64_t since)
{
  return -ENOTSUP;
}

int recorder_bpf_remove_process(struct recorder_bpf *bpf, int32_t pid)
{
  return -ENOTSUP;
}

void recorder_bpf_want_runtime(struct recorder_bpf *bpf, uint32_t runtime)
{
}

void recorder_bpf_serve(struct recorder_bpf *bpf)
{
}

const char *recorder_bpf_refused_runtime(const struct recorder_bpf *bpf)
{
  return NULL;
}

int recorder_bpf_set_output(struct recorder_bpf *bpf, uint32_t cpu, int fd)
{
  return -ENOTSUP;
}

int recorder_bpf_attach(struct recorder_bpf *bpf, int event_fd, uint64_t tracepoint)
{
  return -ENOTSUP;
}

int recorder_bpf_off_cpu_add(struct recorder_bpf *bpf, int pidfd, enum recorder_off_cpu_member member)
{
  return -ENOTSUP;
}

void recorder_bpf_off_cpu_enable(struct recorder_bpf *bpf, bool enable)
{
}

uint64_t recorder_bpf_off_cpu_lost(const struct recorder_bpf *bpf)
{
  return 0;
}

int recorder_bpf_off_cpu_found(struct recorder_bpf *bpf, recorder_bpf_rest_fn fn, void *data)
{
  return -ENOTSUP;
}

int recorder_bpf_off_cpu_rest(struct recorder_bpf *bpf, recorder_bpf_rest_fn fn, void *data)
{
  return -ENOTSUP;
}
