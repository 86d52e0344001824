/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the recorder may do: of whatever it was given, it keeps what its work takes, and nothing that a child
 * of it could inherit by executing.
 *
 *   direct   what it was given of PERFMON, BPF, SYS_PTRACE, SYSLOG, IPC_LOCK, CHECKPOINT_RESTORE and
 *            DAC_READ_SEARCH; as root also what it takes to make an elf-reader somebody else, and to end it
 *
 *   system   the same
 *
 *   own      PERFMON, BPF, IPC_LOCK; SYS_PTRACE until the events are open, for a /proc that hides processes
 *            (hidepid) from who has not got it
 */
#ifndef RECORDER_RIGHTS_H
#define RECORDER_RIGHTS_H

#include <stdbool.h>

#include "helpers/recorder/recorder-error.h"

/* First thing in the process: no new privileges, nobody looks into it, as many open files as are permitted,
 * and the capabilities of the widest scope. 0 or -errno. */
int recorder_rights_begin(void);
/* The capabilities of an own session, with or without SYS_PTRACE. 0 or -errno with the error said. */
int recorder_rights_narrow(bool look_into_processes, struct recorder_error *error);
/* Whether it has a capability, a number as CAP_PERFMON. */
bool recorder_rights_has(int capability);
/* Whether it records for others: it has rights by its capabilities, not by being root. */
bool recorder_rights_are_lent(void);

#endif
