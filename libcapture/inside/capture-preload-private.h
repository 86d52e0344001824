/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the preload library (helpers/preload) needs of libcapture beyond capture.h and
 * capture-inside-private.h, with a copy of which it is linked.
 */
#ifndef CAPTURE_PRELOAD_PRIVATE_H
#define CAPTURE_PRELOAD_PRIVATE_H

#include <signal.h>
#include <stdint.h>

#include "libcapture/capture.h"

/* capture_connect with these enum capture_hello_flags, which streams of children of fork say as well.
 * TABLE_WANTED may be sent through c->socket afterwards, and nobody else reads from there. */
int capture_inside_connect(capture **ret, const struct capture_options *options, uint32_t hello_flags);

/*
 * While a sampler runs, what sigaction(SIGPROF, …) does for the program: the program's action becomes
 * `action` (NULL: stays), which gets every SIGPROF that is not of the sampler's timers, and *ret_old (may be
 * NULL) is what it was. The kernel's action stays the sampler's. 0, or -ENOENT when no sampler runs: then
 * nothing is done, and sigaction is to be called.
 */
int capture_sampler_swap_action(const struct sigaction *action, struct sigaction *ret_old);

/* How many SIGPROF the program's action has got, modulo 2^32. -ENOENT when no sampler has the signal. */
int capture_sampler_get_passed_on(uint32_t *ret);

#endif
