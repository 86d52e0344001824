/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recorder's process and our end of its protocol (helpers/recorder-protocol.h). What it says is checked: it
 * reads other processes' memory, so it is not believed. Main thread only.
 *
 * Signals: "status" when it was heard telling how far it is; "ended" (int reason, as enum recorder_end or
 * CAPTURED_RECORDER_DIED; string message, or "") once, when it is over, but not while it is being configured
 * or started.
 */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-ledger.h"
#include "daemon/captured-opener.h"
#include "daemon/captured-options.h"
#include "daemon/captured-targets.h"

G_BEGIN_DECLS

#define CAPTURED_RECORDER_DIED 0

#define CAPTURED_TYPE_RECORDER (captured_recorder_get_type())
G_DECLARE_FINAL_TYPE(CapturedRecorder, captured_recorder, CAPTURED, RECORDER, GObject)

/* Starts one with the rights of that scope (own or system), which does nothing before it is configured. */
CapturedRecorder *captured_recorder_new(CapturedScope scope, GError **error);
/* Before it is configured: its windows count for `entry`, for as long as they are there. When its events are
 * open it is moved into `cgroup` (NULL: it stays in ours), before it starts other processes. */
void captured_recorder_charge(CapturedRecorder *self, CapturedEntry *entry, CapturedCgroup *cgroup);

/* Configures it: done when its events are open and wait. `opener` has the caller's rights and becomes the
 * recorder's; a session of the scope own has one, of the scope system NULL. Why it cannot be comes as
 * CAPTURED_ERROR_…, in a sentence of the recorder's. */
void captured_recorder_configure_async(CapturedRecorder *self, const CapturedOptions *options,
                                       const CapturedTargets *targets, CapturedOpener *opener,
                                       GAsyncReadyCallback callback, gpointer user_data);
gboolean captured_recorder_configure_finish(CapturedRecorder *self, GAsyncResult *result, GError **error);
/* Done when events count. */
void captured_recorder_start_async(CapturedRecorder *self, GAsyncReadyCallback callback, gpointer user_data);
gboolean captured_recorder_start_finish(CapturedRecorder *self, GAsyncResult *result, GError **error);
/* Asks for the end; "ended" follows. */
void captured_recorder_stop(CapturedRecorder *self);
/* Ends it at once: what is under way fails, "ended" does not follow. */
void captured_recorder_abort(CapturedRecorder *self);

/* Once configured: what its events became and so on; its text is terminated. */
const struct recorder_ready *captured_recorder_get_ready(CapturedRecorder *self);
/* Hears what it has said by now, which may be that it has ended. */
void captured_recorder_update(CapturedRecorder *self);
/* The latest that was heard; zeroes before the first. */
const struct recorder_status *captured_recorder_get_status(CapturedRecorder *self);
/* The memfds it made, as a list of two: windows, opened for reading only, and control; the caller's.
 * Afterwards there are none here. */
GUnixFDList *captured_recorder_steal_memory(CapturedRecorder *self);

G_END_DECLS
