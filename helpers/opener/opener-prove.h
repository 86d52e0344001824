/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process's user may look into, by the kernel's word. */
#ifndef OPENER_PROVE_H
#define OPENER_PROVE_H

#include <stdint.h>

/* Whether this process may look into the one behind the pidfd, which lives, and is `pid`. 0 or -errno as
 * helpers/opener-protocol.h says. */
int opener_prove(int pidfd, int32_t pid);

#endif
