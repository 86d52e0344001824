/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a helper, and keeps this process's end of the socket pair that it is talked to by. libc only. */
#ifndef HELPER_START_H
#define HELPER_START_H

#include <sys/types.h>

/* The program is started with its end as a descriptor that its only argument is the number of
 * (packet_find_socket), with that environment, all signals as they are by default, and in a process group of
 * its own: what a terminal's user interrupts is who waits for it, and may need its answers still.
 * 0, with its pid, to be waited for, and the other end, close-on-exec; or -errno and neither is set.
 * Thread-safe. */
int helper_start(const char *program, char *const *environment, pid_t *ret_pid, int *ret_socket);

#endif
