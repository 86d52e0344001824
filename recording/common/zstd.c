/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/zstd.h"

#include <zstd.h>

RecordingZstd *recording_zstd_new(void)
{
  RecordingZstd *self = ZSTD_createCCtx();
  if (!self)
    g_error("out of memory");
  ZSTD_CCtx_setParameter(self, ZSTD_c_compressionLevel, 1);
  /* Parts are a few kB: a table that stays in the first cache finds as much in them as the usual one. */
  ZSTD_CCtx_setParameter(self, ZSTD_c_hashLog, 12);
  return self;
}

void recording_zstd_free(RecordingZstd *self)
{
  ZSTD_freeCCtx(self);
}

size_t recording_zstd_compress(void *out, size_t capacity, const void *in, size_t length, void *data)
{
  size_t size = ZSTD_compress2(data, out, capacity, in, length);
  return ZSTD_isError(size) ? 0 : size;
}
