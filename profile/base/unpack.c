/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/unpack.h"

#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define PIECE           ((gsize)1 << 18)
#define LZMA_MEMORY_MAX (G_GUINT64_CONSTANT(256) << 20)

typedef struct {
  int from, to;
  off_t at;
  guint64 written;
  gint64 until;
  GCancellable *cancellable;
  gboolean is_late;
  guint8 *in, *out; /* PIECE bytes each */
} Unpacking;

static gssize unpacking_read(Unpacking *self)
{
  gssize n = pread(self->from, self->in, PIECE, self->at);

  self->at += MAX(n, 0);
  return n;
}

static gboolean unpacking_write(Unpacking *self, gsize length)
{
  self->is_late = g_cancellable_is_cancelled(self->cancellable) ||
                  (self->until > 0 && g_get_monotonic_time() >= self->until);
  self->written += length;
  if (self->is_late || self->written > PROFILE_UNPACK_MAX)
    return FALSE;
  for (gsize done = 0; done < length;) {
    gssize n = write(self->to, self->out + done, length - done);

    if (n < 0)
      return FALSE;
    done += (gsize)n;
  }
  return TRUE;
}

static gboolean unpack_xz(Unpacking *self)
{
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_ret result = lzma_stream_decoder(&stream, LZMA_MEMORY_MAX, LZMA_CONCATENATED);
  gssize n = 1;

  while (result == LZMA_OK && n >= 0) {
    if (stream.avail_in == 0 && n > 0) {
      n = unpacking_read(self);
      stream.next_in = self->in;
      stream.avail_in = (size_t)MAX(n, 0);
    }
    stream.next_out = self->out;
    stream.avail_out = PIECE;
    result = lzma_code(&stream, n == 0 ? LZMA_FINISH : LZMA_RUN);
    if (!unpacking_write(self, PIECE - stream.avail_out))
      result = LZMA_PROG_ERROR;
  }
  lzma_end(&stream);
  return result == LZMA_STREAM_END;
}

/* How much of the frame is missing then, or an error. */
static gsize unpack_zstd_piece(Unpacking *self, ZSTD_DStream *stream, ZSTD_inBuffer *in)
{
  ZSTD_outBuffer out = {self->out, PIECE, 0};
  gsize left = 1;

  do {
    out.pos = 0;
    left = ZSTD_decompressStream(stream, &out, in);
    if (!ZSTD_isError(left) && !unpacking_write(self, out.pos))
      return (gsize)-1;
  } while (!ZSTD_isError(left) && (in->pos < in->size || out.pos == PIECE));
  return left;
}

static gboolean unpack_zstd(Unpacking *self)
{
  ZSTD_DStream *stream = ZSTD_createDStream();
  gsize left = 1;
  gssize n = 0;

  while (stream && !ZSTD_isError(left) && (n = unpacking_read(self)) > 0)
    left = unpack_zstd_piece(self, stream, &(ZSTD_inBuffer){self->in, (gsize)n, 0});
  ZSTD_freeDStream(stream);
  return n == 0 && left == 0;
}

gboolean profile_unpack_is_packed(const char *name)
{
  return g_str_has_suffix(name, ".xz") || g_str_has_suffix(name, ".zst");
}

int profile_unpack(int fd, const char *name, gint64 until, GCancellable *cancellable, gboolean *ret_is_late)
{
  g_autofree guint8 *pieces = g_malloc(2 * PIECE);
  Unpacking self = {.from = fd,
                    .to = memfd_create("unpacked", MFD_CLOEXEC),
                    .until = until,
                    .cancellable = cancellable,
                    .in = pieces,
                    .out = pieces + PIECE};

  if (self.to < 0)
    return -1;
  if ((g_str_has_suffix(name, ".xz") ? unpack_xz : unpack_zstd)(&self))
    return self.to;
  close(self.to);
  *ret_is_late |= self.is_late;
  return -1;
}
