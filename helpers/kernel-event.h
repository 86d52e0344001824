/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events that the kernel itself defines, by perf's names for them: one list for the recorder that opens
 * them, the service that judges them, and whoever offers them. Everything here is static and pure. */
#ifndef KERNEL_EVENT_H
#define KERNEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_EVENT_NAME_MAX 32 /* with its end */

struct kernel_event {
  uint32_t type;   /* PERF_TYPE_HARDWARE, _HW_CACHE or _SOFTWARE */
  uint64_t config; /* of perf_event_attr */
  bool is_clock;   /* it counts nanoseconds */
  bool is_own;     /* it tells no more than what the sampled process itself does */
};

/* Finds an event by its name, such as "cycles", "faults" or "LLC-load-misses"; modifiers are no part of it.
 * False if there is none. */
bool kernel_event_find(struct kernel_event *ret, const char *name);

/* Writes the name of the i-th event; those of one event follow each other. False after the last. */
bool kernel_event_name(char name[static KERNEL_EVENT_NAME_MAX], size_t i);

#endif
