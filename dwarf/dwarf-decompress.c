/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-decompress-private.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "unwind/unwind-bytes-private.h"

#define TYPE_ZLIB 1
#define TYPE_ZSTD 2

/* zlib cannot become more. */
#define RATIO_MAX 1040

#define PIECE ((size_t)1 << 20)

struct stream {
  const uint8_t *at;
  const uint8_t *end;
  uint32_t type;
  uint64_t size; /* of what it becomes */
};

static size_t bytes_min(size_t a, size_t b)
{
  return a < b ? a : b;
}

static bool stream_read_64(struct stream *stream)
{
  uint32_t reserved;
  uint64_t alignment;

  return unwind_read_uint32(&stream->at, stream->end, &stream->type) &&
         unwind_read_uint32(&stream->at, stream->end, &reserved) &&
         unwind_read_uint64(&stream->at, stream->end, &stream->size) &&
         unwind_read_uint64(&stream->at, stream->end, &alignment);
}

static bool stream_read_32(struct stream *stream)
{
  uint32_t size, alignment;

  if (!unwind_read_uint32(&stream->at, stream->end, &stream->type) ||
      !unwind_read_uint32(&stream->at, stream->end, &size) ||
      !unwind_read_uint32(&stream->at, stream->end, &alignment))
    return false;
  stream->size = size;
  return true;
}

/* The only number in an ELF file of today that is big-endian. */
static bool stream_read_gnu(struct stream *stream)
{
  if (stream->end - stream->at < 12 || memcmp(stream->at, "ZLIB", 4) != 0)
    return false;
  memcpy(&stream->size, stream->at + 4, sizeof stream->size);
  stream->size = be64toh(stream->size);
  stream->type = TYPE_ZLIB;
  stream->at += 12;
  return true;
}

/* Piece by piece, so that time can end between two. */
static int stream_inflate_zlib(struct stream *stream, struct dwarf_budget *budget, uint8_t *to)
{
  z_stream zlib = {.next_in = (Bytef *)stream->at, .next_out = to};
  uint8_t *end = to + stream->size;
  int result = inflateInit(&zlib), error = 0;

  while (result == Z_OK && error == 0 && zlib.next_out < end) {
    zlib.avail_in = (uInt)bytes_min((size_t)(stream->end - zlib.next_in), PIECE);
    zlib.avail_out = (uInt)bytes_min((size_t)(end - zlib.next_out), PIECE);
    result = inflate(&zlib, Z_NO_FLUSH);
    error = dwarf_budget_work(budget, DWARF_WORK_OF_A_LOOK);
  }
  inflateEnd(&zlib);
  if (error < 0)
    return error;
  return (result == Z_OK || result == Z_STREAM_END) && zlib.next_out == end ? 0 : -EBADMSG;
}

/* 0 when all is there, 1 when there is more to do. */
static int stream_inflate_piece(ZSTD_DStream *zstd, ZSTD_inBuffer *in, ZSTD_outBuffer *out, uint64_t size)
{
  size_t before = in->pos + out->pos, result;

  out->size = bytes_min(size - out->pos, PIECE) + out->pos;
  result = ZSTD_decompressStream(zstd, out, in);
  if (ZSTD_isError(result) || in->pos + out->pos == before)
    return -EBADMSG;
  return out->pos < size;
}

static int stream_inflate_zstd(struct stream *stream, struct dwarf_budget *budget, uint8_t *to)
{
  ZSTD_inBuffer in = {stream->at, (size_t)(stream->end - stream->at), 0};
  ZSTD_outBuffer out = {to, 0, 0};
  ZSTD_DStream *zstd = ZSTD_createDStream();
  int more = zstd ? 1 : -ENOMEM;

  while (more > 0) {
    int error = dwarf_budget_work(budget, DWARF_WORK_OF_A_LOOK);

    more = error < 0 ? error : stream_inflate_piece(zstd, &in, &out, stream->size);
  }
  ZSTD_freeDStream(zstd);
  return more;
}

static bool stream_is_sane(const struct stream *stream)
{
  if (stream->size == 0)
    return false;
  return stream->type == TYPE_ZSTD ||
         (stream->type == TYPE_ZLIB && stream->size / RATIO_MAX <= (size_t)(stream->end - stream->at));
}

int dwarf_decompress(struct dwarf_budget *budget, const struct dwarf_bytes *section,
                     enum dwarf_compression kind, struct dwarf_bytes *ret)
{
  bool (*const read[])(struct stream *) = {stream_read_64, stream_read_32, stream_read_gnu};
  struct stream stream = {.at = section->bytes, .end = (const uint8_t *)section->bytes + section->size};
  void *memory;
  int error;

  if (!read[kind](&stream) || !stream_is_sane(&stream))
    return -EBADMSG;
  memory = dwarf_budget_allocate(budget, stream.size, 1);
  if (!memory)
    return -ENOMEM;
  error = (stream.type == TYPE_ZLIB ? stream_inflate_zlib : stream_inflate_zstd)(&stream, budget, memory);
  if (error < 0) {
    dwarf_budget_free(budget, memory, stream.size, 1);
    return error;
  }
  *ret = (struct dwarf_bytes){memory, stream.size};
  return 0;
}
