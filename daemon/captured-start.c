/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-start.h"

#include "daemon/captured-account.h"
#include "daemon/captured-call.h"
#include "daemon/captured-error.h"
#include "daemon/captured-opener.h"
#include "daemon/captured-recorder.h"

/* How often and how fast windows are asked for again: those of a session that has just ended count until its
 * recorder has exited, which may take a second. */
#define AGAIN_MAX          60
#define AGAIN_MILLISECONDS 20

/* One call under way. Exactly one thing is waited for at any time; who waits for it calls start_fail() or
 * goes on.
 */
typedef struct {
  CapturedCall call;
  CapturedOptions *options;
  CapturedTargets *targets;
  CapturedScope scope;
  CapturedAccount *account;
  CapturedOpener *opener; /* proves, then opens files for the recorder */
  CapturedRecorder *recorder;
  guint again; /* how often there was no room for windows */
} Start;

static void start_free(Start *start)
{
  captured_call_clear(&start->call);
  g_clear_pointer(&start->options, captured_options_free);
  g_clear_pointer(&start->targets, captured_targets_free);
  g_clear_pointer(&start->account, captured_account_free);
  g_clear_object(&start->opener);
  g_clear_object(&start->recorder);
  g_free(start);
}

/* Takes both. */
static void start_fail(Start *start, GError *error)
{
  captured_call_refuse(&start->call, start->targets, "A recording", error);
  start_free(start);
}

static void start_succeed(Start *start)
{
  g_autoptr(GUnixFDList) memory = captured_recorder_steal_memory(start->recorder);
  CapturedSessionSpec spec = {
      .caller = captured_call_get_caller(&start->call),
      .user = start->call.user,
      .scope = start->scope,
      .recorder = start->recorder,
      .claim = g_steal_pointer(&start->call.claim),
  };
  const char *path = captured_sessions_add(start->call.house->sessions, &spec);

  captured_call_log(&start->call, path, start->targets,
                    start->scope == CAPTURED_SCOPE_OWN ? "Records the caller's own"
                                                       : "Records as the system's");
  g_dbus_method_invocation_return_value_with_unix_fd_list(start->call.invocation,
                                                          g_variant_new("(ohh)", path, 0, 1), memory);
  start_free(start);
}

static void on_started(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_recorder_start_finish(start->recorder, result, &error))
    start_succeed(start);
  else
    start_fail(start, error);
}

static void on_configured(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_recorder_configure_finish(start->recorder, result, &error))
    captured_recorder_start_async(start->recorder, on_started, start);
  else
    start_fail(start, error);
}

/* FALSE with CAPTURED_ERROR_LIMIT_EXCEEDED when there is no room for windows. */
static gboolean charge_recorder(Start *start, GError **error)
{
  if (g_cancellable_set_error_if_cancelled(start->call.cancellable, error) ||
      !captured_targets_check_alive(start->targets, error))
    return FALSE;
  g_autoptr(CapturedEntry) entry = captured_ledger_enter(start->call.house->ledger, start->call.user,
                                                         captured_options_count_bytes(start->options), error);
  if (!entry)
    return FALSE;
  g_autoptr(CapturedCgroup) cgroup = captured_cgroups_take(start->call.house->cgroups, start->call.user);
  captured_recorder_charge(start->recorder, entry, cgroup);
  return TRUE;
}

static gboolean on_again(gpointer user_data);

static void start_configure(Start *start)
{
  GError *error = NULL;

  if (charge_recorder(start, &error)) {
    captured_recorder_configure_async(start->recorder, start->options, start->targets, start->opener,
                                      on_configured, start);
  } else if (start->again < AGAIN_MAX &&
             g_error_matches(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED)) {
    g_error_free(error);
    start->again++;
    g_timeout_add(AGAIN_MILLISECONDS, on_again, start);
  } else {
    start_fail(start, error);
  }
}

static gboolean on_again(gpointer user_data)
{
  start_configure(user_data);
  return G_SOURCE_REMOVE;
}

static void on_authorized(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_authority_check_finish(start->call.house->authority, result, &error))
    start_configure(start);
  else
    start_fail(start, error);
}

/* It is there when its turn comes: it takes milliseconds to be executed, in which others are asked. */
static gboolean start_recorder(Start *start, CapturedScope scope, GError **error)
{
  start->scope = scope;
  start->recorder = captured_recorder_new(scope, error);
  return start->recorder != NULL;
}

static void start_authorize(Start *start)
{
  captured_call_authorize_async(
      &start->call, start->scope == CAPTURED_SCOPE_OWN ? CAPTURED_ACTION_OWN : CAPTURED_ACTION_SYSTEM,
      start->options->n_targets > 0 ? start->targets : NULL, on_authorized);
}

static void start_system(Start *start)
{
  GError *error = NULL;

  if (start_recorder(start, CAPTURED_SCOPE_SYSTEM, &error))
    start_authorize(start);
  else
    start_fail(start, error);
}

/* What cannot be had as his own may be had as the system's, where he did not say. Takes the error. */
static void fall_back(Start *start, GError *error)
{
  gboolean is_foreign = g_error_matches(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED);

  if (!is_foreign || start->options->scope == CAPTURED_SCOPE_OWN ||
      g_cancellable_is_cancelled(start->call.cancellable)) {
    start_fail(start, error);
    return;
  }
  g_error_free(error);
  g_clear_object(&start->opener);
  g_clear_object(&start->recorder);
  start_system(start);
}

static void on_proven(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (captured_opener_prove_finish(start->opener, result, &error) &&
      captured_options_check_rates(start->options, &error))
    start_authorize(start);
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
  if (start->opener && start_recorder(start, CAPTURED_SCOPE_OWN, &error))
    captured_opener_prove_async(start->opener, start->call.pid, start->targets, on_proven, start);
  else
    fall_back(start, error);
}

static gboolean read_call(Start *start, GError **error)
{
  GDBusMessage *message = g_dbus_method_invocation_get_message(start->call.invocation);
  GVariant *parameters = g_dbus_method_invocation_get_parameters(start->call.invocation);
  g_autoptr(GVariant) options = g_variant_get_child_value(parameters, 0);

  start->options = captured_options_new(options, error);
  if (!start->options)
    return FALSE;
  start->targets = captured_targets_new(start->options->targets, start->options->n_targets,
                                        g_dbus_message_get_unix_fd_list(message), error);
  return start->targets != NULL;
}

static void on_admitted(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  GError *error = NULL;

  if (!captured_call_admit_finish(&start->call, result, &error)) {
    start_fail(start, error);
    return;
  }
  if (start->options->scope == CAPTURED_SCOPE_SYSTEM)
    start_system(start);
  else if (captured_options_fit_own(start->options, &error))
    captured_account_load_async(start->call.user, start->call.cancellable, on_account, start);
  else
    fall_back(start, error);
}

/* Whatever is under way fails by that, and takes the rest with it. */
static void on_left(gpointer user_data)
{
  Start *start = user_data;
  g_autoptr(CapturedRecorder) recorder = start->recorder ? g_object_ref(start->recorder) : NULL;
  g_autoptr(CapturedOpener) opener = start->opener ? g_object_ref(start->opener) : NULL;

  if (recorder)
    captured_recorder_abort(recorder);
  if (opener)
    captured_opener_abort(opener);
}

void captured_start(const CapturedHouse *house, GDBusMethodInvocation *invocation)
{
  Start *start = g_new0(Start, 1);
  GError *error = NULL;

  /* Read first: what waits to be admitted is then no larger than the options that there are. */
  captured_call_init(&start->call, house, invocation, on_left, start);
  if (!read_call(start, &error) || !captured_call_admit_async(&start->call, on_admitted, &error))
    start_fail(start, error);
}
