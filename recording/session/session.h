/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: one recording, from the caller's side. It works on a thread of its own; signals are
 * emitted in the GMainContext that was the thread default when the session was made, which must
 * run until "finished". All functions belong to that context's thread, but stop and leave may
 * be called from any. A session that was started keeps itself alive until "finished".
 *
 * Signals, none with arguments:
 *   "started"   events count, the capture has its name; get_via, get_events, get_unwind, get_notes and
 *               get_reason have their answers
 *   "progress"  about four times a second
 *   "finished"  once, always last; get_result has its answer
 *
 * A command gets SIGTERM when its recording ends before it does.
 */
#pragma once

#include <glib-object.h>

#include "recording/collect/binaries.h"
#include "recording/common/error.h"
#include "recording/common/options.h"
#include "recording/common/result.h"

G_BEGIN_DECLS

#define RECORDING_TYPE_SESSION (recording_session_get_type())
G_DECLARE_FINAL_TYPE(RecordingSession, recording_session, RECORDING, SESSION, GObject)

/* Copies the options. */
RecordingSession *recording_session_new(const RecordingOptions *options);
/* Checks that the output can be written, and begins. Does not block. FALSE: nothing was begun, and no signal
 * comes. Once only. */
gboolean recording_session_start(RecordingSession *self, GError **error);
/* Asks for an orderly end; signal says which one asked, 0 none. */
void recording_session_stop(RecordingSession *self, int signal);
/* Asks to end at once, without what the recorder has not handed over yet. */
void recording_session_leave(RecordingSession *self);

/* Which way was taken; AUTO before "started". */
RecordingVia recording_session_get_via(RecordingSession *self);
/* NULL before "started". The session's. */
const char *const *recording_session_get_events(RecordingSession *self);
/* How user stacks are found: what AUTO became; AUTO before "started". */
RecordingUnwind recording_session_get_unwind(RecordingSession *self);
/* What was left out and why, a sentence a line; may be empty. */
const char *recording_session_get_notes(RecordingSession *self);
/* Why AUTO became PRELOAD: what was refused, in sentences; else NULL. */
const char *recording_session_get_reason(RecordingSession *self);
/* How far it is; zeroes before it began. */
void recording_session_get_progress(RecordingSession *self, RecordingProgress *ret);
/* NULL before "finished". The session's. */
const RecordingResult *recording_session_get_result(RecordingSession *self);
/* For naming after "finished". Both are the session's: the capture, open for reading and writing (-1 before
 * start), and the binaries. */
int recording_session_get_fd(RecordingSession *self);
RecordingBinaries *recording_session_get_binaries(RecordingSession *self);

G_END_DECLS
