/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-manager.h"

#include <unistd.h>

#include "captured-bus.h"
#include "daemon/captured-perf-event.h"
#include "daemon/captured-start.h"
#include "helpers/kernel.h"

/* A person may look for the password first. */
#define QUESTION_SECONDS 120

struct _CapturedManager {
  GObject parent_instance;
  CapturedBusManager *bus;
  CapturedHouse house;
};

G_DEFINE_FINAL_TYPE(CapturedManager, captured_manager, G_TYPE_OBJECT)

static void captured_manager_dispose(GObject *object)
{
  CapturedManager *self = CAPTURED_MANAGER(object);

  if (self->bus)
    g_dbus_interface_skeleton_unexport(G_DBUS_INTERFACE_SKELETON(self->bus));
  g_clear_object(&self->bus);
  g_clear_object(&self->house.sessions);
  g_clear_object(&self->house.authority);
  g_clear_object(&self->house.cgroups);
  g_clear_object(&self->house.ledger);
  g_clear_object(&self->house.limits);
  g_clear_object(&self->house.callers);
  g_clear_object(&self->house.idle);
  G_OBJECT_CLASS(captured_manager_parent_class)->dispose(object);
}

static void captured_manager_class_init(CapturedManagerClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = captured_manager_dispose;
}

static void captured_manager_init(CapturedManager *self)
{
}

/* The programs are built against the kernel's types: without them none is loaded. */
static gboolean takes_programs(void)
{
  return kernel_get_obstacle() == KERNEL_NO_OBSTACLE && access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

static void manager_describe(CapturedManager *self)
{
  g_autoptr(GStrvBuilder) features = g_strv_builder_new();

  g_strv_builder_add_many(features, "tables", "perf-event-open", NULL);
#ifdef CAPTURED_HAS_BPF
  if (takes_programs())
    g_strv_builder_add_many(features, "bpf", "off-cpu", NULL);
#endif
  g_auto(GStrv) names = g_strv_builder_end(features);
  captured_bus_manager_set_features(self->bus, (const char *const *)names);
  captured_bus_manager_set_version(self->bus, CAPTURED_VERSION);
  captured_bus_manager_set_limits(self->bus, captured_limits_describe());
}

static gboolean on_start_recording(CapturedBusManager *bus, GDBusMethodInvocation *invocation,
                                   GUnixFDList *fds, GVariant *options, gpointer user_data)
{
  CapturedManager *self = user_data;

  captured_start(&self->house, invocation);
  return G_DBUS_METHOD_INVOCATION_HANDLED;
}

static gboolean on_perf_event_open(CapturedBusManager *bus, GDBusMethodInvocation *invocation,
                                   GUnixFDList *fds, GVariant *attr, GVariant *options, gpointer user_data)
{
  CapturedManager *self = user_data;

  captured_perf_event_open(&self->house, invocation);
  return G_DBUS_METHOD_INVOCATION_HANDLED;
}

CapturedManager *captured_manager_new(GDBusConnection *connection, CapturedIdle *idle, GError **error)
{
  g_autoptr(CapturedManager) self = g_object_new(CAPTURED_TYPE_MANAGER, NULL);

  self->house.cgroups = captured_cgroups_new();
  self->house.idle = g_object_ref(idle);
  self->house.callers = captured_callers_new(connection);
  self->house.limits = captured_limits_new();
  self->house.authority = captured_authority_new(connection, QUESTION_SECONDS);
  self->house.ledger = captured_ledger_new(idle, error);
  if (!self->house.ledger)
    return NULL;
  self->house.sessions = captured_sessions_new(connection, self->house.callers, idle, error);
  if (!self->house.sessions)
    return NULL;
  self->bus = captured_bus_manager_skeleton_new();
  manager_describe(self);
  g_signal_connect(self->bus, "handle-start-recording", G_CALLBACK(on_start_recording), self);
  g_signal_connect(self->bus, "handle-perf-event-open", G_CALLBACK(on_perf_event_open), self);
  if (!g_dbus_interface_skeleton_export(G_DBUS_INTERFACE_SKELETON(self->bus), connection,
                                        CAPTURED_MANAGER_PATH, error))
    return NULL;
  return g_steal_pointer(&self);
}

CapturedSessions *captured_manager_get_sessions(CapturedManager *self)
{
  return self->house.sessions;
}
