/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-inflate.h"

#include <sys/mman.h>
#include <zstd.h>

struct _ProfilePerfInflate {
  ZSTD_DStream *stream;
  guint8 *bytes;
  gsize used;
  gsize limit;
};

ProfilePerfInflate *profile_perf_inflate_new(gsize limit)
{
  ProfilePerfInflate *self = g_new0(ProfilePerfInflate, 1);
  void *bytes = mmap(NULL, limit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  self->limit = limit;
  self->bytes = bytes != MAP_FAILED ? bytes : NULL;
  self->stream = ZSTD_createDStream();
  if (self->bytes && self->stream)
    return self;
  profile_perf_inflate_free(self);
  return NULL;
}

void profile_perf_inflate_free(ProfilePerfInflate *self)
{
  if (!self)
    return;
  ZSTD_freeDStream(self->stream);
  if (self->bytes)
    munmap(self->bytes, self->limit);
  g_free(self);
}

const char *profile_perf_inflate_add(ProfilePerfInflate *self, const guint8 *bytes, gsize length)
{
  ZSTD_inBuffer in = {bytes, length, 0};
  ZSTD_outBuffer out = {self->bytes, self->limit, self->used};
  gsize before;

  do {
    size_t status;

    before = in.pos + out.pos;
    status = ZSTD_decompressStream(self->stream, &out, &in);
    if (ZSTD_isError(status))
      return "its compressed records are damaged";
  } while (in.pos + out.pos > before);
  self->used = out.pos;
  return in.pos < in.size ? "its compressed records grow beyond all measure" : NULL;
}

const guint8 *profile_perf_inflate_get_bytes(const ProfilePerfInflate *self, gsize *ret_length)
{
  *ret_length = self->used;
  return self->bytes;
}
