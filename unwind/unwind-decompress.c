/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-decompress-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

/* Later than some systems' elf.h. */
#define COMPRESSED_ZSTD 2

/* What claims to become more than this is damaged: zlib cannot, and unwind information does not. */
#define RATIO_MAX 1040
#define SIZE_MAX_ ((uint64_t)1 << 31)

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
