/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/service-probe.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "recording/common/error.h"
#include "recording/recorder/service-message-private.h"

#define POLKIT           "org.freedesktop.PolicyKit1"
#define POLKIT_PATH      "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"
#define ACTION_OWN       RECORDING_SERVICE_NAME ".profile-own"
#define ACTION_SYSTEM    RECORDING_SERVICE_NAME ".profile-system"
#define MILLISECONDS     10000

static GDBusConnection *connect_to_bus(GError **error)
{
  g_autoptr(GError) why = NULL;
  g_autofree char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, NULL, &why);
  GDBusConnection *bus =
      address ? g_dbus_connection_new_for_address_sync(address,
                                                       G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                           G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                       NULL, NULL, &why)
              : NULL;

  if (!bus)
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                _("There is no system bus, and so no system service: %s."), why->message);
  return bus;
}

static void set_error(GError **error, const GError *why)
{
  struct recorder_ended ended;

  recording_service_read_error(why, &ended);
  g_set_error_literal(error, RECORDING_ERROR,
                      ended.error == ENOENT   ? RECORDING_ERROR_NO_SERVICE
                      : ended.error == EACCES ? RECORDING_ERROR_PERMISSION
                                              : RECORDING_ERROR_RECORDER,
                      ended.text);
}

static void read_manager(GVariant *properties, RecordingServiceFacts *ret)
{
  g_autofree const char **features = NULL;

  if (!g_variant_lookup(properties, "Version", "s", &ret->version))
    ret->version = g_strdup("?");
  ret->unwind = RECORDING_UNWIND_FRAME_POINTERS;
  if (!g_variant_lookup(properties, "Features", "^a&s", &features))
    return;
  if (g_strv_contains(features, "bpf"))
    ret->unwind = RECORDING_UNWIND_BPF;
  else if (g_strv_contains(features, "tables"))
    ret->unwind = RECORDING_UNWIND_TABLES;
}

static gboolean ask_manager(GDBusConnection *bus, RecordingServiceFacts *ret, GError **error)
{
  g_autoptr(GError) why = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_sync(
      bus, RECORDING_SERVICE_NAME, RECORDING_SERVICE_PATH, "org.freedesktop.DBus.Properties", "GetAll",
      g_variant_new("(s)", RECORDING_SERVICE_MANAGER), G_VARIANT_TYPE("(a{sv})"), G_DBUS_CALL_FLAGS_NONE,
      MILLISECONDS, NULL, &why);
  g_autoptr(GVariant) properties = NULL;

  if (!reply) {
    set_error(error, why);
    return FALSE;
  }
  g_variant_get(reply, "(@a{sv})", &properties);
  read_manager(properties, ret);
  return TRUE;
}

static char *describe_problem(const char *action, const GError *error)
{
  g_autofree char *name = g_dbus_error_get_remote_error(error);

  if (g_strcmp0(name, POLKIT ".Error.Failed") == 0)
    return g_strdup_printf(
        _("polkit does not know the action “%s”: the service’s policy file is not installed."), action);
  g_autoptr(GError) plain = g_error_copy(error);
  g_dbus_error_strip_remote_error(plain);
  return g_strdup_printf(_("polkit does not answer: %s."), plain->message);
}

/* polkit tells everybody about himself; without the flag to interact nobody is asked anything. */
static RecordingRight ask_polkit(GDBusConnection *bus, const char *action, char **ret_problem)
{
  g_autoptr(GError) error = NULL;
  g_auto(GVariantDict) subject = G_VARIANT_DICT_INIT(NULL);
  gboolean authorized, challenge;

  g_variant_dict_insert(&subject, "name", "s", g_dbus_connection_get_unique_name(bus));
  g_autoptr(GVariant) reply = g_dbus_connection_call_sync(
      bus, POLKIT, POLKIT_PATH, POLKIT_INTERFACE, "CheckAuthorization",
      g_variant_new("((s@a{sv})s@a{ss}us)", "system-bus-name", g_variant_dict_end(&subject), action,
                    g_variant_new_array(G_VARIANT_TYPE("{ss}"), NULL, 0), 0, ""),
      G_VARIANT_TYPE("((bba{ss}))"), G_DBUS_CALL_FLAGS_NONE, MILLISECONDS, NULL, &error);
  if (!reply) {
    *ret_problem = describe_problem(action, error);
    return RECORDING_RIGHT_NO;
  }
  g_variant_get(reply, "((bba{ss}))", &authorized, &challenge, NULL);
  return authorized ? RECORDING_RIGHT_YES : challenge ? RECORDING_RIGHT_PASSWORD : RECORDING_RIGHT_NO;
}

gboolean recording_service_probe(RecordingServiceFacts *ret, GError **error)
{
  RecordingServiceFacts facts = {0};
  g_autoptr(GDBusConnection) bus = connect_to_bus(error);

  if (!bus || !ask_manager(bus, &facts, error))
    return FALSE;
  facts.confinement = confinement_find(getpid(), CONFINEMENT_MACHINES_NAMESPACE);
  facts.own = facts.confinement ? RECORDING_RIGHT_NO : ask_polkit(bus, ACTION_OWN, &facts.own_problem);
  facts.system = ask_polkit(bus, ACTION_SYSTEM, &facts.system_problem);
  g_dbus_connection_close_sync(bus, NULL, NULL);
  *ret = facts;
  return TRUE;
}

void recording_service_facts_clear(RecordingServiceFacts *self)
{
  g_free(self->version);
  g_free(self->own_problem);
  g_free(self->system_problem);
  *self = (RecordingServiceFacts){0};
}
