/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder process and the caller's end of its protocol (helpers/recorder-protocol.h). It is
 * started in a session of its own, so that a Ctrl+C on the terminal does not reach it, and with
 * no descriptor but its socket. One thread at a time.
 */
#pragma once

#include <glib.h>

#include "helpers/recorder-protocol.h"
#include "recording/recording-options.h"

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
/* Readable when there is something to receive. */
int recording_recorder_get_fd(RecordingRecorder *self);
gint32 recording_recorder_get_pid(RecordingRecorder *self);
/* Sends CONFIGURE with the targets' pidfds, which stay the caller's. */
gboolean recording_recorder_configure(RecordingRecorder *self, const RecordingOptions *options,
                                      const int *pidfds, guint n_pidfds, gboolean enable_on_exec,
                                      GError **error);
/* Sends a message without content. A recorder that is gone is noticed by receive. */
void recording_recorder_send(RecordingRecorder *self, enum recorder_message_type type);
/* Does not block. */
RecordingReceived recording_recorder_receive(RecordingRecorder *self, RecordingMessage *message);
/* Hangs up, which ends the recorder, and waits for its exit; one that does not react is killed. Returns its
 * wait status. */
int recording_recorder_close(RecordingRecorder *self);
void recording_recorder_free(RecordingRecorder *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingRecorder, recording_recorder_free)

G_END_DECLS
