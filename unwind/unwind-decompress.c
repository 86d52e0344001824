/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-decompress-private.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

/* Later than some systems' elf.h. */
#define COMPRESSED_ZSTD 2

/* What claims to become more than this is damaged: zlib cannot, and unwind information does not. */
#define RATIO_MAX 1040
#define SIZE_MAX_ ((uint64_t)1 << 31)

#define XZ_SIZE_MAX   ((size_t)256 << 20)
#define XZ_SIZE_MIN   ((size_t)1 << 16)
#define XZ_MEMORY_MAX ((uint64_t)512 << 20)

static int inflate_zlib(void *to, size_t size, const uint8_t *from, size_t from_size)
{
  uLongf written = size;

  return uncompress(to, &written, from, from_size) == Z_OK && written == size ? 0 : -EBADMSG;
}

static int inflate_zstd(void *to, size_t size, const uint8_t *from, size_t from_size)
{
  return ZSTD_decompress(to, size, from, from_size) == size ? 0 : -EBADMSG;
}

int unwind_decompress(const struct unwind_bytes *section, void **ret_memory, size_t *ret_size)
{
  const uint8_t *from = section->bytes + sizeof(Elf64_Chdr);
  Elf64_Chdr header;
  void *memory;
  int error;

  if (section->size <= sizeof header)
    return -EBADMSG;
  memcpy(&header, section->bytes, sizeof header);
  if (header.ch_size == 0 || header.ch_size > SIZE_MAX_ || header.ch_size / RATIO_MAX > section->size)
    return -EBADMSG;
  if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != COMPRESSED_ZSTD)
    return -ENODATA;
  memory = mmap(NULL, header.ch_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return -ENOMEM;
  error = (header.ch_type == ELFCOMPRESS_ZLIB ? inflate_zlib : inflate_zstd)(memory, header.ch_size, from,
                                                                             section->size - sizeof header);
  if (error < 0) {
    munmap(memory, header.ch_size);
    return error;
  }
  *ret_memory = memory;
  *ret_size = header.ch_size;
  return 0;
}

struct output {
  uint8_t *bytes;
  size_t size;
  size_t capacity;
};

static int decompress_grow(struct output *output)
{
  size_t capacity = output->capacity ? 2 * output->capacity : XZ_SIZE_MIN;
  uint8_t *bytes = capacity <= XZ_SIZE_MAX ? realloc(output->bytes, capacity) : NULL;

  if (!bytes)
    return capacity <= XZ_SIZE_MAX ? -ENOMEM : -EBADMSG;
  output->bytes = bytes;
  output->capacity = capacity;
  return 0;
}

static int inflate_xz(lzma_stream *stream, struct output *output)
{
  lzma_ret result = LZMA_OK;

  while (result == LZMA_OK) {
    int error = output->size == output->capacity ? decompress_grow(output) : 0;

    if (error < 0)
      return error;
    stream->next_out = output->bytes + output->size;
    stream->avail_out = output->capacity - output->size;
    result = lzma_code(stream, LZMA_FINISH);
    output->size = output->capacity - stream->avail_out;
  }
  return result == LZMA_STREAM_END ? 0 : -EBADMSG;
}

int unwind_decompress_xz(const struct unwind_bytes *stream, void **ret_memory, size_t *ret_size)
{
  lzma_stream decoder = LZMA_STREAM_INIT;
  struct output output = {0};
  int error;

  if (lzma_stream_decoder(&decoder, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
    return -ENOMEM;
  decoder.next_in = stream->bytes;
  decoder.avail_in = stream->size;
  error = inflate_xz(&decoder, &output);
  lzma_end(&decoder);
  if (error < 0) {
    free(output.bytes);
    return error;
  }
  *ret_memory = output.bytes;
  *ret_size = output.size;
  return 0;
}
