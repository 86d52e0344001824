/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-service.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/captured-manager.h"
#include "daemon/captured-relay.h"

#define BUS_NAME "org.capturectl.Capture1"
/* Of the bus's RequestName: a flag, and an answer. */
#define DO_NOT_QUEUE  4
#define PRIMARY_OWNER 1

/* How long sessions may take to end when the service does. */
#define FAREWELL_SECONDS 8

typedef struct {
  GMainLoop *loop;
  GDBusConnection *connection;
  CapturedIdle *idle;
  CapturedSessions *sessions;
  int status;
} Service;

static void service_fail(Service *service, const char *message)
{
  g_printerr("captured: %s\n", message);
  service->status = EXIT_FAILURE;
  g_main_loop_quit(service->loop);
}

static void on_closed(GDBusConnection *connection, gboolean remote, GError *error, gpointer user_data)
{
  service_fail(user_data, "The bus is gone.");
}

/* Nothing may wait for the bus without serving: the relay passes on what the bus says in its turn, and no
 * more of it than is served. */
static void call_bus(Service *service, const char *method, GVariant *arguments, GAsyncReadyCallback callback)
{
  g_dbus_connection_call(service->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                         "org.freedesktop.DBus", method, arguments, G_VARIANT_TYPE("(u)"),
                         G_DBUS_CALL_FLAGS_NONE, -1, NULL, callback, service);
}

static void take_name(Service *service, GAsyncReadyCallback callback)
{
  call_bus(service, "RequestName", g_variant_new("(su)", BUS_NAME, DO_NOT_QUEUE), callback);
}

static gboolean take_name_finish(GObject *source, GAsyncResult *result)
{
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
  guint32 answer = 0;

  if (reply)
    g_variant_get(reply, "(u)", &answer);
  return answer == PRIMARY_OWNER;
}

static void on_name(GObject *source, GAsyncResult *result, gpointer user_data)
{
  if (!take_name_finish(source, result))
    service_fail(user_data, "The name " BUS_NAME
                            " is not to be had on the bus: another captured runs, or the bus's policy does "
                            "not let this user have it.");
}

static void on_name_again(GObject *source, GAsyncResult *result, gpointer user_data)
{
  if (!take_name_finish(source, result))
    g_main_loop_quit(((Service *)user_data)->loop);
}

/* Calls that arrived before the name was given up have begun by now; later ones start another service. */
static void on_released(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Service *service = user_data;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);

  if (captured_idle_is_held(service->idle))
    take_name(service, on_name_again);
  else
    g_main_loop_quit(service->loop);
}

static void on_idle(CapturedIdle *idle, gpointer user_data)
{
  call_bus(user_data, "ReleaseName", g_variant_new("(s)", BUS_NAME), on_released);
}

static void on_empty(CapturedSessions *sessions, gpointer user_data)
{
  g_main_loop_quit(((Service *)user_data)->loop);
}

static gboolean on_farewell(gpointer user_data)
{
  g_main_loop_quit(((Service *)user_data)->loop);
  return G_SOURCE_REMOVE;
}

/* Recorders get the time to write what they have, and callers are told. */
static gboolean on_signal(gpointer user_data)
{
  Service *service = user_data;

  if (captured_sessions_stop_all(service->sessions, "service-stopped") == 0) {
    g_main_loop_quit(service->loop);
    return G_SOURCE_CONTINUE;
  }
  g_signal_connect(service->sessions, "empty", G_CALLBACK(on_empty), service);
  g_timeout_add_seconds(FAREWELL_SECONDS, on_farewell, service);
  return G_SOURCE_CONTINUE;
}

static void service_serve(Service *service)
{
  guint terminate = g_unix_signal_add(SIGTERM, on_signal, service);
  guint interrupt = g_unix_signal_add(SIGINT, on_signal, service);

  g_signal_connect(service->connection, "closed", G_CALLBACK(on_closed), service);
  take_name(service, on_name);
  g_main_loop_run(service->loop);
  g_signal_handlers_disconnect_by_data(service->connection, service);
  g_source_remove(terminate);
  g_source_remove(interrupt);
}

/* A socket that is connected to the system bus, or -1. */
static int open_bus(GError **error)
{
  g_autofree char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, NULL, error);
  g_autoptr(GIOStream) stream = address ? g_dbus_address_get_stream_sync(address, NULL, NULL, error) : NULL;

  if (!stream)
    return -1;
  int fd = dup(g_socket_get_fd(g_socket_connection_get_socket(G_SOCKET_CONNECTION(stream))));
  if (fd < 0)
    g_set_error_literal(error, G_IO_ERROR, g_io_error_from_errno(errno), g_strerror(errno));
  else
    g_unix_set_fd_nonblocking(fd, FALSE, NULL);
  return fd;
}

static GDBusConnection *connect_through(CapturedRelay **ret_relay, GError **error)
{
  int fd, bus = open_bus(error);

  *ret_relay = bus >= 0 ? captured_relay_new(bus, &fd, error) : NULL;
  if (!*ret_relay)
    return NULL;
  g_autoptr(GSocket) socket = g_socket_new_from_fd(fd, error);
  if (!socket)
    return NULL;
  g_autoptr(GSocketConnection) stream = g_socket_connection_factory_create_connection(socket);
  return g_dbus_connection_new_sync(G_IO_STREAM(stream), NULL,
                                    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                    NULL, NULL, error);
}

int captured_service_run(guint idle_seconds)
{
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
  g_autoptr(GError) error = NULL;
  g_autoptr(CapturedRelay) relay = NULL;
  g_autoptr(GDBusConnection) connection = connect_through(&relay, &error);

  if (!connection) {
    g_printerr("captured: The system bus cannot be reached: %s\n", error->message);
    return EXIT_FAILURE;
  }
  g_autoptr(CapturedIdle) idle = captured_idle_new(idle_seconds);
  Service service = {.loop = loop, .connection = connection, .idle = idle, .status = EXIT_SUCCESS};
  g_signal_connect(idle, "idle", G_CALLBACK(on_idle), &service);
  g_autoptr(CapturedManager) manager = captured_manager_new(connection, idle, &error);
  if (!manager) {
    g_printerr("captured: %s\n", error->message);
    return EXIT_FAILURE;
  }
  service.sessions = captured_manager_get_sessions(manager);
  service_serve(&service);
  g_dbus_connection_flush_sync(connection, NULL, NULL);
  return service.status;
}
