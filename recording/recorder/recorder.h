/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The caller's end of the recorder's protocol (helpers/recorder-protocol.h). At the other end is either a
 * process, started in a session of its own, so that a Ctrl+C on the terminal does not reach it, and with no
 * descriptor but its socket; or the system service, for which a thread speaks. One thread at a time.
 */
#pragma once

#include <glib.h>

#include "helpers/recorder-protocol.h"
#include "recording/common/options.h"
#include "recording/recorder/service.h"

G_BEGIN_DECLS

typedef struct _RecordingRecorder RecordingRecorder;

/* One message from the recorder, checked. */
typedef struct {
  enum recorder_message_type type;
  union {
    struct recorder_message message;
    struct recorder_ready ready;
    struct recorder_status status;
    struct recorder_ended ended;
    struct recorder_probed probed;
  };
  int windows_fd; /* with READY, the receiver's to close; else -1 */
  int control_fd;
} RecordingMessage;

typedef enum {
  RECORDING_RECEIVED,
  RECORDING_RECEIVED_NOTHING, /* nothing more for now */
  RECORDING_RECEIVED_END,     /* the recorder is gone */
  RECORDING_RECEIVED_BROKEN   /* it broke the protocol */
} RecordingReceived;

/* Starts it: $CAPTURE_RECORDER, else the one built or installed with this program. */
RecordingRecorder *recording_recorder_new(GError **error);
/* The system service in its place; whether there is one, READY or ENDED says. */
RecordingRecorder *recording_recorder_new_service(const RecordingServiceWish *wish, GError **error);
/* DIRECT or SERVICE. */
RecordingVia recording_recorder_get_via(RecordingRecorder *self);
/* Readable when there is something to receive. */
int recording_recorder_get_fd(RecordingRecorder *self);
/* 0 where it is the service's child. */
gint32 recording_recorder_get_pid(RecordingRecorder *self);
/* Sends PROBE; to a process only, before CONFIGURE. */
void recording_recorder_probe(RecordingRecorder *self, const struct recorder_probe_event *events);
/* Sends CONFIGURE with the targets' pidfds, which stay the caller's. */
gboolean recording_recorder_configure(RecordingRecorder *self, const RecordingOptions *options,
                                      const int *pidfds, guint n_pidfds, gboolean enable_on_exec,
                                      GError **error);
/* Sends a message without content. A recorder that is gone is noticed by receive. */
void recording_recorder_send(RecordingRecorder *self, enum recorder_message_type type);
/* Does not block. */
RecordingReceived recording_recorder_receive(RecordingRecorder *self, RecordingMessage *message);
/* Hangs up, which ends the recorder, and waits for its exit; one that does not react is killed. */
void recording_recorder_close(RecordingRecorder *self);
/* After close: its wait status, -1 where that is not known; and how it went, a sentence without its full
 * stop, which stays the recorder's. They matter when it went without ENDED. */
int recording_recorder_get_status(RecordingRecorder *self);
const char *recording_recorder_get_death(RecordingRecorder *self);
void recording_recorder_free(RecordingRecorder *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingRecorder, recording_recorder_free)

G_END_DECLS
