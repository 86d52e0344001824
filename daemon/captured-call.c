/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-call.h"

#include <string.h>

#include "daemon/captured-log.h"

void captured_call_init(CapturedCall *self, const CapturedHouse *house, GDBusMethodInvocation *invocation,
                        void (*left)(gpointer user_data), gpointer user_data)
{
  *self = (CapturedCall){
      .house = house,
      .invocation = invocation,
      .cancellable = g_cancellable_new(),
      .user = (uid_t)-1,
      .left = left,
      .user_data = user_data,
  };
  captured_idle_hold(house->idle);
}

void captured_call_clear(CapturedCall *self)
{
  g_signal_handlers_disconnect_by_data(self->house->callers, self);
  captured_idle_release(self->house->idle);
  g_clear_pointer(&self->claim, captured_claim_free);
  g_clear_object(&self->cancellable);
}

const char *captured_call_get_caller(const CapturedCall *self)
{
  return g_dbus_method_invocation_get_sender(self->invocation);
}

gboolean captured_call_admit_async(CapturedCall *self, GAsyncReadyCallback callback, GError **error)
{
  const char *caller = captured_call_get_caller(self);

  self->claim = captured_limits_claim(self->house->limits, caller, error);
  if (!self->claim)
    return FALSE;
  captured_callers_find_user_async(self->house->callers, caller, callback, self->user_data);
  return TRUE;
}

static void on_left(CapturedCallers *callers, const char *name, gpointer user_data)
{
  CapturedCall *self = user_data;

  if (strcmp(name, captured_call_get_caller(self)) != 0)
    return;
  /* What waits hears of it from the main loop, so the call is still there. */
  g_cancellable_cancel(self->cancellable);
  if (self->left)
    self->left(self->user_data);
}

gboolean captured_call_admit_finish(CapturedCall *self, GAsyncResult *result, GError **error)
{
  self->user = captured_callers_find_user_finish(self->house->callers, result, &self->pid, error);
  if (self->user == (uid_t)-1 || !captured_claim_assign(self->claim, self->user, error))
    return FALSE;
  g_signal_connect(self->house->callers, "left", G_CALLBACK(on_left), self);
  return TRUE;
}

void captured_call_authorize_async(CapturedCall *self, const char *action, const CapturedTargets *targets,
                                   GAsyncReadyCallback callback)
{
  GDBusMessage *message = g_dbus_method_invocation_get_message(self->invocation);
  gboolean interactive =
      (g_dbus_message_get_flags(message) & G_DBUS_MESSAGE_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION) != 0;

  g_autofree char *processes = targets ? captured_targets_describe(targets) : NULL;

  captured_authority_check_async(self->house->authority, captured_call_get_caller(self), action, processes,
                                 interactive, self->cancellable, callback, self->user_data);
}

void captured_call_log(const CapturedCall *self, const char *session, const CapturedTargets *targets,
                       const char *text)
{
  g_autofree char *described = targets ? captured_targets_describe(targets) : NULL;

  captured_log(self->user, session, described, "%s", text);
}

void captured_call_refuse(CapturedCall *self, const CapturedTargets *targets, const char *what, GError *error)
{
  g_autofree char *text = g_strdup_printf("%s was refused: %s", what, error->message);

  captured_call_log(self, NULL, targets, text);
  g_dbus_method_invocation_take_error(self->invocation, error);
}
