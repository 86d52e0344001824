/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polkit, asked over the same connection to the bus as everybody: one of its own would not have the relay in
 * front of it (captured-relay.h). Main thread only. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define CAPTURED_ACTION_OWN    "org.capturectl.Capture1.profile-own"
#define CAPTURED_ACTION_SYSTEM "org.capturectl.Capture1.profile-system"

#define CAPTURED_TYPE_AUTHORITY (captured_authority_get_type())
G_DECLARE_FINAL_TYPE(CapturedAuthority, captured_authority, CAPTURED, AUTHORITY, GObject)

/* A person who is asked for a password has that long to answer: who asks has a place among the sessions
 * meanwhile. */
CapturedAuthority *captured_authority_new(GDBusConnection *connection, guint question_seconds);

/* Whether whoever has that name on the bus may do it, to these processes when that is not NULL. With
 * `interactive` a person may be asked for a password, which takes as long as it takes; cancelling takes the
 * question away. */
void captured_authority_check_async(CapturedAuthority *self, const char *name, const char *action,
                                    const char *processes, gboolean interactive, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
/* FALSE with CAPTURED_ERROR_NOT_AUTHORIZED, or _FAILED when polkit does not answer. */
gboolean captured_authority_check_finish(CapturedAuthority *self, GAsyncResult *result, GError **error);

G_END_DECLS
