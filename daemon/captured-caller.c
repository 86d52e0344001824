/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-caller.h"

#include "daemon/captured-error.h"

void captured_caller_find_user_async(GDBusConnection *connection, const char *name, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data)
{
  g_dbus_connection_call(connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                         "GetConnectionUnixUser", g_variant_new("(s)", name), G_VARIANT_TYPE("(u)"),
                         G_DBUS_CALL_FLAGS_NONE, -1, cancellable, callback, user_data);
}

uid_t captured_caller_find_user_finish(GDBusConnection *connection, GAsyncResult *result, GError **error)
{
  g_autoptr(GError) local = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(connection, result, &local);
  uid_t user = (uid_t)-1;

  if (reply)
    g_variant_get(reply, "(u)", &user);
  else
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "The bus does not say who calls: %s",
                local->message);
  return user;
}
