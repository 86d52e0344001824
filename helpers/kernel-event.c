/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/kernel-event.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

struct named {
  const char *name;
  struct kernel_event event;
};

#define HARDWARE(name, config)                                                                               \
  {                                                                                                          \
    name,                                                                                                    \
    {                                                                                                        \
      PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, false, true                                                \
    }                                                                                                        \
  }
#define CLOCK(name, config)                                                                                  \
  {                                                                                                          \
    name,                                                                                                    \
    {                                                                                                        \
      PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, true, true                                                 \
    }                                                                                                        \
  }
#define SOFTWARE(name, config)                                                                               \
  {                                                                                                          \
    name,                                                                                                    \
    {                                                                                                        \
      PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, false, true                                                \
    }                                                                                                        \
  }
#define FOREIGN(name, config)                                                                                \
  {                                                                                                          \
    name,                                                                                                    \
    {                                                                                                        \
      PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, false, false                                               \
    }                                                                                                        \
  }

static const struct named names[] = {
    HARDWARE("cycles", CPU_CYCLES),
    HARDWARE("cpu-cycles", CPU_CYCLES),
    HARDWARE("ref-cycles", REF_CPU_CYCLES),
    HARDWARE("bus-cycles", BUS_CYCLES),
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
    FOREIGN("cgroup-switches", CGROUP_SWITCHES),
    FOREIGN("bpf-output", BPF_OUTPUT),
    FOREIGN("dummy", DUMMY),
};

/* In the order of PERF_COUNT_HW_CACHE_*. */
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
/* Operation and result, in the order of their numbers: operation * 2 + result. */
static const char *const accesses[] = {"loads",        "load-misses", "stores",
                                       "store-misses", "prefetches",  "prefetch-misses"};

enum {
  N_NAMES = sizeof names / sizeof names[0],
  N_CACHES = sizeof caches / sizeof caches[0],
  N_ACCESSES = sizeof accesses / sizeof accesses[0],
};

bool kernel_event_name(char name[static KERNEL_EVENT_NAME_MAX], size_t i)
{
  if (i >= N_NAMES + N_CACHES * N_ACCESSES)
    return false;
  if (i < N_NAMES)
    snprintf(name, KERNEL_EVENT_NAME_MAX, "%s", names[i].name);
  else
    snprintf(name, KERNEL_EVENT_NAME_MAX, "%s-%s", caches[(i - N_NAMES) / N_ACCESSES],
             accesses[(i - N_NAMES) % N_ACCESSES]);
  return true;
}

bool kernel_event_find(struct kernel_event *ret, const char *name)
{
  char other[KERNEL_EVENT_NAME_MAX];

  for (size_t i = 0; kernel_event_name(other, i); i++) {
    if (strcmp(name, other) != 0)
      continue;
    size_t access = (i - N_NAMES) % N_ACCESSES, cache = (i - N_NAMES) / N_ACCESSES;
    *ret = i < N_NAMES ? names[i].event
                       : (struct kernel_event){.type = PERF_TYPE_HW_CACHE,
                                               .config = cache | (access / 2) << 8 | (access % 2) << 16,
                                               .is_own = true};
    return true;
  }
  return false;
}
