/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-service.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <stdlib.h>

#include "daemon/captured-manager.h"

#define BUS_NAME "org.capturectl.Capture1"
/* Of the bus's RequestName: a flag, and an answer. */
#define DO_NOT_QUEUE  4
#define PRIMARY_OWNER 1

/* How long sessions may take to end when the service does. */
#define FAREWELL_SECONDS 8

typedef struct {
  GMainLoop *loop;
  GDBusConnection *connection;
  CapturedSessions *sessions;
  int status;
} Service;

static void fail(Service *service, const char *message)
{
  g_printerr("captured: %s\n", message);
  service->status = EXIT_FAILURE;
  g_main_loop_quit(service->loop);
}

static void on_closed(GDBusConnection *connection, gboolean remote, GError *error, gpointer user_data)
{
  fail(user_data, "The bus is gone.");
}

/* The number that the bus answers with, or 0. */
static guint32 call_bus(GDBusConnection *connection, const char *method, GVariant *arguments)
{
  g_autoptr(GVariant) reply = g_dbus_connection_call_sync(
      connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments,
      G_VARIANT_TYPE("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  guint32 answer = 0;

  if (reply)
    g_variant_get(reply, "(u)", &answer);
  return answer;
}

static gboolean take_name(GDBusConnection *connection)
{
  return call_bus(connection, "RequestName", g_variant_new("(su)", BUS_NAME, DO_NOT_QUEUE)) == PRIMARY_OWNER;
}

/* Calls that arrived before the name was given up are answered still; later ones start another service. */
static void on_idle(CapturedIdle *idle, gpointer user_data)
{
  Service *service = user_data;

  call_bus(service->connection, "ReleaseName", g_variant_new("(s)", BUS_NAME));
  while (g_main_context_iteration(NULL, FALSE))
    ;
  if (!captured_idle_is_held(idle) || !take_name(service->connection))
    g_main_loop_quit(service->loop);
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

static void serve(Service *service)
{
  guint terminate = g_unix_signal_add(SIGTERM, on_signal, service);
  guint interrupt = g_unix_signal_add(SIGINT, on_signal, service);

  g_signal_connect(service->connection, "closed", G_CALLBACK(on_closed), service);
  if (take_name(service->connection))
    g_main_loop_run(service->loop);
  else
    fail(service,
         "The name " BUS_NAME " is not to be had on the bus: another captured runs, or the bus's policy does "
         "not let this user have it.");
  g_signal_handlers_disconnect_by_data(service->connection, service);
  g_source_remove(terminate);
  g_source_remove(interrupt);
}

int captured_service_run(guint idle_seconds)
{
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusConnection) connection = g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, &error);
  Service service = {.loop = loop, .connection = connection, .status = EXIT_SUCCESS};

  if (!connection) {
    g_printerr("captured: The system bus cannot be reached: %s\n", error->message);
    return EXIT_FAILURE;
  }
  g_dbus_connection_set_exit_on_close(connection, FALSE);
  g_autoptr(CapturedIdle) idle = captured_idle_new(idle_seconds);
  g_signal_connect(idle, "idle", G_CALLBACK(on_idle), &service);
  g_autoptr(CapturedManager) manager = captured_manager_new(connection, idle, &error);
  if (!manager) {
    g_printerr("captured: %s\n", error->message);
    return EXIT_FAILURE;
  }
  service.sessions = captured_manager_get_sessions(manager);
  serve(&service);
  g_dbus_connection_flush_sync(connection, NULL, NULL);
  return service.status;
}
