/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jitdumps: files jit-PID.dump in which runtimes tell of the machine code that they make, found because they
 * map a piece of them as executable. They are kept open from when they are first seen (RecordingBinaries) and
 * copied into the capture when the recording ends. Belongs to one thread.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"
#include "recording/collect/binaries.h"

G_BEGIN_DECLS

typedef struct _RecordingJitdumps RecordingJitdumps;

RecordingJitdumps *recording_jitdumps_new(void);
/* A binary that a process, pid, has mapped from path (of its own view; may be NULL): remembered if it is
 * called as a jitdump. */
void recording_jitdumps_see(RecordingJitdumps *self, gint32 pid, const char *path,
                            const struct capture_record_binary *binary);
/* Copies those that begin as a jitdump does. 0 or a negative errno of the file. */
int recording_jitdumps_copy(RecordingJitdumps *self, RecordingBinaries *binaries, capture_file *file);
void recording_jitdumps_free(RecordingJitdumps *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingJitdumps, recording_jitdumps_free)

G_END_DECLS
