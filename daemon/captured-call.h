/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One call of a method under way: who calls, and what is held for him until it was answered. Once its options
 * were read, and before anything else, it has a place among the sessions, so that whoever floods or waits for
 * a password is bounded like everybody. Main thread only.
 */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

#include "daemon/captured-house.h"
#include "daemon/captured-targets.h"

G_BEGIN_DECLS

/* Part of what a method keeps of a call of its. */
typedef struct {
  const CapturedHouse *house;
  GDBusMethodInvocation *invocation;
  GCancellable *cancellable; /* cancelled when the caller leaves the bus */
  uid_t user;                /* (uid_t)-1: not known yet */
  pid_t pid;                 /* of the process that connected to the bus; 0: not known */
  CapturedClaim *claim;      /* what becomes a session takes it */
  void (*left)(gpointer user_data);
  gpointer user_data; /* of every callback here */
} CapturedCall;

/* Takes the invocation; `house` must stay. Keeps the service from ending for want of callers. `left`, unless
 * it is NULL, is called when an admitted caller has left the bus and the cancellable is cancelled; it may
 * clear the call. */
void captured_call_init(CapturedCall *self, const CapturedHouse *house, GDBusMethodInvocation *invocation,
                        void (*left)(gpointer user_data), gpointer user_data);
/* Lets go of everything. The invocation must have been answered. */
void captured_call_clear(CapturedCall *self);

/* Claims a place and asks whose the name on the bus is. FALSE with CAPTURED_ERROR_LIMIT_EXCEEDED: refused at
 * once, the callback does not come. */
gboolean captured_call_admit_async(CapturedCall *self, GAsyncReadyCallback callback, GError **error);
/* Fills in the user and the pid. May be refused, once, as above. */
gboolean captured_call_admit_finish(CapturedCall *self, GAsyncResult *result, GError **error);

/* Asks polkit whether the admitted caller may do it, to the targets when these are not NULL; the caller says
 * whether a person may be asked for a password. To be finished by captured_authority_check_finish. */
void captured_call_authorize_async(CapturedCall *self, const char *action, const CapturedTargets *targets,
                                   GAsyncReadyCallback callback);

/* The caller's name on the bus. */
const char *captured_call_get_caller(const CapturedCall *self);
/* Tells the journal. session and targets may be NULL. */
void captured_call_log(const CapturedCall *self, const char *session, const CapturedTargets *targets,
                       const char *text);
/* Tells the journal that `what` (a noun that begins a sentence) was refused, and the caller why. Takes the
 * error.
 */
void captured_call_refuse(CapturedCall *self, const CapturedTargets *targets, const char *what,
                          GError *error);

G_END_DECLS
