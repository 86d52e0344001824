/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-probe.h"

#include <unistd.h>

#include "helpers/recorder/common/rights.h"

static int32_t try_event(const struct recorder_probe_event *event)
{
  bool kernel = (event->flags & RECORDER_PROBE_KERNEL) != 0;
  bool everybody = (event->flags & RECORDER_PROBE_EVERYBODY) != 0;
  const struct perf_event_attr attr = {
      .type = event->type,
      .size = sizeof attr,
      .config = event->config,
      .sample_period = 1000000,
      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
      .disabled = 1,
      .exclude_kernel = !kernel,
      .exclude_hv = 1,
      .exclude_callchain_kernel = !kernel,
  };
  int fd = recorder_rights_open_event(&attr, everybody ? -1 : 0, everybody ? 0 : -1);
  if (fd < 0)
    return -fd;
  close(fd);
  return 0;
}

void recorder_probe(const struct recorder_probe *probe, struct recorder_probed *ret)
{
  *ret = (struct recorder_probed){0};
  for (uint32_t i = 0; i < RECORDER_PROBES; i++)
    ret->errors[i] = try_event(&probe->events[i]);
}
