/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perf maps: what runtimes write to /tmp/perf-PID.map about the machine code that they make. Those of the
 * recorded processes are copied into the capture when the recording ends; the file outlives its process. In a
 * container it stands in the container's /tmp and has the number that the process has there.
 *
 * Anybody may write to /tmp: a map is taken only if it is a regular file of one name, belongs to the
 * process's user (or, where the process has no root of its own, to who records or to root), and was changed
 * since the process began. Belongs to one thread.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"

G_BEGIN_DECLS

typedef struct _RecordingPerfMaps RecordingPerfMaps;

RecordingPerfMaps *recording_perf_maps_new(void);
/* A process of the recording; time (CLOCK_MONOTONIC, nanoseconds) is when it, or the program that it executed
 * last, began, 0: before the recording. To be told again for each program that the process executes. More of
 * them than can be remembered are left out. */
void recording_perf_maps_see(RecordingPerfMaps *self, gint32 pid, guint64 time);
/* Looks up whose the processes are that were seen since the last time, and where their files are. Not at
 * once, so that the many that live for a moment cost next to nothing. */
void recording_perf_maps_look_up(RecordingPerfMaps *self);
/* Copies the maps of all processes that were seen. 0 or a negative errno of the file. */
int recording_perf_maps_copy(RecordingPerfMaps *self, capture_file *file);
void recording_perf_maps_free(RecordingPerfMaps *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingPerfMaps, recording_perf_maps_free)

G_END_DECLS
