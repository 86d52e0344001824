/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of child processes. Not thread-safe. */
#ifndef RECORDER_CHILD_H
#define RECORDER_CHILD_H

#include <sys/types.h>

/* Kills a child process. Does not wait for its end, which a disk or a busy machine may put off. */
void recorder_child_end(pid_t pid);
/* Takes note of the ends of those that were killed, so that nothing is left of them. Does not wait. */
void recorder_child_reap(void);

#endif
