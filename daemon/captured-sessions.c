/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-sessions.h"

#include <string.h>

#include "captured-bus.h"
#include "daemon/captured-error.h"

#define ROOT "/org/capturectl/Capture1/session"
/* Of each user's sessions that have ended, so that callers can still ask how. */
#define ENDED_MAX 8

struct _CapturedSessions {
  GObject parent_instance;
  GDBusConnection *connection;
  CapturedIdle *idle;
  CapturedCallers *callers;
  GHashTable *sessions; /* by the last part of their paths, "12" */
  GQueue ended;         /* of those, in that order */
  guint registration;
  guint64 last;
  guint running;
};

enum { SIGNAL_EMPTY, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(CapturedSessions, captured_sessions, G_TYPE_OBJECT)

static void captured_sessions_dispose(GObject *object)
{
  CapturedSessions *self = CAPTURED_SESSIONS(object);

  g_queue_clear(&self->ended);
  g_hash_table_remove_all(self->sessions);
  if (self->registration)
    g_dbus_connection_unregister_subtree(self->connection, self->registration);
  self->registration = 0;
  if (self->callers)
    g_signal_handlers_disconnect_by_data(self->callers, self);
  g_clear_object(&self->callers);
  g_clear_object(&self->connection);
  g_clear_object(&self->idle);
  G_OBJECT_CLASS(captured_sessions_parent_class)->dispose(object);
}

static void captured_sessions_finalize(GObject *object)
{
  g_hash_table_unref(CAPTURED_SESSIONS(object)->sessions);
  G_OBJECT_CLASS(captured_sessions_parent_class)->finalize(object);
}

static void captured_sessions_class_init(CapturedSessionsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = captured_sessions_dispose;
  G_OBJECT_CLASS(klass)->finalize = captured_sessions_finalize;
  signals[SIGNAL_EMPTY] =
      g_signal_new("empty", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void captured_sessions_init(CapturedSessions *self)
{
  self->sessions = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_object_unref);
}

static const char *find_node(CapturedSession *session)
{
  return captured_session_get_path(session) + strlen(ROOT "/");
}

static void remove_session(CapturedSessions *self, CapturedSession *session)
{
  g_signal_handlers_disconnect_by_data(session, self);
  g_queue_remove(&self->ended, session);
  g_hash_table_remove(self->sessions, find_node(session));
}

/* The one that ended first among those of a user's, if there are more than he may keep. */
static CapturedSession *find_superfluous(CapturedSessions *self, uid_t user)
{
  CapturedSession *first = NULL;
  guint n = 0;

  for (GList *l = self->ended.tail; l; l = l->prev) {
    if (captured_session_get_user(l->data) != user)
      continue;
    first = l->data;
    n++;
  }
  return n > ENDED_MAX ? first : NULL;
}

static void on_session_ended(CapturedSession *session, gpointer user_data)
{
  CapturedSessions *self = user_data;

  g_queue_push_tail(&self->ended, session);
  CapturedSession *superfluous = find_superfluous(self, captured_session_get_user(session));
  if (superfluous)
    remove_session(self, superfluous);
  captured_idle_release(self->idle);
  if (--self->running == 0)
    g_signal_emit(self, signals[SIGNAL_EMPTY], 0);
}

static void on_caller_left(CapturedCallers *callers, const char *name, gpointer user_data)
{
  CapturedSessions *self = user_data;
  g_autoptr(GList) sessions = g_hash_table_get_values(self->sessions);

  for (GList *l = sessions; l; l = l->next)
    g_object_ref(l->data);
  for (GList *l = sessions; l; l = l->next) {
    g_autoptr(CapturedSession) session = l->data;

    if (strcmp(captured_session_get_caller(session), name) == 0) {
      captured_session_drop(session);
      remove_session(self, session);
    }
  }
}

static void on_method_call(GDBusConnection *connection, const char *sender, const char *path,
                           const char *interface, const char *method, GVariant *parameters,
                           GDBusMethodInvocation *invocation, gpointer user_data)
{
  CapturedSessions *self = user_data;
  const char *node = g_str_has_prefix(path, ROOT "/") ? path + strlen(ROOT "/") : "";
  g_autoptr(CapturedSession) session = g_hash_table_lookup(self->sessions, node);

  if (session)
    g_object_ref(session);
  if (session && strcmp(captured_session_get_caller(session), sender) == 0)
    captured_session_answer(session, invocation);
  else
    g_dbus_method_invocation_return_error(invocation, CAPTURED_ERROR, CAPTURED_ERROR_NO_SESSION,
                                          "There is no session %s of yours.", path);
}

/* Properties come to method_call, too: only that can refuse them by name. */
static const GDBusInterfaceVTable interface_vtable = {.method_call = on_method_call};

static char **sessions_enumerate(GDBusConnection *connection, const char *sender, const char *path,
                                 gpointer user_data)
{
  return g_new0(char *, 1);
}

static GDBusInterfaceInfo **sessions_introspect(GDBusConnection *connection, const char *sender,
                                                const char *path, const char *node, gpointer user_data)
{
  GDBusInterfaceInfo **infos = g_new0(GDBusInterfaceInfo *, 2);

  infos[0] = g_dbus_interface_info_ref(captured_bus_session_interface_info());
  return infos;
}

static const GDBusInterfaceVTable *sessions_dispatch(GDBusConnection *connection, const char *sender,
                                                     const char *path, const char *interface,
                                                     const char *node, gpointer *ret_user_data,
                                                     gpointer user_data)
{
  *ret_user_data = user_data;
  return &interface_vtable;
}

static const GDBusSubtreeVTable subtree_vtable = {
    .enumerate = sessions_enumerate, .introspect = sessions_introspect, .dispatch = sessions_dispatch};

CapturedSessions *captured_sessions_new(GDBusConnection *connection, CapturedCallers *callers,
                                        CapturedIdle *idle, GError **error)
{
  g_autoptr(CapturedSessions) self = g_object_new(CAPTURED_TYPE_SESSIONS, NULL);

  self->connection = g_object_ref(connection);
  self->idle = g_object_ref(idle);
  self->callers = g_object_ref(callers);
  g_signal_connect(callers, "left", G_CALLBACK(on_caller_left), self);
  self->registration = g_dbus_connection_register_subtree(connection, ROOT, &subtree_vtable,
                                                          G_DBUS_SUBTREE_FLAGS_DISPATCH_TO_UNENUMERATED_NODES,
                                                          self, NULL, error);
  return self->registration ? g_steal_pointer(&self) : NULL;
}

const char *captured_sessions_add(CapturedSessions *self, CapturedSessionSpec *spec)
{
  g_autofree char *path = g_strdup_printf(ROOT "/%" G_GUINT64_FORMAT, ++self->last);

  spec->connection = self->connection;
  spec->path = path;
  CapturedSession *session = captured_session_new(spec);
  g_signal_connect(session, "ended", G_CALLBACK(on_session_ended), self);
  g_hash_table_insert(self->sessions, (gpointer)find_node(session), session);
  captured_idle_hold(self->idle);
  self->running++;
  return captured_session_get_path(session);
}

guint captured_sessions_stop_all(CapturedSessions *self, const char *reason)
{
  g_autoptr(GList) sessions = g_hash_table_get_values(self->sessions);

  for (GList *l = sessions; l; l = l->next)
    captured_session_stop(l->data, reason);
  return self->running;
}
