/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who calls: whose a name on the bus is, and when it leaves. Main thread only.
 *
 * Signal: "left" (string name), when a connection is gone from the bus. One watch serves all: the bus limits
 * how many a connection may have, and a caller that would not be watched any more would never leave. What the
 * bus does not tell in a flood of messages is asked for some seconds later.
 */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

G_BEGIN_DECLS

#define CAPTURED_TYPE_CALLERS (captured_callers_get_type())
G_DECLARE_FINAL_TYPE(CapturedCallers, captured_callers, CAPTURED, CALLERS, GObject)

CapturedCallers *captured_callers_new(GDBusConnection *connection);

/* Asks the bus. Who has left before this answers, fails here; who leaves later, is told by the signal. */
void captured_callers_find_user_async(CapturedCallers *self, const char *name, GAsyncReadyCallback callback,
                                      gpointer user_data);
/* The user's number, or (uid_t)-1 with an error. *pid is the process that connected, 0 where the bus does not
 * know. */
uid_t captured_callers_find_user_finish(CapturedCallers *self, GAsyncResult *result, pid_t *pid,
                                        GError **error);

G_END_DECLS
