/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes programs into a recording that speak for themselves (libcapture/pool/capture-announce.h): those that
 * embed libcapture, and those with the preload library. It listens on a socket in a directory of its own,
 * checks who comes, hands their windows to the collector as streams, and answers what unwind tables they
 * want, all on a thread of its own.
 *
 * Programs are not trusted. One that breaks the protocol, comes too often or brings too much is left out, and
 * the others do not notice.
 */
#pragma once

#include <glib.h>

#include "recording/collect/collector.h"

G_BEGIN_DECLS

typedef struct _RecordingSamplers RecordingSamplers;

/* What programs are told (struct capture_settings). */
typedef struct {
  guint32 flags;         /* enum capture_settings_flags, for embedders */
  guint32 preload_flags; /* the same for the preload library */
  guint32 frequency;
  guint32 max_stack;
  guint64 allocation_bytes;
} RecordingSamplersSettings;

/* Makes the directory (below $XDG_RUNTIME_DIR, else $TMPDIR or /tmp) and the socket: programs may come, and
 * wait until start. */
RecordingSamplers *recording_samplers_new(GError **error);
/* The socket's path, for CAPTURE_SOCKET_VARIABLE. */
const char *recording_samplers_get_path(RecordingSamplers *self);
/* Before start: no other process is taken in than this one. */
void recording_samplers_confine(RecordingSamplers *self, gint32 pid);
/* Lets them in from now on. */
void recording_samplers_start(RecordingSamplers *self, const RecordingSamplersSettings *settings,
                              RecordingCollector *collector);
/* Lets nobody in any more and gives all streams back to the collector, whose next round takes what they have
 * left; removes the socket. Once. */
void recording_samplers_stop(RecordingSamplers *self);
/* Programs that were taken in, and those that were not because there were too many. By any thread. */
guint recording_samplers_get_n_programs(RecordingSamplers *self);
guint recording_samplers_get_n_refused(RecordingSamplers *self);
/* Stops, if need be. */
void recording_samplers_free(RecordingSamplers *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingSamplers, recording_samplers_free)

G_END_DECLS
