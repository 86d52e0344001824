/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/zstd.h"

#include <glib.h>
#include <zstd.h>

#define PROFILE_ZSTD_LEVEL 1

static void free_compressor(gpointer context)
{
  ZSTD_freeCCtx(context);
}

static void free_decompressor(gpointer context)
{
  ZSTD_freeDCtx(context);
}

static GPrivate compressor = G_PRIVATE_INIT(free_compressor);
static GPrivate decompressor = G_PRIVATE_INIT(free_decompressor);

size_t profile_zstd_compress(void *out, size_t capacity, const void *in, size_t length, void *data)
{
  ZSTD_CCtx *context = g_private_get(&compressor);
  size_t size;

  if (!context) {
    context = ZSTD_createCCtx();
    if (!context)
      return 0;
    g_private_set(&compressor, context);
  }
  size = ZSTD_compressCCtx(context, out, capacity, in, length, PROFILE_ZSTD_LEVEL);
  return ZSTD_isError(size) ? 0 : size;
}

bool profile_zstd_decompress(void *out, size_t out_length, const void *in, size_t length, void *data)
{
  ZSTD_DCtx *context = g_private_get(&decompressor);
  size_t size;

  if (!context) {
    context = ZSTD_createDCtx();
    if (!context)
      return false;
    g_private_set(&decompressor, context);
  }
  if (ZSTD_findFrameCompressedSize(in, length) != length)
    return false;
  size = ZSTD_decompressDCtx(context, out, out_length, in, length);
  return !ZSTD_isError(size) && size == out_length;
}
