/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the windows of any number of streams and appends them to one capture file, and counts what
 * passes. Nothing is decoded but losses and the binaries that are named later. One thread at a time.
 */
#pragma once

#include <glib.h>

#include "libcapture/capture-file.h"
#include "libcapture/capture-pool.h"
#include "recording/recording-binaries.h"

G_BEGIN_DECLS

typedef struct _RecordingCollector RecordingCollector;

/* As they stand in the file. */
typedef struct {
  guint64 samples;
  guint64 lost;      /* samples, and lost records that may have been samples */
  guint64 throttled; /* how often the kernel paused sampling */
} RecordingCounts;

/* Both must outlive the collector; binaries may be NULL. */
RecordingCollector *recording_collector_new(capture_file *file, RecordingBinaries *binaries);
/* Adds a producer. Takes the tap. */
void recording_collector_add(RecordingCollector *self, capture_tap *tap, guint32 stream);
/* One round over all streams. 0 or a negative errno; *ret_output, if given, says whether it was the file's.
 * After a failure of the file nothing more is taken. A broken stream is taken no further; others go on. */
int recording_collector_collect(RecordingCollector *self, gboolean *ret_output);
void recording_collector_get_counts(RecordingCollector *self, RecordingCounts *ret);
void recording_collector_free(RecordingCollector *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingCollector, recording_collector_free)

G_END_DECLS
