/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the recorder may do: of whatever it was given, it keeps what its work takes, and nothing that a child
 * of it could inherit by executing.
 *
 *   direct   what it was given of PERFMON, BPF, SYS_PTRACE, SYSLOG, IPC_LOCK, CHECKPOINT_RESTORE and
 *            DAC_READ_SEARCH (without SYS_PTRACE also WAKE_ALARM, which systemd gives to programs of
 *            users at the seat); as root also what it takes to make an elf-reader somebody else, and to
 *            end it
 *   system   the same
 *   own      PERFMON, BPF, IPC_LOCK; until the events are open SYS_PTRACE too, for a /proc that hides
 *            processes (hidepid) from those without it
 *
 * Kernels of Debian and Ubuntu want SYS_ADMIN of whoever opens an event while perf_event_paranoid is above 2.
 * Where it was so when the process began, SYS_ADMIN stays permitted, in an own session until the events are
 * open. It is effective only while an event is opened.
 */
#ifndef RECORDER_RIGHTS_H
#define RECORDER_RIGHTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/recorder/common/error.h"

/* First thing in the process: no new privileges, nobody looks into it, as many open files as are permitted,
 * and the capabilities of the widest scope. 0 or -errno. */
int recorder_rights_begin(void);
/* The capabilities of an own session; `open_events`: those too that it has until its events are open. 0 or
 * -errno with the error said. */
int recorder_rights_narrow(bool open_events, struct recorder_error *error);
/* perf_event_open of a thread (-1: of everybody) on a CPU (-1: on all), with what that takes. A descriptor
 * that an exec closes, or -errno. */
int recorder_rights_open_event(const struct perf_event_attr *attr, int32_t tid, int cpu);
/* kernel.perf_event_paranoid */
int recorder_rights_paranoid(void);
/* Whether it has a capability, a number as CAP_PERFMON, permitted. */
bool recorder_rights_has(int capability);
/* Whether it records for others: it has rights by its capabilities, not by being root. */
bool recorder_rights_are_lent(void);

#endif
