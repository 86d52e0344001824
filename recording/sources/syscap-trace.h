/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs write of their own accord to a descriptor that their environment names (SYSPROF_TRACE_FD,
 * GJS_TRACE_FD), in Sysprof's capture format. It is a memfd: writing never blocks a program, nor kills it
 * when nobody reads any more; what has been copied is given back. Programs that inherit it share its offset,
 * so what they write stands one behind the other, each with a file header of its own; it cannot be made
 * shorter, so that one that begins does not take away what others wrote. The library of Sysprof 51 and newer
 * begins at offset 0 all the same: then that is copied, too, and lost is what it wrote over before it was
 * copied. Belongs to one thread.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"

G_BEGIN_DECLS

typedef struct _RecordingSyscapTrace RecordingSyscapTrace;

/* variable: of the environment, the name of its stream. NULL where there are no memfds or descriptors left.
 */
RecordingSyscapTrace *recording_syscap_trace_new(const char *variable);
const char *recording_syscap_trace_get_variable(const RecordingSyscapTrace *self);
/* The descriptor to be inherited by the command; stays the trace's. */
int recording_syscap_trace_get_descriptor(const RecordingSyscapTrace *self);
/* Copies what was written since the last time, as a stream of the command's, whose pid it is. 0 or a negative
 * errno of the file. */
int recording_syscap_trace_copy(RecordingSyscapTrace *self, capture_file *file, gint32 pid);
/* From now on writing fails; copies all that is left. 0 or a negative errno of the file. */
int recording_syscap_trace_end(RecordingSyscapTrace *self, capture_file *file, gint32 pid);
void recording_syscap_trace_free(RecordingSyscapTrace *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingSyscapTrace, recording_syscap_trace_free)

G_END_DECLS
