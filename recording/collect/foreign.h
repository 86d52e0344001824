/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of foreign windows in a capture file: bytes of another format, verbatim, in the order in which
 * they are appended. Belongs to the thread that has the file.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"

G_BEGIN_DECLS

typedef struct _RecordingForeign RecordingForeign;

/* pid and name say where the bytes come from. The stream stands in the file from the first byte on. The file
 * must outlive it. */
RecordingForeign *recording_foreign_new(capture_file *file, enum capture_foreign kind, gint32 pid,
                                        const char *name);
/* 0 or a negative errno of the file. */
int recording_foreign_append(RecordingForeign *self, const void *bytes, gsize length);
/* Appends what stands in fd from offset up to its end, at most limit bytes; holes are left out. Where it
 * cannot be read it ends. *ret_offset, if given: where it went on from next. 0 or a negative errno of the
 * file. */
int recording_foreign_copy(RecordingForeign *self, int fd, guint64 offset, guint64 limit,
                           guint64 *ret_offset);
gboolean recording_foreign_is_empty(const RecordingForeign *self);
void recording_foreign_free(RecordingForeign *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingForeign, recording_foreign_free)

G_END_DECLS
