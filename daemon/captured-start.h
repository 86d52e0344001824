/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way from StartRecording to a session: who asks, what for, whose it is, what polkit says, a recorder. */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-house.h"

G_BEGIN_DECLS

/* Answers the call, in its time, with a session or an error. Takes the invocation; `house` must stay as long
 * as the main loop runs. Ends by itself when the caller leaves the bus. */
void captured_start(const CapturedHouse *house, GDBusMethodInvocation *invocation);

G_END_DECLS
