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

struct stream {
  const uint8_t *at;
  const uint8_t *end;
  uint32_t type;
  uint64_t size; /* of what it becomes */
};

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

static bool stream_inflate_zlib(const struct stream *stream, void *to)
{
  uLongf written = stream->size;

  return uncompress(to, &written, stream->at, (uLong)(stream->end - stream->at)) == Z_OK &&
         written == stream->size;
}

static bool stream_inflate(const struct stream *stream, void *to)
{
  if (stream->type == TYPE_ZLIB)
    return stream_inflate_zlib(stream, to);
  return ZSTD_decompress(to, stream->size, stream->at, (size_t)(stream->end - stream->at)) == stream->size;
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

  if (!read[kind](&stream) || !stream_is_sane(&stream))
    return -EBADMSG;
  memory = dwarf_budget_allocate(budget, stream.size, 1);
  if (!memory)
    return -ENOMEM;
  if (!stream_inflate(&stream, memory)) {
    dwarf_budget_free(budget, memory, stream.size, 1);
    return -EBADMSG;
  }
  *ret = (struct dwarf_bytes){memory, stream.size};
  return 0;
}
