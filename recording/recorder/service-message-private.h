/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's messages in the words of org.capturectl.Capture1, and back. */
#pragma once

#include <gio/gio.h>

#include "helpers/recorder-protocol.h"
#include "recording/common/options.h"

G_BEGIN_DECLS

#define RECORDING_SERVICE_NAME    "org.capturectl.Capture1"
#define RECORDING_SERVICE_PATH    "/org/capturectl/Capture1"
#define RECORDING_SERVICE_MANAGER "org.capturectl.Capture1.Manager"
#define RECORDING_SERVICE_SESSION "org.capturectl.Capture1.Session"

/* The options of StartRecording, floating; its targets are the first n_targets descriptors of the message. */
GVariant *recording_service_make_options(const struct recorder_configure *configure, RecordingKernel kernel);
/* Fills READY in from the session's properties, a{sv}; NULL, or what is missing or of another type, is left
 * out. */
void recording_service_read_session(GVariant *properties, struct recorder_ready *ret);
/* ENDED with RECORDER_END_FAILED. */
void recording_service_make_ended(int number, const char *sentence, struct recorder_ended *ret);
/* The same for a call that failed. */
void recording_service_read_error(const GError *error, struct recorder_ended *ret);
/* ENDED for the signal of that name; FALSE when the recorder is gone, which ENDED does not tell. */
gboolean recording_service_read_ended(const char *reason, const char *message, struct recorder_ended *ret);

G_END_DECLS
