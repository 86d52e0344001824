/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process a pidfd stands for. */
#ifndef PIDFD_H
#define PIDFD_H

#include <stdbool.h>
#include <stdint.h>

/* Its pid as this process numbers it; 0: it is in a namespace that is not known here; -ESRCH: it has ended;
 * -EBADF: the descriptor is no pidfd. Up to Linux 5.13 an undumpable process cannot ask: -EACCES, or with
 * `become_dumpable` it makes itself dumpable until it has the answer. That is not for a process that nothing
 * else protects from others of its user. */
int32_t pidfd_get_pid(int pidfd, bool become_dumpable);

#endif
