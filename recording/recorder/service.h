/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Speaks for the system service captured (docs/dbus.md) as if it were a recorder: a thread with a connection
 * to the system bus of its own, which holds one end of a socket pair and keeps to helpers/recorder-protocol.h
 * there, but for two things: events count when READY comes, for the service begins before it answers; and of
 * WAKE and STATUS there comes only a STATUS now and then after STOP, while the service is still at work, for
 * all that they say is in the windows.
 *
 * What is refused comes as ENDED with a sentence, and as its error: EACCES not authorised, EPERM not to be
 * had at all, ESRCH a target that is gone, ENOENT no service, ENOSYS none that could do more, EOPNOTSUPP the
 * machine cannot, another errno. When the service, its recorder or the bus goes away, the thread hangs up,
 * and join says how it was.
 */
#pragma once

#include "recording/common/options.h"

G_BEGIN_DECLS

typedef struct _RecordingService RecordingService;

typedef struct {
  gboolean interactive; /* a person may be asked for a password, if it cannot be had without */
  gboolean need_bpf;    /* refuse if the service's recorder does not walk stacks in BPF programs */
  RecordingKernel kernel;
} RecordingServiceWish;

/* Takes the socket. Does not block: the bus is asked once CONFIGURE has come. */
RecordingService *recording_service_new(int socket, const RecordingServiceWish *wish);
/* Once the socket's other end is closed: waits for the thread and frees. Returns what went away, a sentence
 * without its full stop; free it. */
char *recording_service_join(RecordingService *self);

G_END_DECLS
