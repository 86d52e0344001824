/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording from CONFIGURE to ENDED. */
#ifndef RECORDER_SESSION_H
#define RECORDER_SESSION_H

/* Speaks the protocol on socket until the recording is over or the caller gone. Returns an exit status. */
int recorder_session_run(int socket);

#endif
