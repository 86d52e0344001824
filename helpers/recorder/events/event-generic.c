/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that perf_event_open knows by number. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/kernel-event.h"
#include "helpers/recorder/events/event.h"
#include "libcapture/format/capture-format.h"

static uint32_t unit_of(const struct kernel_event *event)
{
  if (event->is_clock)
    return CAPTURE_UNIT_NANOSECONDS;
  if (event->type == PERF_TYPE_HARDWARE &&
      (event->config == PERF_COUNT_HW_CPU_CYCLES || event->config == PERF_COUNT_HW_REF_CPU_CYCLES ||
       event->config == PERF_COUNT_HW_BUS_CYCLES))
    return CAPTURE_UNIT_CYCLES;
  return CAPTURE_UNIT_COUNT;
}

static int raw_event(struct recorder_event_type *ret, const char *name)
{
  size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");
  if (name[0] != 'r' || digits == 0 || digits > 16 || name[1 + digits] != '\0')
    return -ENOENT;
  ret->type = PERF_TYPE_RAW;
  ret->unit = CAPTURE_UNIT_COUNT;
  ret->config = strtoull(name + 1, NULL, 16);
  return 0;
}

int recorder_event_generic(struct recorder_event_type *ret, const char *name)
{
  struct kernel_event event;

  if (!kernel_event_find(&event, name))
    return raw_event(ret, name);
  ret->type = event.type;
  ret->unit = unit_of(&event);
  ret->config = event.config;
  return 0;
}
