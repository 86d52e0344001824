/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the machine does beside the samples, as counters in a stream of their own: use of each processor,
 * memory, network, disks, pressure, context switches and forks. Read from /proc, which everybody may; what is
 * not there (a container, an older kernel) has no counters. Processors, interfaces and disks may come and go.
 * Belongs to the thread that has the file.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"

G_BEGIN_DECLS

/* Between two readings, microseconds. */
#define RECORDING_COUNTERS_EVERY (G_TIME_SPAN_SECOND / 10)

typedef struct _RecordingCounters RecordingCounters;

/* proc and sys are the directories to read from, "/proc" and "/sys"; the files are opened once. The capture
 * file must outlive it. */
RecordingCounters *recording_counters_new(capture_file *file, const char *proc, const char *sys);
/* Reads everything and writes one record of values with that time (CLOCK_MONOTONIC, nanoseconds). What needs
 * two readings, a share or a rate, is there from the second on. 0 or a negative errno of the file. */
int recording_counters_read(RecordingCounters *self, guint64 time);
/* Closes the stream. 0 or a negative errno of the file. */
int recording_counters_finish(RecordingCounters *self);
void recording_counters_free(RecordingCounters *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingCounters, recording_counters_free)

G_END_DECLS
