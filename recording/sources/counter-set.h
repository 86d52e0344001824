/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of counters in a capture file: definitions stand before values, and what was written stands in
 * the file, so that it may be cut anywhere. Belongs to the thread that has the file.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"

G_BEGIN_DECLS

typedef struct _RecordingCounterSet RecordingCounterSet;

/* Of one counter; the texts are UTF-8 or are made so. */
typedef struct {
  const char *category;
  const char *name;
  const char *description;
  const char *unit;
  guint32 flags; /* enum capture_counter_flags */
} RecordingCounter;

/* The stream is added to the file with the first value. NULL: out of memory. The file must outlive it. */
RecordingCounterSet *recording_counter_set_new(capture_file *file, const char *name);
/* Its identifier, or 0: no more are taken, values of it go nowhere. */
guint32 recording_counter_set_define(RecordingCounterSet *self, const RecordingCounter *counter);
/* Its value, at the time of the next write. */
void recording_counter_set_add(RecordingCounterSet *self, guint32 counter, double value);
/* Writes the values that were added, with their time. 0 or a negative errno of the file. */
int recording_counter_set_write(RecordingCounterSet *self, guint64 time);
/* Closes the stream's windows. 0 or a negative errno of the file. */
int recording_counter_set_finish(RecordingCounterSet *self);
void recording_counter_set_free(RecordingCounterSet *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingCounterSet, recording_counter_set_free)

G_END_DECLS
