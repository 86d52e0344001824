/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-session.h"

#include <string.h>

#include "captured-bus.h"
#include "daemon/captured-error.h"
#include "daemon/captured-log.h"
#include "daemon/captured-outcomes.h"

#define INTERFACE "org.capturectl.Capture1.Session"
/* How long a recorder may be silent while it writes its last windows and finds names, and how long that may
 * take in all. */
#define STOP_SECONDS 5
#define STOP_LIMIT   (15 * G_USEC_PER_SEC)

typedef enum { STATE_RECORDING, STATE_STOPPING, STATE_ENDED } State;

struct _CapturedSession {
  GObject parent_instance;
  GDBusConnection *connection;
  char *caller;
  uid_t user;
  char *path;
  CapturedScope scope;
  CapturedRecorder *recorder;
  CapturedClaim *claim; /* NULL when it has ended */
  State state;
  const char *reason; /* of the end, where one was asked for */
  guint timeout;
  gint64 stop_limit; /* of the monotonic clock, while it stops */
};

enum { SIGNAL_ENDED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(CapturedSession, captured_session, G_TYPE_OBJECT)

static void captured_session_dispose(GObject *object)
{
  CapturedSession *self = CAPTURED_SESSION(object);

  g_clear_handle_id(&self->timeout, g_source_remove);
  if (self->recorder)
    g_signal_handlers_disconnect_by_data(self->recorder, self);
  g_clear_object(&self->recorder);
  g_clear_pointer(&self->claim, captured_claim_free);
  g_clear_object(&self->connection);
  G_OBJECT_CLASS(captured_session_parent_class)->dispose(object);
}

static void captured_session_finalize(GObject *object)
{
  CapturedSession *self = CAPTURED_SESSION(object);

  g_free(self->caller);
  g_free(self->path);
  G_OBJECT_CLASS(captured_session_parent_class)->finalize(object);
}

static void captured_session_class_init(CapturedSessionClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = captured_session_dispose;
  G_OBJECT_CLASS(klass)->finalize = captured_session_finalize;
  signals[SIGNAL_ENDED] =
      g_signal_new("ended", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void captured_session_init(CapturedSession *self)
{
}

static GVariant *make_state(CapturedSession *self)
{
  static const char *const words[] = {"recording", "stopping", "ended"};

  return g_variant_new_string(words[self->state]);
}

/* To the caller alone: whether others record is nobody's business. */
static void session_tell(CapturedSession *self, const char *interface, const char *name, GVariant *arguments)
{
  g_dbus_connection_emit_signal(self->connection, self->caller, self->path, interface, name, arguments, NULL);
}

static void set_state(CapturedSession *self, State state)
{
  GVariantBuilder changed;

  self->state = state;
  g_variant_builder_init(&changed, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&changed, "{sv}", "State", make_state(self));
  session_tell(self, "org.freedesktop.DBus.Properties", "PropertiesChanged",
               g_variant_new("(sa{sv}as)", INTERFACE, &changed, NULL));
}

/* A recorder that failed or died is the reason, whatever was asked for before. */
static const char *find_reason(CapturedSession *self, int reason)
{
  switch (reason) {
  case RECORDER_END_FAILED:
    return "failed";
  case CAPTURED_RECORDER_DIED:
    return "recorder-died";
  default:
    if (self->reason)
      return self->reason;
    return reason == RECORDER_END_TARGETS_GONE ? "targets-gone" : "stopped";
  }
}

static void session_finish(CapturedSession *self, const char *reason, const char *message)
{
  g_clear_handle_id(&self->timeout, g_source_remove);
  g_clear_pointer(&self->claim, captured_claim_free);
  captured_log(self->user, self->path, NULL, "A session ended: %s%s%s", reason, *message ? ": " : "",
               message);
  set_state(self, STATE_ENDED);
  session_tell(self, INTERFACE, "Ended", g_variant_new("(ss)", reason, message));
  g_signal_emit(self, signals[SIGNAL_ENDED], 0);
}

static void on_recorder_ended(CapturedRecorder *recorder, int reason, const char *message, gpointer user_data)
{
  CapturedSession *self = user_data;

  session_finish(self, find_reason(self, reason), message);
}

static gboolean on_stop_timeout(gpointer user_data)
{
  CapturedSession *self = user_data;

  self->timeout = 0;
  captured_recorder_abort(self->recorder);
  session_finish(self, "recorder-died", "The recorder did not end when it was asked to.");
  return G_SOURCE_REMOVE;
}

/* Whoever tells his state is at work. */
static void on_recorder_status(CapturedRecorder *recorder, gpointer user_data)
{
  CapturedSession *self = user_data;

  if (self->timeout == 0 || g_get_monotonic_time() >= self->stop_limit)
    return;
  g_source_remove(self->timeout);
  self->timeout = g_timeout_add_seconds(STOP_SECONDS, on_stop_timeout, self);
}

CapturedSession *captured_session_new(const CapturedSessionSpec *spec)
{
  CapturedSession *self = g_object_new(CAPTURED_TYPE_SESSION, NULL);

  self->connection = g_object_ref(spec->connection);
  self->caller = g_strdup(spec->caller);
  self->user = spec->user;
  self->path = g_strdup(spec->path);
  self->scope = spec->scope;
  self->recorder = g_object_ref(spec->recorder);
  self->claim = spec->claim;
  g_signal_connect(self->recorder, "status", G_CALLBACK(on_recorder_status), self);
  g_signal_connect(self->recorder, "ended", G_CALLBACK(on_recorder_ended), self);
  return self;
}

const char *captured_session_get_path(CapturedSession *self)
{
  return self->path;
}

const char *captured_session_get_caller(CapturedSession *self)
{
  return self->caller;
}

uid_t captured_session_get_user(CapturedSession *self)
{
  return self->user;
}

gboolean captured_session_is_ended(CapturedSession *self)
{
  return self->state == STATE_ENDED;
}

void captured_session_stop(CapturedSession *self, const char *reason)
{
  if (self->state != STATE_RECORDING)
    return;
  self->reason = reason;
  set_state(self, STATE_STOPPING);
  self->stop_limit = g_get_monotonic_time() + STOP_LIMIT;
  self->timeout = g_timeout_add_seconds(STOP_SECONDS, on_stop_timeout, self);
  captured_recorder_stop(self->recorder);
}

void captured_session_drop(CapturedSession *self)
{
  if (self->state == STATE_ENDED)
    return;
  captured_recorder_abort(self->recorder);
  session_finish(self, "stopped", "Its caller left the bus.");
}

static GVariant *make_events(CapturedSession *self)
{
  const struct recorder_ready *ready = captured_recorder_get_ready(self->recorder);
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("as"));
  for (guint i = 0; i < ready->n_events; i++) {
    g_autofree char *name = g_utf8_make_valid(ready->events[i], -1);
    g_variant_builder_add(&builder, "s", name);
  }
  return g_variant_builder_end(&builder);
}

static GVariant *make_notes(CapturedSession *self)
{
  g_autofree char *text = g_utf8_make_valid(captured_recorder_get_ready(self->recorder)->notes, -1);
  g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);

  return g_variant_new_strv((const char *const *)lines, *text ? -1 : 0);
}

static GVariant *make_unwind(CapturedSession *self)
{
  static const char *const words[] = {
      [RECORDER_UNWIND_AUTO] = "",         [RECORDER_UNWIND_FRAME_POINTERS] = "fp",
      [RECORDER_UNWIND_TABLES] = "tables", [RECORDER_UNWIND_BPF] = "bpf",
      [RECORDER_UNWIND_NONE] = "none",
  };

  return g_variant_new_string(words[captured_recorder_get_ready(self->recorder)->unwind]);
}

static GVariant *make_scope(CapturedSession *self)
{
  return g_variant_new_string(self->scope == CAPTURED_SCOPE_OWN ? "own" : "system");
}

static GVariant *make_samples(CapturedSession *self)
{
  return g_variant_new_uint64(captured_recorder_get_status(self->recorder)->samples);
}

static GVariant *make_lost(CapturedSession *self)
{
  return g_variant_new_uint64(captured_recorder_get_status(self->recorder)->lost);
}

static GVariant *make_throttled(CapturedSession *self)
{
  return g_variant_new_uint64(captured_recorder_get_status(self->recorder)->throttled);
}

static GVariant *make_time(CapturedSession *self)
{
  return g_variant_new_uint64(captured_recorder_get_status(self->recorder)->time);
}

static GVariant *make_outcomes(CapturedSession *self)
{
  return captured_outcomes_describe(captured_recorder_get_status(self->recorder)->outcomes);
}

static const struct {
  const char *name;
  GVariant *(*make)(CapturedSession *self);
} properties[] = {
    {"State", make_state},       {"Scope", make_scope},         {"Events", make_events},
    {"Unwind", make_unwind},     {"Notes", make_notes},         {"Samples", make_samples},
    {"Lost", make_lost},         {"Throttled", make_throttled}, {"Time", make_time},
    {"Outcomes", make_outcomes},
};

static void answer_get(CapturedSession *self, GDBusMethodInvocation *invocation)
{
  const char *name;

  captured_recorder_update(self->recorder);
  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(&s&s)", NULL, &name);
  for (guint i = 0; i < G_N_ELEMENTS(properties); i++) {
    if (strcmp(properties[i].name, name) == 0) {
      g_dbus_method_invocation_return_value(invocation, g_variant_new("(v)", properties[i].make(self)));
      return;
    }
  }
  g_dbus_method_invocation_return_error(invocation, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_PROPERTY,
                                        "There is no property %s.", name);
}

static void answer_get_all(CapturedSession *self, GDBusMethodInvocation *invocation)
{
  GVariantBuilder all;

  captured_recorder_update(self->recorder);
  g_variant_builder_init(&all, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < G_N_ELEMENTS(properties); i++)
    g_variant_builder_add(&all, "{sv}", properties[i].name, properties[i].make(self));
  g_dbus_method_invocation_return_value(invocation, g_variant_new("(a{sv})", &all));
}

void captured_session_answer(CapturedSession *self, GDBusMethodInvocation *invocation)
{
  const char *method = g_dbus_method_invocation_get_method_name(invocation);

  if (strcmp(method, "Stop") == 0) {
    captured_session_stop(self, "stopped");
    g_dbus_method_invocation_return_value(invocation, NULL);
  } else if (strcmp(method, "Get") == 0) {
    answer_get(self, invocation);
  } else if (strcmp(method, "GetAll") == 0) {
    answer_get_all(self, invocation);
  } else {
    g_dbus_method_invocation_return_error(invocation, G_DBUS_ERROR, G_DBUS_ERROR_PROPERTY_READ_ONLY,
                                          "The properties of a session cannot be set.");
  }
}
