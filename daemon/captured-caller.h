/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose a name on the bus is, as the bus says. */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

G_BEGIN_DECLS

void captured_caller_find_user_async(GDBusConnection *connection, const char *name, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data);
/* The user's number, or (uid_t)-1 with an error. */
uid_t captured_caller_find_user_finish(GDBusConnection *connection, GAsyncResult *result, GError **error);

G_END_DECLS
