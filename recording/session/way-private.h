/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds who records: a recorder of the caller's own, the system service, or the preloaded sampler. */
#pragma once

#include "recording/recorder/recorder.h"
#include "recording/session/run-private.h"

G_BEGIN_DECLS

typedef struct {
  const RecordingOptions *options;
  const int *pidfds; /* of the targets */
  guint n_pidfds;
  gboolean enable_on_exec;
  gboolean preload; /* the preloaded sampler is there */
  RecordingControl *control;
} RecordingWay;

/* Takes the way that options->via asks for. *ret_recorder is a recorder that is configured, and *ret_ready
 * its READY, whose descriptors are the caller's then. AUTO takes the caller's own where that has all that it
 * could have; else the service; else the caller's own with what it has, and notes why the service was not
 * taken.
 *
 * *ret_recorder is NULL where the preloaded sampler records: for PRELOAD; and for AUTO where nothing else is
 * permitted, `preload` says that it can be had, and no wish is in the way. *ret_reason says why then, in
 * sentences; else it is NULL. */
gboolean recording_way_take(const RecordingWay *self, RecordingRecorder **ret_recorder,
                            RecordingMessage *ret_ready, char **ret_reason, GError **error);

G_END_DECLS
