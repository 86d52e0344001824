/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-start.h"

#include <string.h>

#include "daemon/captured-account.h"
#include "daemon/captured-error.h"
#include "daemon/captured-log.h"
#include "daemon/captured-opener.h"
#include "daemon/captured-recorder.h"

/* One call under way. Exactly one thing is waited for at any time; who waits for it calls fail() or goes on.
 */
typedef struct {
  const CapturedHouse *house;
  GDBusMethodInvocation *invocation;
  GCancellable *cancellable;
  uid_t user;
  CapturedClaim *claim;
  CapturedOptions *options;
  CapturedTargets *targets;
  CapturedScope scope;
  CapturedAccount *account;
  CapturedOpener *opener; /* proves, then opens files for the recorder */
  CapturedRecorder *recorder;
} Start;

static const char *find_caller(const Start *start)
{
  return g_dbus_method_invocation_get_sender(start->invocation);
}

static void start_free(Start *start)
{
  g_signal_handlers_disconnect_by_data(start->house->callers, start);
  captured_idle_release(start->house->idle);
  g_clear_pointer(&start->claim, captured_claim_free);
  g_clear_pointer(&start->options, captured_options_free);
  g_clear_pointer(&start->targets, captured_targets_free);
  g_clear_pointer(&start->account, captured_account_free);
  g_clear_object(&start->opener);
  g_clear_object(&start->recorder);
  g_object_unref(start->cancellable);
  g_free(start);
}

static void log_outcome(const Start *start, const char *session, const char *text)
{
  g_autofree char *targets = start->targets ? captured_targets_describe(start->targets) : NULL;

  captured_log(start->user, session, targets, "%s", text);
}

/* Takes both. */
static void fail(Start *start, GError *error)
{
  g_autofree char *text = g_strdup_printf("A recording was refused: %s", error->message);

  log_outcome(start, NULL, text);
  g_dbus_method_invocation_take_error(start->invocation, error);
  start_free(start);
}

static void succeed(Start *start)
{
  g_autoptr(GUnixFDList) memory = captured_recorder_steal_memory(start->recorder);
  CapturedSessionSpec spec = {
      .caller = find_caller(start),
      .user = start->user,
      .scope = start->scope,
      .recorder = start->recorder,
      .claim = g_steal_pointer(&start->claim),
  };
  const char *path = captured_sessions_add(start->house->sessions, &spec);

  log_outcome(start, path,
              start->scope == CAPTURED_SCOPE_OWN ? "Records the caller's own" : "Records as the system's");
  g_dbus_method_invocation_return_value_with_unix_fd_list(start->invocation,
                                                          g_variant_new("(ohh)", path, 0, 1), memory);
  start_free(start);
}

static void on_started(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_recorder_start_finish(start->recorder, result, &error))
    succeed(start);
  else
    fail(start, error);
}

static void on_configured(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_recorder_configure_finish(start->recorder, result, &error))
    captured_recorder_start_async(start->recorder, on_started, start);
  else
    fail(start, error);
}

static void on_authorized(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_authority_check_finish(start->house->authority, result, &error) &&
      captured_targets_check_alive(start->targets, &error))
    start->recorder = captured_recorder_new(start->scope, &error);
  if (start->recorder)
    captured_recorder_configure_async(start->recorder, start->options, start->targets, start->opener,
                                      on_configured, start);
  else
    fail(start, error);
}

static void authorize(Start *start, CapturedScope scope)
{
  GDBusMessage *message = g_dbus_method_invocation_get_message(start->invocation);
  gboolean interactive =
      (g_dbus_message_get_flags(message) & G_DBUS_MESSAGE_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION) != 0;
  const char *action = scope == CAPTURED_SCOPE_OWN ? CAPTURED_ACTION_OWN : CAPTURED_ACTION_SYSTEM;

  start->scope = scope;
  captured_authority_check_async(start->house->authority, find_caller(start), action, interactive,
                                 start->cancellable, on_authorized, start);
}

/* What cannot be had as his own may be had as the system's, where he did not say. Takes the error. */
static void fall_back(Start *start, GError *error)
{
  gboolean is_foreign = g_error_matches(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED);

  if (!is_foreign || start->options->scope == CAPTURED_SCOPE_OWN ||
      g_cancellable_is_cancelled(start->cancellable)) {
    fail(start, error);
    return;
  }
  g_error_free(error);
  g_clear_object(&start->opener);
  authorize(start, CAPTURED_SCOPE_SYSTEM);
}

static void on_proven(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_opener_prove_finish(start->opener, result, &error) &&
      captured_options_check_rates(start->options, &error))
    authorize(start, CAPTURED_SCOPE_OWN);
  else
    fall_back(start, error);
}

static void on_account(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  start->account = captured_account_load_finish(result, &error);
  if (start->account)
    start->opener = captured_opener_new(start->account, &error);
  if (start->opener)
    captured_opener_prove_async(start->opener, start->targets, on_proven, start);
  else
    fall_back(start, error);
}

static gboolean read_call(Start *start, GError **error)
{
  GDBusMessage *message = g_dbus_method_invocation_get_message(start->invocation);
  GVariant *parameters = g_dbus_method_invocation_get_parameters(start->invocation);
  g_autoptr(GVariant) options = g_variant_get_child_value(parameters, 0);

  start->options = captured_options_new(options, error);
  if (!start->options)
    return FALSE;
  start->targets = captured_targets_new(start->options->targets, start->options->n_targets,
                                        g_dbus_message_get_unix_fd_list(message), error);
  return start->targets != NULL;
}

/* Whatever is under way fails by that, and takes the rest with it. */
static void on_caller_left(CapturedCallers *callers, const char *name, gpointer user_data)
{
  Start *start = user_data;
  g_autoptr(CapturedRecorder) recorder = start->recorder ? g_object_ref(start->recorder) : NULL;
  g_autoptr(CapturedOpener) opener = start->opener ? g_object_ref(start->opener) : NULL;

  if (strcmp(name, find_caller(start)) != 0)
    return;
  g_cancellable_cancel(start->cancellable);
  if (recorder)
    captured_recorder_abort(recorder);
  if (opener)
    captured_opener_abort(opener);
}

static void on_user(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  start->user = captured_callers_find_user_finish(start->house->callers, result, &error);
  if (start->user == (uid_t)-1 || !captured_claim_assign(start->claim, start->user, &error) ||
      !read_call(start, &error)) {
    fail(start, error);
    return;
  }
  g_signal_connect(start->house->callers, "left", G_CALLBACK(on_caller_left), start);
  if (start->options->scope == CAPTURED_SCOPE_SYSTEM)
    authorize(start, CAPTURED_SCOPE_SYSTEM);
  else if (captured_options_fit_own(start->options, &error))
    captured_account_load_async(start->user, start->cancellable, on_account, start);
  else
    fall_back(start, error);
}

void captured_start(const CapturedHouse *house, GDBusMethodInvocation *invocation)
{
  Start *start = g_new0(Start, 1);
  GError *error = NULL;

  start->house = house;
  start->invocation = invocation;
  start->cancellable = g_cancellable_new();
  start->user = (uid_t)-1;
  captured_idle_hold(house->idle);
  start->claim = captured_limits_claim(house->limits, find_caller(start), &error);
  if (!start->claim) {
    fail(start, error);
    return;
  }
  captured_callers_find_user_async(house->callers, find_caller(start), on_user, start);
}
