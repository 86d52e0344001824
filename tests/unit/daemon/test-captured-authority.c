/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of polkit's that a real one gives seldom: none at all, as when the bus dropped the question in a
 * flood, a death in between, nonsense. What it says otherwise is tested with a real one. */
#include <gio/gio.h>

#include "daemon/captured-authority.h"
#include "daemon/captured-error.h"

#define POLKIT "org.freedesktop.PolicyKit1"
#define ACTION "org.capturectl.Capture1.profile-system"

static const char interface_xml[] =
    "<node><interface name='" POLKIT ".Authority'>"
    "<method name='CheckAuthorization'><arg type='(sa{sv})' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{ss}' direction='in'/><arg type='u' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='(bba{ss})' direction='out'/></method>"
    "<method name='CancelCheckAuthorization'><arg type='s' direction='in'/></method>"
    "</interface></node>";

typedef enum { YES, NO, CHALLENGE, DISMISSED, NOTHING, DEATH, FAILURE } Answer;

/* A polkit of our own, and what it answers one after the other; the last one from then on. */
typedef struct {
  GTestDBus *daemon;
  GDBusConnection *bus;
  guint name;
  guint object;
  const Answer *answers;
  guint n_answers;
  guint n_asked;
  guint n_taken_back;
  GPtrArray *unanswered;
} Polkit;

static GVariant *make_answer(Answer answer)
{
  GVariantBuilder details;

  g_variant_builder_init(&details, G_VARIANT_TYPE("a{ss}"));
  if (answer == DISMISSED)
    g_variant_builder_add(&details, "{ss}", "polkit.dismissed", "true");
  return g_variant_new("((bba{ss}))", answer == YES, answer == CHALLENGE, &details);
}

static void release_name(Polkit *self)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_sync(
      self->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReleaseName",
      g_variant_new("(s)", POLKIT), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  g_assert_no_error(error);
}

static void request_name(Polkit *self)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_sync(
      self->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      g_variant_new("(su)", POLKIT, 0), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  g_assert_no_error(error);
}

/* As the bus answers for a service that is gone. */
static void die_and_come_back(Polkit *self, GDBusMethodInvocation *invocation)
{
  release_name(self);
  g_dbus_method_invocation_return_dbus_error(invocation, "org.freedesktop.DBus.Error.NoReply",
                                             "Message recipient disconnected");
  request_name(self);
}

static void on_call(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                    const char *method, GVariant *parameters, GDBusMethodInvocation *invocation,
                    gpointer user_data)
{
  Polkit *self = user_data;

  if (g_str_equal(method, "CancelCheckAuthorization")) {
    self->n_taken_back++;
    g_dbus_method_invocation_return_value(invocation, NULL);
    return;
  }
  Answer answer = self->answers[MIN(self->n_asked, self->n_answers - 1)];
  self->n_asked++;
  if (answer == NOTHING)
    g_ptr_array_add(self->unanswered, invocation);
  else if (answer == DEATH)
    die_and_come_back(self, invocation);
  else if (answer == FAILURE)
    g_dbus_method_invocation_return_dbus_error(invocation, POLKIT ".Error.Failed", "no backend");
  else
    g_dbus_method_invocation_return_value(invocation, make_answer(answer));
}

static void set_up(Polkit *self)
{
  static const GDBusInterfaceVTable table = {.method_call = on_call};
  g_autoptr(GDBusNodeInfo) info = g_dbus_node_info_new_for_xml(interface_xml, NULL);
  g_autoptr(GError) error = NULL;

  self->daemon = g_test_dbus_new(G_TEST_DBUS_NONE);
  g_test_dbus_up(self->daemon);
  self->bus = g_dbus_connection_new_for_address_sync(g_test_dbus_get_bus_address(self->daemon),
                                                     G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                         G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                     NULL, NULL, &error);
  g_assert_no_error(error);
  self->unanswered = g_ptr_array_new();
  self->object = g_dbus_connection_register_object(self->bus, "/org/freedesktop/PolicyKit1/Authority",
                                                   info->interfaces[0], &table, self, NULL, &error);
  g_assert_no_error(error);
  request_name(self);
}

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref(result);
}

static Polkit polkit;
static CapturedAuthority *authority;

static gboolean ask(const Answer *answers, guint n, gboolean interactive, GCancellable *cancellable,
                    GError **error)
{
  g_autoptr(GAsyncResult) result = NULL;

  polkit.answers = answers;
  polkit.n_answers = n;
  polkit.n_asked = polkit.n_taken_back = 0;
  captured_authority_check_async(authority, ":1.1", ACTION, "12 13", interactive, cancellable, on_done,
                                 &result);
  while (!result)
    g_main_context_iteration(NULL, TRUE);
  return captured_authority_check_finish(authority, result, error);
}

static gboolean check(const Answer *answers, guint n, GCancellable *cancellable, GError **error)
{
  return ask(answers, n, FALSE, cancellable, error);
}

/* Who leaves the question open holds his place no longer than that. */
static void test_nobody_answers(void)
{
  static const Answer answer = NOTHING;
  g_autoptr(GError) error = NULL;

  g_assert_false(ask(&answer, 1, TRUE, NULL, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED);
  g_assert_cmpuint(polkit.n_asked, ==, 1);
  while (polkit.n_taken_back == 0)
    g_main_context_iteration(NULL, TRUE);
}

static void test_verdicts(void)
{
  static const Answer answers[] = {YES, NO, CHALLENGE, DISMISSED};

  for (guint i = 0; i < G_N_ELEMENTS(answers); i++) {
    g_autoptr(GError) error = NULL;
    gboolean granted = check(&answers[i], 1, NULL, &error);

    g_assert_cmpint(granted, ==, answers[i] == YES);
    if (!granted)
      g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED);
    g_assert_cmpuint(polkit.n_asked, ==, 1);
  }
}

/* Where nobody is asked for a password, an answer that does not come is asked for again. */
static void test_no_answer(void)
{
  static const Answer answers[] = {NOTHING, NO};
  g_autoptr(GError) error = NULL;

  g_assert_false(check(answers, 2, NULL, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_AUTHORIZED);
  g_assert_cmpuint(polkit.n_asked, ==, 2);
}

static void test_death(void)
{
  static const Answer answers[] = {DEATH, DEATH, YES};
  g_autoptr(GError) error = NULL;

  g_assert_true(check(answers, 3, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(polkit.n_asked, ==, 3);
}

/* It does not come back for ever: that ends as a failure, never as a grant. */
static void test_many_deaths(void)
{
  static const Answer answers[] = {DEATH};
  g_autoptr(GError) error = NULL;

  g_assert_false(check(answers, 1, NULL, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
  g_assert_cmpuint(polkit.n_asked, >, 10);
}

static void test_failure(void)
{
  static const Answer answers[] = {FAILURE};
  g_autoptr(GError) error = NULL;

  g_assert_false(check(answers, 1, NULL, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
}

static gboolean cancel_once_asked(gpointer cancellable)
{
  if (polkit.n_asked == 0)
    return G_SOURCE_CONTINUE;
  g_cancellable_cancel(cancellable);
  return G_SOURCE_REMOVE;
}

static void test_cancelled(void)
{
  static const Answer answers[] = {NOTHING};
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;

  g_timeout_add(10, cancel_once_asked, cancellable);
  g_assert_false(check(answers, 1, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(polkit.n_asked, ==, 1);
  while (polkit.n_taken_back == 0)
    g_main_context_iteration(NULL, TRUE);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  set_up(&polkit);
  authority = captured_authority_new(polkit.bus, 1);
  g_test_add_func("/captured/authority/nobody-answers", test_nobody_answers);
  g_test_add_func("/captured/authority/verdicts", test_verdicts);
  g_test_add_func("/captured/authority/no-answer", test_no_answer);
  g_test_add_func("/captured/authority/death", test_death);
  g_test_add_func("/captured/authority/many-deaths", test_many_deaths);
  g_test_add_func("/captured/authority/failure", test_failure);
  g_test_add_func("/captured/authority/cancelled", test_cancelled);
  int result = g_test_run();
  g_object_unref(authority);
  g_test_dbus_stop(polkit.daemon);
  return result;
}
