/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "recording/session/session.h"

G_BEGIN_DECLS

/* Names what a finished session sampled, and stores the names in its capture. Runs the default main context
 * meanwhile, so that signals can cancel. Warns of what could not be named. Asks servers (NULL: none), which
 * the person must have asked for, for what has no name then. */
void capturectl_record_name(RecordingSession *session, const char *servers, GCancellable *cancellable,
                            gboolean quiet);

G_END_DECLS
