/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds who records: a recorder of the caller's own, or the system service. */
#pragma once

#include "recording/recording-recorder.h"
#include "recording/recording-run-private.h"

G_BEGIN_DECLS

typedef struct {
  const RecordingOptions *options;
  const int *pidfds; /* of the targets */
  guint n_pidfds;
  gboolean enable_on_exec;
  RecordingControl *control;
} RecordingWay;

/* A recorder that is configured, by the way that options->via asks for, and its READY, whose descriptors are
 * the caller's then. AUTO takes the caller's own where that has all that it could have; else the service;
 * else the caller's own with what it has, and notes why the service was not taken. */
RecordingRecorder *recording_way_take(const RecordingWay *self, RecordingMessage *ret_ready, GError **error);

G_END_DECLS
