/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether child processes may be started, and their ends. Not thread-safe. */
#ifndef RECORDER_CHILD_H
#define RECORDER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* As long as they are held, none is started: whoever would start one asks first, and again later. */
void recorder_child_hold(bool held);
bool recorder_child_is_held(void);
/* Kills a child process. Does not wait for its end, which a disk or a busy machine may put off. */
void recorder_child_end(pid_t pid);
/* Takes note of the ends of those that were killed, so that nothing is left of them. Does not wait. */
void recorder_child_reap(void);

#endif
