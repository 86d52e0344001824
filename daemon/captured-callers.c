/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-callers.h"

#include "daemon/captured-error.h"

#define BUS      "org.freedesktop.DBus"
#define BUS_PATH "/org/freedesktop/DBus"

/* The bus drops what it has to tell us, its answers too, while our queue there is full: somebody sends faster
 * than we read. So it is asked again, for as long as a caller would wait for any answer. */
#define ANSWER_MILLISECONDS 3000
#define QUESTIONS           8

/* For the same reason it is looked now and then whether callers are still there. */
#define LOOK_SECONDS 10

struct _CapturedCallers {
  GObject parent_instance;
  GDBusConnection *connection;
  guint subscription;
  guint look;        /* source */
  GHashTable *known; /* names of those who have called and not left */
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
  g_clear_handle_id(&self->look, g_source_remove);
  g_clear_object(&self->connection);
  g_clear_pointer(&self->known, g_hash_table_unref);
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
  self->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void see_leave(CapturedCallers *self, const char *name)
{
  if (self->known && g_hash_table_remove(self->known, name))
    g_signal_emit(self, signals[SIGNAL_LEFT], 0, name);
}

static void on_name_owner_changed(GDBusConnection *connection, const char *sender, const char *path,
                                  const char *interface, const char *signal, GVariant *parameters,
                                  gpointer user_data)
{
  const char *name, *owner;

  g_variant_get(parameters, "(&s&s&s)", &name, NULL, &owner);
  if (*owner == '\0')
    see_leave(user_data, name);
}

/* A question about one caller. */
typedef struct {
  CapturedCallers *self;
  char *name;
} Look;

static void on_looked(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree Look *look = user_data;
  g_autoptr(CapturedCallers) self = look->self;
  g_autofree char *name = look->name;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
  gboolean is_there = TRUE;

  if (reply)
    g_variant_get(reply, "(b)", &is_there);
  if (!is_there)
    see_leave(self, name);
}

static gboolean look_for_all(gpointer user_data)
{
  CapturedCallers *self = user_data;
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init(&iter, self->known);
  while (g_hash_table_iter_next(&iter, &name, NULL)) {
    Look *look = g_new(Look, 1);

    *look = (Look){g_object_ref(self), g_strdup(name)};
    g_dbus_connection_call(self->connection, BUS, BUS_PATH, BUS, "NameHasOwner", g_variant_new("(s)", name),
                           G_VARIANT_TYPE("(b)"), G_DBUS_CALL_FLAGS_NONE, ANSWER_MILLISECONDS, NULL,
                           on_looked, look);
  }
  return G_SOURCE_CONTINUE;
}

CapturedCallers *captured_callers_new(GDBusConnection *connection)
{
  CapturedCallers *self = g_object_new(CAPTURED_TYPE_CALLERS, NULL);

  self->connection = g_object_ref(connection);
  self->subscription =
      g_dbus_connection_signal_subscribe(connection, BUS, BUS, "NameOwnerChanged", BUS_PATH, NULL,
                                         G_DBUS_SIGNAL_FLAGS_NONE, on_name_owner_changed, self, NULL);
  self->look = g_timeout_add_seconds(LOOK_SECONDS, look_for_all, self);
  return self;
}

typedef struct {
  char *name;
  int left;  /* questions that may still be asked */
  pid_t pid; /* the answer's */
} Question;

static void question_free(gpointer data)
{
  Question *question = data;

  g_free(question->name);
  g_free(question);
}

static void callers_ask(GTask *task);

static void on_user(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  g_autoptr(GVariant) credentials = reply ? g_variant_get_child_value(reply, 0) : NULL;
  guint32 user, pid = 0;

  if (credentials && g_variant_lookup(credentials, "UnixUserID", "u", &user)) {
    CapturedCallers *self = g_task_get_source_object(task);
    Question *question = g_task_get_task_data(task);

    g_hash_table_add(self->known, g_strdup(question->name));
    g_variant_lookup(credentials, "ProcessID", "u", &pid);
    question->pid = (pid_t)pid;
    g_task_return_int(task, user);
  } else if (credentials) {
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                            "The bus does not say whose the caller is.");
  } else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) &&
             ((Question *)g_task_get_task_data(task))->left > 0) {
    callers_ask(g_steal_pointer(&task));
  } else {
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "The bus does not say who calls: %s",
                            error->message);
  }
}

/* Takes the task over. */
static void callers_ask(GTask *task)
{
  CapturedCallers *self = g_task_get_source_object(task);
  Question *question = g_task_get_task_data(task);

  question->left--;
  g_dbus_connection_call(self->connection, BUS, BUS_PATH, BUS, "GetConnectionCredentials",
                         g_variant_new("(s)", question->name), G_VARIANT_TYPE("(a{sv})"),
                         G_DBUS_CALL_FLAGS_NONE, ANSWER_MILLISECONDS, NULL, on_user, task);
}

void captured_callers_find_user_async(CapturedCallers *self, const char *name, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  GTask *task = g_task_new(self, NULL, callback, user_data);
  Question *question = g_new(Question, 1);

  *question = (Question){g_strdup(name), QUESTIONS, 0};
  g_task_set_task_data(task, question, question_free);
  callers_ask(task);
}

uid_t captured_callers_find_user_finish(CapturedCallers *self, GAsyncResult *result, pid_t *pid,
                                        GError **error)
{
  g_autoptr(GError) local = NULL;

  *pid = ((const Question *)g_task_get_task_data(G_TASK(result)))->pid;
  gssize user = g_task_propagate_int(G_TASK(result), &local);

  if (!local)
    return (uid_t)user;
  g_propagate_error(error, g_steal_pointer(&local));
  return (uid_t)-1;
}
