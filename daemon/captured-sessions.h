/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All sessions, and the objects below /org/capturectl/Capture1/session. To anybody but its caller a session
 * is not there: an object that never was and somebody else's give the same error. Main thread only.
 */
#pragma once

#include "daemon/captured-callers.h"
#include "daemon/captured-idle.h"
#include "daemon/captured-session.h"

G_BEGIN_DECLS

#define CAPTURED_TYPE_SESSIONS (captured_sessions_get_type())
G_DECLARE_FINAL_TYPE(CapturedSessions, captured_sessions, CAPTURED, SESSIONS, GObject)

/* `idle` is held while a session runs. NULL with an error when the path is taken. */
CapturedSessions *captured_sessions_new(GDBusConnection *connection, CapturedCallers *callers,
                                        CapturedIdle *idle, GError **error);
/* Begins one: spec's connection and path are filled in here. Returned is the session's path. It ends with its
 * caller's connection; when it has ended it can be looked at for a while. */
const char *captured_sessions_add(CapturedSessions *self, CapturedSessionSpec *spec);
/* Asks all that run to end. Returns how many still run; "empty" is emitted when none does any more. */
guint captured_sessions_stop_all(CapturedSessions *self, const char *reason);

G_END_DECLS
