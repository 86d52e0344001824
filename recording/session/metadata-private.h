/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "libcapture/file/capture-file.h"
#include "recording/common/options.h"

G_BEGIN_DECLS

/* Writes where and how this is recorded into the capture; unwind is what AUTO became. 0 or a negative errno.
 */
int recording_metadata_add(capture_file *file, const RecordingOptions *options, RecordingVia via,
                           RecordingUnwind unwind);

G_END_DECLS
