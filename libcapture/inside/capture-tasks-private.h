/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of this process, as the kernel lists them; allocates nothing.
 *
 * Numbers are those of the process's own namespace. /proc may be that of another one, as after `unshare
 * --pid`: what is listed there is translated.
 */
#ifndef CAPTURE_TASKS_PRIVATE_H
#define CAPTURE_TASKS_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

/* Called for each thread; false ends the round. */
typedef bool (*capture_task_fn)(pid_t tid, void *data);

/* 0 or a negative errno. Threads that begin or end meanwhile may be left out. */
int capture_tasks_each(capture_task_fn fn, void *data);

/* Whether a thread runs with that signal blocked, as it does in the signal's handler from the instant at
 * which the kernel makes it enter until it has left. Sleeping ones do not count. */
bool capture_task_runs_with_blocked(pid_t tid, int number);

/* What /proc calls this process, and a thread of it; 0: it is not there. */
pid_t capture_tasks_process_in_proc(void);
pid_t capture_task_in_proc(pid_t tid);

#endif
