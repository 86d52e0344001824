/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "capturectl/capturectl-record-options.h"
#include "recording/session/session.h"

G_BEGIN_DECLS

/* Names what a finished session sampled, and stores the names and machine code in its capture. Runs the
 * default main context meanwhile, so that signals can cancel. Warns of what could not be named. Asks the
 * servers of the options for what has no name then. */
void capturectl_record_name(RecordingSession *session, GCancellable *cancellable,
                            const CapturectlRecordOptions *options);

G_END_DECLS
