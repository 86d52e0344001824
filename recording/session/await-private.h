/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting, for as long as it takes or until the recording is asked to stop: RECORDING_ERROR_CANCELLED then.
 */
#pragma once

#include "recording/recorder/recorder.h"
#include "recording/session/run-private.h"

G_BEGIN_DECLS

/* Waits until fd is readable. */
gboolean recording_await_readable(RecordingControl *control, int fd, GError **error);
/* Waits for a message of this type; ENDED, or the recorder's death, is an error. */
gboolean recording_await_message(RecordingControl *control, RecordingRecorder *recorder,
                                 enum recorder_message_type type, RecordingMessage *message, GError **error);

G_END_DECLS
