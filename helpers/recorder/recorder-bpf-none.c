/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a build has instead of BPF programs when it lacks the tools to make them: RECORDER_BPF_LACKS names
 * them. */
#include <errno.h>

#include "helpers/recorder/recorder-bpf.h"

int recorder_bpf_open(struct recorder_bpf **ret, const struct recorder_bpf_options *options,
                      struct recorder_error *error)
{
  return recorder_error_set(
      error, ENOTSUP,
      "Stacks cannot be walked in the kernel, for this program was built without %s: build it again "
      "where that is installed.",
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

int recorder_bpf_set_process(struct recorder_bpf *bpf, int32_t pid, const struct walk_process *process)
{
  return -ENOTSUP;
}

int recorder_bpf_remove_process(struct recorder_bpf *bpf, int32_t pid)
{
  return -ENOTSUP;
}

int recorder_bpf_set_output(struct recorder_bpf *bpf, uint32_t cpu, int fd)
{
  return -ENOTSUP;
}

int recorder_bpf_attach(struct recorder_bpf *bpf, int event_fd, int tracepoint)
{
  return -ENOTSUP;
}
