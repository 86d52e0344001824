/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the windows of any number of streams, which come and go, and appends them to one capture file, and
 * counts what passes. Nothing is decoded but losses and the binaries that are named later. What a sampler
 * says is checked for its frame (stream-private.h): it can only harm its own stream.
 *
 * add, remove and get_counts may be called by any thread; the others belong to one thread, which has the
 * file.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/pool/capture-pool.h"
#include "recording/collect/binaries.h"

G_BEGIN_DECLS

typedef struct _RecordingCollector RecordingCollector;
typedef struct _RecordingStream RecordingStream;

/* As they stand in the file. */
typedef struct {
  guint64 samples;
  guint64 lost;      /* samples, and lost records that may have been samples */
  guint64 throttled; /* how often the kernel paused sampling */
} RecordingCounts;

/* Both must outlive the last round; binaries may be NULL. */
RecordingCollector *recording_collector_new(capture_file *file, RecordingBinaries *binaries);
/* Adds a producer of that kind (enum capture_stream_kind); takes the tap. The stream has its number, and
 * stands in the file, from the next round on. It is the collector's. */
RecordingStream *recording_collector_add(RecordingCollector *self, capture_tap *tap, guint32 kind, gint32 pid,
                                         const char *name);
/* Its producer is gone: the next round takes the rest and closes the tap. The stream must not be used any
 * more. */
void recording_collector_remove(RecordingCollector *self, RecordingStream *stream);
/* One round over all streams. 0, or a negative errno: the file's, as *ret_output says if given, after which
 * nothing more is taken; or that of a recorder's stream. A broken stream is taken no further, of a sampler's
 * a message stands in the capture; others go on. */
int recording_collector_collect(RecordingCollector *self, gboolean *ret_output);
/* Bytes that the last round took. */
guint64 recording_collector_get_taken(RecordingCollector *self);
/* Tells all producers that nothing is taken any more; those that are added from now on, too. */
void recording_collector_end(RecordingCollector *self);
void recording_collector_get_counts(RecordingCollector *self, RecordingCounts *ret);
RecordingCollector *recording_collector_ref(RecordingCollector *self);
void recording_collector_unref(RecordingCollector *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingCollector, recording_collector_unref)

G_END_DECLS
