/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of CPUs, as the kernel lists them: "0-3,8". */
#ifndef RECORDER_CPUS_H
#define RECORDER_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define RECORDER_CPUS_MAX 8192u

struct recorder_cpus {
  uint64_t bits[RECORDER_CPUS_MAX / 64];
};

static inline bool recorder_cpus_has(const struct recorder_cpus *cpus, uint32_t cpu)
{
  return cpu < RECORDER_CPUS_MAX && (cpus->bits[cpu / 64] >> (cpu % 64) & 1) != 0;
}

/* False, and ret untouched, when the text is no list of CPUs or names one above the maximum. */
bool recorder_cpus_parse(struct recorder_cpus *ret, const char *text);
/* The CPUs that are online now, whatever the affinity of this process. 0 or -errno. */
int recorder_cpus_online(struct recorder_cpus *ret);

#endif
