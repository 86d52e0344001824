/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is particular of a session of the caller's own processes (RECORDER_OWN): they are proven to be his by
 * the opener that runs as him, and all that the recorder knows of their memory comes through it. */
#ifndef RECORDER_OWN_H
#define RECORDER_OWN_H

#include "helpers/recorder/common/error.h"
#include "helpers/recorder/tables/opener.h"

/* The opener's socket, which is taken over, or closed; from then on it is asked for what this process may not
 * see of others in /proc (recorder_proc_set_proxy). 0 or -EPROTO with the error said. */
int recorder_own_adopt(struct recorder_opener *opener, int socket, struct recorder_error *error);

/* Whether every target is the caller's now. Asked when all events are open and none is enabled: a target that
 * executed a set-uid program before that is not; for one that does it later the kernel ends the events. 0 or
 * a negative errno with the error said. */
int recorder_own_prove(struct recorder_opener *opener, const int *pidfds, const int32_t *pids, uint32_t count,
                       struct recorder_error *error);

#endif
