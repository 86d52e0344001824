/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-authority.h"

#include <glib/gi18n.h>

#include "daemon/captured-error.h"

#define POLKIT      "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define AUTHORITY   "org.freedesktop.PolicyKit1.Authority"
/* Of CheckAuthorization. */
#define ALLOW_USER_INTERACTION 1

/* How often and how fast polkitd is asked again when it went away: five seconds in all. */
#define AGAIN_MAX          20
#define AGAIN_MILLISECONDS 250
/* Where no person is asked, an answer that takes longer was dropped by the bus, as it does in a flood. */
#define PATIENCE_SECONDS 10

struct _CapturedAuthority {
  GObject parent_instance;
  GDBusConnection *connection;
  guint question_seconds;
  guint64 asked; /* questions so far */
};

/* A question to polkit. */
typedef struct {
  char *name;
  const char *action;
  char *processes; /* NULL: the action says it all */
  gboolean interactive;
  guint again; /* how often polkitd went away while it was asked */
  char *id;    /* of the question */
  GCancellable *question;
  gulong cancelled; /* handler: who cancels the check cancels the question */
  guint patience;   /* source */
  gboolean is_late; /* the person did not answer */
} Check;

G_DEFINE_FINAL_TYPE(CapturedAuthority, captured_authority, G_TYPE_OBJECT)

static void captured_authority_dispose(GObject *object)
{
  g_clear_object(&CAPTURED_AUTHORITY(object)->connection);
  G_OBJECT_CLASS(captured_authority_parent_class)->dispose(object);
}

static void captured_authority_class_init(CapturedAuthorityClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = captured_authority_dispose;
}

static void captured_authority_init(CapturedAuthority *self)
{
}

CapturedAuthority *captured_authority_new(GDBusConnection *connection, guint question_seconds)
{
  CapturedAuthority *self = g_object_new(CAPTURED_TYPE_AUTHORITY, NULL);

  self->connection = g_object_ref(connection);
  self->question_seconds = question_seconds;
  return self;
}

static void check_free(gpointer data)
{
  Check *check = data;

  g_clear_handle_id(&check->patience, g_source_remove);
  g_clear_object(&check->question);
  g_free(check->id);
  g_free(check->processes);
  g_free(check->name);
  g_free(check);
}

static void authority_judge(GTask *task, GVariant *reply)
{
  const Check *check = g_task_get_task_data(task);
  g_autoptr(GVariant) details = NULL;
  gboolean is_authorized, is_challenge;

  g_variant_get(reply, "((bb@a{ss}))", &is_authorized, &is_challenge, &details);
  if (is_authorized)
    g_task_return_boolean(task, TRUE);
  else if (is_challenge)
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED,
                            check->interactive
                                ? "%s takes a password, and there is nobody here who could be asked for it."
                                : "%s takes a password, and the caller did not allow to ask for it.",
                            check->action);
  else if (g_variant_lookup(details, "polkit.dismissed", "&s", NULL))
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED,
                            "The question for a password, which %s takes, was dismissed.", check->action);
  else /* polkit tells whose password was wrong no other way than whom its rules forbid it */
    g_task_return_new_error(
        task, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED,
        check->interactive
            ? "The password was wrong, or a rule of polkit forbids it: %s is not granted to this caller."
            : "polkit does not grant %s to this caller.",
        check->action);
}

static void on_cancelled(GCancellable *cancellable, gpointer question)
{
  g_cancellable_cancel(question);
}

static gboolean on_patience(gpointer user_data)
{
  Check *check = user_data;

  check->patience = 0;
  check->is_late = check->interactive;
  g_cancellable_cancel(check->question);
  return G_SOURCE_REMOVE;
}

static void authority_ask(GTask *task);

static gboolean on_again(gpointer user_data)
{
  GTask *task = user_data;

  if (g_task_return_error_if_cancelled(task))
    g_object_unref(task);
  else
    authority_ask(task);
  return G_SOURCE_REMOVE;
}

/* polkitd was stopped, or is being replaced by a newer one: it is there again soon. Or patience was at its
 * end. */
static gboolean is_gone(const GError *error)
{
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN);
}

static void begin_question(GTask *task)
{
  CapturedAuthority *self = g_task_get_source_object(task);
  Check *check = g_task_get_task_data(task);
  GCancellable *cancellable = g_task_get_cancellable(task);

  g_free(check->id);
  check->id = g_strdup_printf("captured-%" G_GUINT64_FORMAT, ++self->asked);
  check->question = g_cancellable_new();
  if (cancellable)
    check->cancelled = g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled),
                                             g_object_ref(check->question), g_object_unref);
  check->patience = g_timeout_add_seconds(check->interactive ? self->question_seconds : PATIENCE_SECONDS,
                                          on_patience, check);
}

static void end_question(GTask *task)
{
  Check *check = g_task_get_task_data(task);

  g_cancellable_disconnect(g_task_get_cancellable(task), check->cancelled);
  check->cancelled = 0;
  g_clear_handle_id(&check->patience, g_source_remove);
  g_clear_object(&check->question);
}

/* Whoever was asked for a password is asked no longer. */
static void take_back(CapturedAuthority *self, const Check *check)
{
  g_dbus_connection_call(self->connection, POLKIT, POLKIT_PATH, AUTHORITY, "CancelCheckAuthorization",
                         g_variant_new("(s)", check->id), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

static void on_checked(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  Check *check = g_task_get_task_data(task);
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);

  end_question(task);
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    take_back(g_task_get_source_object(task), check);
  if (answer) {
    authority_judge(task, answer);
  } else if (!g_task_return_error_if_cancelled(task)) {
    if (check->is_late) {
      g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED,
                              "The question for a password, which %s takes, was answered by nobody in time.",
                              check->action);
    } else if (check->again < AGAIN_MAX && is_gone(error)) {
      check->again++;
      g_timeout_add(AGAIN_MILLISECONDS, on_again, g_steal_pointer(&task));
    } else {
      g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "polkit does not answer: %s",
                              error->message);
    }
  }
}

/* What a person is asked, in place of the action's own words. polkit translates it and puts the processes in.
 */
static GVariant *make_details(const Check *check)
{
  GVariantBuilder details;

  g_variant_builder_init(&details, G_VARIANT_TYPE("a{ss}"));
  if (check->processes) {
    g_variant_builder_add(&details, "{ss}", "processes", check->processes);
    g_variant_builder_add(&details, "{ss}", "polkit.gettext_domain", "capturectl");
    g_variant_builder_add(
        &details, "{ss}", "polkit.message",
        g_str_equal(check->action, CAPTURED_ACTION_OWN)
            ? N_("Authentication is required to record your own programs (processes $(processes))")
            : N_("Authentication is required to record processes $(processes), and the kernel in "
                 "them"));
  }
  return g_variant_builder_end(&details);
}

/* Takes the task. */
static void authority_ask(GTask *task)
{
  CapturedAuthority *self = g_task_get_source_object(task);
  Check *check = g_task_get_task_data(task);
  GVariantBuilder subject;

  begin_question(task);
  g_variant_builder_init(&subject, G_VARIANT_TYPE("a{sv}"));
  g_variant_builder_add(&subject, "{sv}", "name", g_variant_new_string(check->name));
  g_dbus_connection_call(
      self->connection, POLKIT, POLKIT_PATH, AUTHORITY, "CheckAuthorization",
      g_variant_new("((sa{sv})s@a{ss}us)", "system-bus-name", &subject, check->action, make_details(check),
                    check->interactive ? ALLOW_USER_INTERACTION : 0, check->id),
      G_VARIANT_TYPE("((bba{ss}))"), G_DBUS_CALL_FLAGS_NONE, G_MAXINT, check->question, on_checked, task);
}

void captured_authority_check_async(CapturedAuthority *self, const char *name, const char *action,
                                    const char *processes, gboolean interactive, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new(self, cancellable, callback, user_data);
  Check *check = g_new0(Check, 1);

  check->name = g_strdup(name);
  check->action = action;
  check->processes = g_strdup(processes);
  check->interactive = interactive;
  g_task_set_task_data(task, check, check_free);
  authority_ask(task);
}

gboolean captured_authority_check_finish(CapturedAuthority *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}
