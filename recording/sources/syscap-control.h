/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control socket that programs find by SYSPROF_CONTROL_FD: a thread that has something to say sends the
 * ten bytes "CreatRing" and a NUL, and waits for a descriptor, that of a ring (syscap-ring.h) of
 * its own. Requests are answered by a thread that does nothing else, so that no program waits for a disk;
 * when too many rings are there it answers without a descriptor, and the program goes on without. Processes
 * that inherit the socket share it: any answer does for any request. The other functions belong to one
 * thread.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-file.h"

G_BEGIN_DECLS

typedef struct _RecordingSyscapControl RecordingSyscapControl;

#define RECORDING_SYSCAP_CONTROL_VARIABLE "SYSPROF_CONTROL_FD"

/* NULL where there are no descriptors left. */
RecordingSyscapControl *recording_syscap_control_new(void);
/* As those of syscap-trace.h. */
int recording_syscap_control_get_descriptor(const RecordingSyscapControl *self);
void recording_syscap_control_close_descriptor(RecordingSyscapControl *self);
/* Copies what stands in the rings, each as a stream of its own, and gives up those that nobody has any more.
 * 0 or a negative errno of the file. */
int recording_syscap_control_copy(RecordingSyscapControl *self, capture_file *file);
/* From now on requests fail. */
void recording_syscap_control_end(RecordingSyscapControl *self);
void recording_syscap_control_free(RecordingSyscapControl *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingSyscapControl, recording_syscap_control_free)

G_END_DECLS
