/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way from StartRecording to a session: who asks, what for, whose it is, what polkit says, a recorder. */
#pragma once

#include <gio/gio.h>
#include <gio/gunixfdlist.h>

#include "daemon/captured-authority.h"
#include "daemon/captured-callers.h"
#include "daemon/captured-idle.h"
#include "daemon/captured-limits.h"
#include "daemon/captured-sessions.h"

G_BEGIN_DECLS

/* What all callers share. */
typedef struct {
  CapturedIdle *idle;
  CapturedCallers *callers;
  CapturedLimits *limits;
  CapturedAuthority *authority;
  CapturedSessions *sessions;
} CapturedHouse;

/* Answers the call, in its time, with a session or an error. Takes the invocation; `house` must stay as long
 * as the main loop runs. Ends by itself when the caller leaves the bus. */
void captured_start(const CapturedHouse *house, GDBusMethodInvocation *invocation);

G_END_DECLS
