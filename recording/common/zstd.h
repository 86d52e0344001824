/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compressor for capture_file: zstd at level 1. One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct ZSTD_CCtx_s RecordingZstd;

RecordingZstd *recording_zstd_new(void);
void recording_zstd_free(RecordingZstd *self);
/* A capture_compress_fn; data is a RecordingZstd. */
size_t recording_zstd_compress(void *out, size_t capacity, const void *in, size_t length, void *data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingZstd, recording_zstd_free)

G_END_DECLS
