/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PerfEventOpen: a single perf event, for callers who do their own reading. */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-house.h"

G_BEGIN_DECLS

/* Answers the call, in its time, with a descriptor or an error. Takes the invocation; `house` must stay as
 * long as the main loop runs. */
void captured_perf_event_open(const CapturedHouse *house, GDBusMethodInvocation *invocation);

G_END_DECLS
