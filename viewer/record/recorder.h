/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One recording from its beginning to a capture that can be opened anywhere: a RecordingSession, and after it
 * the names of what was sampled. Main thread only. Keeps itself alive while it is under way.
 *
 * Signals, none with arguments:
 *   "state-changed"     get_state, and what goes with it
 *   "progress-changed"  get_progress while RECORDING, get_naming while NAMING
 */
#pragma once

#include <gio/gio.h>

#include "recording/session/session.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_RECORDER (viewer_recorder_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecorder, viewer_recorder, VIEWER, RECORDER, GObject)

typedef enum {
  VIEWER_RECORDER_STARTING,  /* somebody may be asked for a password meanwhile */
  VIEWER_RECORDER_RECORDING, /* the file grows, and can be followed */
  VIEWER_RECORDER_STOPPING,  /* what is on its way is taken in */
  VIEWER_RECORDER_NAMING,    /* the recording is whole; its functions get their names */
  VIEWER_RECORDER_DONE,      /* there is a capture */
  VIEWER_RECORDER_DISCARDED, /* there is none, as was wished */
  VIEWER_RECORDER_FAILED     /* there is none; get_error says why */
} ViewerRecorderState;

/* A command line as a shell splits it, quotes and all, but without variables and pipes. NULL: nothing to
 * start, or quotes that do not end; the error is a sentence. Free it. */
char **viewer_recorder_parse_command(const char *text, GError **error);

/* options are copied. Their path: a directory for a file that is named by program and time; NULL: that of
 * recordings which nobody has saved (viewer/recents/recordings.h), which is made. */
ViewerRecorder *viewer_recorder_new(const RecordingOptions *options);
/* Begins, once. What is in the way is told by the state FAILED, at once or later. */
void viewer_recorder_start(ViewerRecorder *self);
/* Ends the recording in order; before it has begun, discards it; while names are looked up, leaves the rest
 * unnamed. */
void viewer_recorder_stop(ViewerRecorder *self);
/* Ends it at once and removes its file. */
void viewer_recorder_discard(ViewerRecorder *self);

ViewerRecorderState viewer_recorder_get_state(ViewerRecorder *self);
/* What is recorded, for a title: the command, "firefox (4711)", "Whole System". */
const char *viewer_recorder_get_title(ViewerRecorder *self);
/* The capture; exists from RECORDING on. */
GFile *viewer_recorder_get_file(ViewerRecorder *self);
void viewer_recorder_get_progress(ViewerRecorder *self, RecordingProgress *ret);
/* How many of the binaries that were hit are named. */
void viewer_recorder_get_naming(ViewerRecorder *self, guint *ret_done, guint *ret_total);
/* NULL but in FAILED. */
const GError *viewer_recorder_get_error(ViewerRecorder *self);
/* What a person should know of this recording, sentences: what was left out and why, what went wrong in the
 * end. Grows; NULL-terminated, never NULL. */
const char *const *viewer_recorder_get_notes(ViewerRecorder *self);

G_END_DECLS
