/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-callers.h"

#include "daemon/captured-error.h"

#define BUS      "org.freedesktop.DBus"
#define BUS_PATH "/org/freedesktop/DBus"

/* The bus drops what it has to tell us, its answers too, while our queue there is full: somebody sends faster
 * than we read. So it is asked again, for as long as a caller would wait for any answer. */
#define ANSWER_MILLISECONDS 3000
#define QUESTIONS           8

struct _CapturedCallers {
  GObject parent_instance;
  GDBusConnection *connection;
  guint subscription;
};

enum { SIGNAL_LEFT, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(CapturedCallers, captured_callers, G_TYPE_OBJECT)

static void captured_callers_dispose(GObject *object)
{
  CapturedCallers *self = CAPTURED_CALLERS(object);

  if (self->subscription)
    g_dbus_connection_signal_unsubscribe(self->connection, self->subscription);
  self->subscription = 0;
  g_clear_object(&self->connection);
  G_OBJECT_CLASS(captured_callers_parent_class)->dispose(object);
}

static void captured_callers_class_init(CapturedCallersClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = captured_callers_dispose;
  signals[SIGNAL_LEFT] = g_signal_new("left", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                      NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void captured_callers_init(CapturedCallers *self)
{
}

static void on_name_owner_changed(GDBusConnection *connection, const char *sender, const char *path,
                                  const char *interface, const char *signal, GVariant *parameters,
                                  gpointer user_data)
{
  const char *name, *owner;

  g_variant_get(parameters, "(&s&s&s)", &name, NULL, &owner);
  if (*name == ':' && *owner == '\0')
    g_signal_emit(user_data, signals[SIGNAL_LEFT], 0, name);
}

CapturedCallers *captured_callers_new(GDBusConnection *connection)
{
  CapturedCallers *self = g_object_new(CAPTURED_TYPE_CALLERS, NULL);

  self->connection = g_object_ref(connection);
  self->subscription =
      g_dbus_connection_signal_subscribe(connection, BUS, BUS, "NameOwnerChanged", BUS_PATH, NULL,
                                         G_DBUS_SIGNAL_FLAGS_NONE, on_name_owner_changed, self, NULL);
  return self;
}

typedef struct {
  char *name;
  int left; /* questions that may still be asked */
} Question;

static void question_free(gpointer data)
{
  Question *question = data;

  g_free(question->name);
  g_free(question);
}

static void ask(GTask *task);

static void on_user(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  guint32 user;

  if (reply) {
    g_variant_get(reply, "(u)", &user);
    g_task_return_int(task, user);
  } else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) &&
             ((Question *)g_task_get_task_data(task))->left > 0) {
    ask(g_steal_pointer(&task));
  } else {
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "The bus does not say who calls: %s",
                            error->message);
  }
}

/* Takes the task over. */
static void ask(GTask *task)
{
  CapturedCallers *self = g_task_get_source_object(task);
  Question *question = g_task_get_task_data(task);

  question->left--;
  g_dbus_connection_call(self->connection, BUS, BUS_PATH, BUS, "GetConnectionUnixUser",
                         g_variant_new("(s)", question->name), G_VARIANT_TYPE("(u)"), G_DBUS_CALL_FLAGS_NONE,
                         ANSWER_MILLISECONDS, NULL, on_user, task);
}

void captured_callers_find_user_async(CapturedCallers *self, const char *name, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  GTask *task = g_task_new(self, NULL, callback, user_data);
  Question *question = g_new(Question, 1);

  *question = (Question){g_strdup(name), QUESTIONS};
  g_task_set_task_data(task, question, question_free);
  ask(task);
}

uid_t captured_callers_find_user_finish(CapturedCallers *self, GAsyncResult *result, GError **error)
{
  g_autoptr(GError) local = NULL;
  gssize user = g_task_propagate_int(G_TASK(result), &local);

  if (!local)
    return (uid_t)user;
  g_propagate_error(error, g_steal_pointer(&local));
  return (uid_t)-1;
}
