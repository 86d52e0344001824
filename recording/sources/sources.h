/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Further sources of a recording, beside its samples: counters of the machine, what programs write in
 * Sysprof's format, perf maps and jitdumps. All of it needs no permission. Belongs to the recording's thread.
 *
 *   new → what the command inherits → begin → tick … → end
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"
#include "recording/collect/binaries.h"
#include "recording/common/options.h"

G_BEGIN_DECLS

typedef struct _RecordingSources RecordingSources;

/* What the options ask for. What there are no descriptors for is left out. */
RecordingSources *recording_sources_new(const RecordingOptions *options);
/* Adds what the command has to find in its environment; takes environment (g_strfreev), returns it changed.
 */
char **recording_sources_set_environment(RecordingSources *self, char **environment);
/* The descriptors that the command is to inherit, under their numbers; the sources'. */
const int *recording_sources_get_inherited(RecordingSources *self, gsize *ret_n);
/* Writes to that capture from now on, and hears from binaries which processes there are; both must outlive
 * it. command: its pid, 0 when there is none; it has been forked. */
void recording_sources_begin(RecordingSources *self, capture_file *file, RecordingBinaries *binaries,
                             gint32 command);
/* When the next tick is due (g_get_monotonic_time()); not before begin: G_MAXINT64. */
gint64 recording_sources_get_next(const RecordingSources *self);
/* Reads what is due. 0 or a negative errno of the file. */
int recording_sources_tick(RecordingSources *self, gint64 now);
/* Reads the rest, copies what processes have left behind. Before the capture gets its index. 0 or a negative
 * errno of the file. */
int recording_sources_end(RecordingSources *self);
void recording_sources_free(RecordingSources *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingSources, recording_sources_free)

G_END_DECLS
