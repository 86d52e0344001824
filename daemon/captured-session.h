/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One recording that runs or has ended: org.capturectl.Capture1.Session, for its caller alone. Main thread
 * only.
 *
 * Signal: "ended", once, after the caller was told.
 */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-limits.h"
#include "daemon/captured-recorder.h"

G_BEGIN_DECLS

#define CAPTURED_TYPE_SESSION (captured_session_get_type())
G_DECLARE_FINAL_TYPE(CapturedSession, captured_session, CAPTURED, SESSION, GObject)

/* What a session begins with. */
typedef struct {
  GDBusConnection *connection;
  const char *caller; /* its name on the bus */
  uid_t user;
  const char *path;
  CapturedScope scope;
  CapturedRecorder *recorder; /* started */
  CapturedClaim *claim;       /* the session's from then on; given back when it ends */
} CapturedSessionSpec;

CapturedSession *captured_session_new(const CapturedSessionSpec *spec);
const char *captured_session_get_path(CapturedSession *self);
const char *captured_session_get_caller(CapturedSession *self);
uid_t captured_session_get_user(CapturedSession *self);
gboolean captured_session_is_ended(CapturedSession *self);
/* Asks for the end; `reason` is what the caller will be told, unless the recorder has a worse one. A recorder
 * that does not end is hung up on after a while. */
void captured_session_stop(CapturedSession *self, const char *reason);
/* Ends it at once, for a caller that is gone: there is nobody to tell. */
void captured_session_drop(CapturedSession *self);
/* Answers a call of its caller's to its object, of the interface itself or of
 * org.freedesktop.DBus.Properties. */
void captured_session_answer(CapturedSession *self, GDBusMethodInvocation *invocation);

G_END_DECLS
