/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event names, as sysfs, tracefs and perf spell them, and what perf_event_open wants for them. */
#ifndef RECORDER_EVENT_H
#define RECORDER_EVENT_H

#include <stdbool.h>

#include "helpers/recorder/common/error.h"

struct recorder_event_type {
  char name[RECORDER_EVENT_NAME_MAX]; /* what it became; "" ends a list of events */
  uint32_t type;                      /* of perf_event_attr */
  uint32_t unit;                      /* enum capture_unit */
  uint64_t config;                    /* of perf_event_attr, as config1 and config2 */
  uint64_t config1;
  uint64_t config2;
  uint64_t frequency; /* hertz; 0: period counts */
  uint64_t period;
  bool exclude_user;
  bool exclude_kernel;
  bool exclude_hypervisor;
  uint8_t precise;
  bool off_cpu; /* no event of perf's: BPF programs record it, and period is its threshold */
};

/* Finds the event that is asked for: default, frequency (lowered to the kernel's maximum where the kernel
 * lowered that) and period included. With `own` nothing but what the kernel itself defines of the processor's
 * and its own events is found. 0 or a negative errno with the error said. */
int recorder_event_resolve(struct recorder_event_type *ret, const struct recorder_event *event, bool own,
                           struct recorder_error *error);

/* All events of a configuration. What was not taken as it was asked for is added to the notes. As
 * recorder_event_resolve. */
int recorder_events_resolve(struct recorder_event_type *ret, const struct recorder_configure *configure,
                            char *notes, struct recorder_error *error);

/* For whom the kernel does not count what it does itself: the processor's events leave it out, but for clocks
 * and cycles, which are the time that the caller sees anyway. True when that changes the event. */
bool recorder_event_leave_kernel_out(struct recorder_event_type *type);

/* The parts of it, each 0 (found), -ENOENT (no such name) or another negative errno with the error said. */
int recorder_event_generic(struct recorder_event_type *ret, const char *name);
int recorder_event_pmu(struct recorder_event_type *ret, const char *name, struct recorder_error *error);
int recorder_event_tracepoint(struct recorder_event_type *ret, const char *name,
                              struct recorder_error *error);

#endif
