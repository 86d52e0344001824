/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process's user may look into, by the kernel's word. */
#ifndef OPENER_PROVE_H
#define OPENER_PROVE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this process may look into the one behind the pidfd, which lives, and is `pid`. 0 or -errno as
 * helpers/opener-protocol.h says. */
int opener_prove(int pidfd, int32_t pid);
/* Whether nothing confines that process, as OPENER_FREE says. 0, -EPERM or -ESRCH. */
int opener_is_free(int32_t pid);
/* Whether a label as in /proc/PID/attr/current permits all that the user may do. */
bool opener_is_open_label(const char *label);

#endif
