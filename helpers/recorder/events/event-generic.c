/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that perf_event_open knows by number. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/recorder/events/event.h"
#include "libcapture/format/capture-format.h"

struct generic {
  const char *name;
  uint32_t type;
  uint32_t unit;
  uint64_t config;
};

#define HARDWARE(name, config)                                                                               \
  {                                                                                                          \
    name, PERF_TYPE_HARDWARE, CAPTURE_UNIT_COUNT, PERF_COUNT_HW_##config                                     \
  }
#define CYCLES(name, config)                                                                                 \
  {                                                                                                          \
    name, PERF_TYPE_HARDWARE, CAPTURE_UNIT_CYCLES, PERF_COUNT_HW_##config                                    \
  }
#define SOFTWARE(name, config)                                                                               \
  {                                                                                                          \
    name, PERF_TYPE_SOFTWARE, CAPTURE_UNIT_COUNT, PERF_COUNT_SW_##config                                     \
  }
#define CLOCK(name, config)                                                                                  \
  {                                                                                                          \
    name, PERF_TYPE_SOFTWARE, CAPTURE_UNIT_NANOSECONDS, PERF_COUNT_SW_##config                               \
  }

static const struct generic generics[] = {
    CYCLES("cycles", CPU_CYCLES),
    CYCLES("cpu-cycles", CPU_CYCLES),
    CYCLES("ref-cycles", REF_CPU_CYCLES),
    CYCLES("bus-cycles", BUS_CYCLES),
    HARDWARE("instructions", INSTRUCTIONS),
    HARDWARE("cache-references", CACHE_REFERENCES),
    HARDWARE("cache-misses", CACHE_MISSES),
    HARDWARE("branches", BRANCH_INSTRUCTIONS),
    HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
    HARDWARE("branch-misses", BRANCH_MISSES),
    HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
    HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
    HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
    HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND),
    CLOCK("cpu-clock", CPU_CLOCK),
    CLOCK("task-clock", TASK_CLOCK),
    SOFTWARE("page-faults", PAGE_FAULTS),
    SOFTWARE("faults", PAGE_FAULTS),
    SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
    SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
    SOFTWARE("context-switches", CONTEXT_SWITCHES),
    SOFTWARE("cs", CONTEXT_SWITCHES),
    SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
    SOFTWARE("migrations", CPU_MIGRATIONS),
    SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
    SOFTWARE("emulation-faults", EMULATION_FAULTS),
    SOFTWARE("cgroup-switches", CGROUP_SWITCHES),
    SOFTWARE("bpf-output", BPF_OUTPUT),
    SOFTWARE("dummy", DUMMY),
};

/* In the order of PERF_COUNT_HW_CACHE_*. */
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
/* Operation and result, in the order of their numbers: operation * 2 + result. */
static const char *const accesses[] = {"loads",        "load-misses", "stores",
                                       "store-misses", "prefetches",  "prefetch-misses"};

static int cache_event(struct recorder_event_type *ret, const char *name)
{
  for (size_t cache = 0; cache < sizeof caches / sizeof caches[0]; cache++) {
    size_t length = strlen(caches[cache]);
    if (strncmp(name, caches[cache], length) != 0 || name[length] != '-')
      continue;
    for (size_t access = 0; access < sizeof accesses / sizeof accesses[0]; access++) {
      if (strcmp(name + length + 1, accesses[access]) != 0)
        continue;
      ret->type = PERF_TYPE_HW_CACHE;
      ret->unit = CAPTURE_UNIT_COUNT;
      ret->config = cache | (access / 2) << 8 | (access % 2) << 16;
      return 0;
    }
  }
  return -ENOENT;
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
  for (size_t i = 0; i < sizeof generics / sizeof generics[0]; i++) {
    if (strcmp(name, generics[i].name) != 0)
      continue;
    ret->type = generics[i].type;
    ret->unit = generics[i].unit;
    ret->config = generics[i].config;
    return 0;
  }
  int result = cache_event(ret, name);
  return result == -ENOENT ? raw_event(ret, name) : result;
}
