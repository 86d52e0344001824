/* SPDX-License-Identifier: GPL-3.0-or-later */
/* org.capturectl.Capture1.Manager on the bus: takes what callers ask for. Main thread only. */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-idle.h"
#include "daemon/captured-sessions.h"

G_BEGIN_DECLS

#define CAPTURED_MANAGER_PATH "/org/capturectl/Capture1"

#define CAPTURED_TYPE_MANAGER (captured_manager_get_type())
G_DECLARE_FINAL_TYPE(CapturedManager, captured_manager, CAPTURED, MANAGER, GObject)

/* Exports it on the connection; `idle` is held while there is anything to do. NULL with an error when the
 * path is taken. */
CapturedManager *captured_manager_new(GDBusConnection *connection, CapturedIdle *idle, GError **error);
CapturedSessions *captured_manager_get_sessions(CapturedManager *self);

G_END_DECLS
