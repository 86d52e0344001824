/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits that a helper gives itself, once and for all. libc only. */
#ifndef LIMIT_H
#define LIMIT_H

#include <stdint.h>

/* Lowers both limits of a resource (RLIMIT_…) to `most`, where they are higher. 0 or -errno. */
int limit_lower(int resource, uint64_t most);
/* Gives up a precedence over other processes (a nice value below 0) that its parent has: recorders have it.
 */
void limit_priority(void);

#endif
