/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RECORDER_CHILD_H
#define RECORDER_CHILD_H

#include <sys/types.h>

/* Kills a child process and waits for its end, but not long: one that a disk holds stays behind as it is, and
 * dies and is forgotten when the disk answers and this process has ended. */
void recorder_child_end(pid_t pid);

#endif
