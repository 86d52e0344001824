/* SPDX-License-Identifier: BSD-2-Clause */
/* The content of one part; touches nothing of the reader that changes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libcapture/file/capture-file-private.h"
#include "libcapture/file/capture-reader-private.h"

#define KNOWN_FLAGS (CAPTURE_WINDOW_ZSTD | CAPTURE_WINDOW_SHUFFLED | CAPTURE_WINDOW_CLOSED)

static int reader_content_grow(void **buffer, size_t *buffer_size, size_t size)
{
  void *grown;

  if (size <= *buffer_size)
    return 0;
  grown = realloc(*buffer, size);
  if (!grown)
    return -ENOMEM;
  *buffer = grown;
  *buffer_size = size;
  return 0;
}

static bool is_shuffled(const struct capture_window_header *header)
{
  return (header->flags & CAPTURE_WINDOW_SHUFFLED) != 0;
}

/* The first byte of a word is its lowest. */
static uint64_t little_endian(uint64_t word)
{
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* Swaps the high bits of left with the low ones of right. */
static void reader_content_swap(uint64_t *left, uint64_t *right, unsigned bits, uint64_t low)
{
  uint64_t difference = ((*left >> bits) ^ *right) & low;

  *right ^= difference;
  *left ^= difference << bits;
}

/* Byte j of word i becomes byte i of word j: halves change places, then their halves, then bytes. */
static void reader_content_transpose(uint64_t word[8])
{
  for (size_t i = 0; i < 4; i++)
    reader_content_swap(&word[i], &word[i + 4], 32, 0x00000000ffffffffu);
  for (size_t i = 0; i < 4; i++)
    reader_content_swap(&word[i + i / 2 * 2], &word[i + i / 2 * 2 + 2], 16, 0x0000ffff0000ffffu);
  for (size_t i = 0; i < 8; i += 2)
    reader_content_swap(&word[i], &word[i + 1], 8, 0x00ff00ff00ff00ffu);
}

/* Eight planes of eight entries at a time. */
static void unshuffle_block(uint8_t *out, const uint8_t *in, size_t n, size_t entry_size)
{
  uint64_t word[8];

  for (size_t plane = 0; plane < 8; plane++) {
    memcpy(&word[plane], in + plane * n, sizeof word[plane]);
    word[plane] = little_endian(word[plane]);
  }
  reader_content_transpose(word);
  for (size_t entry = 0; entry < 8; entry++) {
    word[entry] = little_endian(word[entry]);
    memcpy(out + entry * entry_size, &word[entry], sizeof word[entry]);
  }
}

/* The size of an entry is a multiple of 8. */
static void reader_content_unshuffle(uint8_t *out, const uint8_t *in, size_t length, size_t entry_size)
{
  size_t n = length / entry_size, whole = n - n % 8;

  for (size_t plane = 0; plane < entry_size; plane += 8) {
    for (size_t entry = 0; entry < whole; entry += 8)
      unshuffle_block(out + entry * entry_size + plane, in + plane * n + entry, n, entry_size);
  }
  for (size_t plane = 0; plane < entry_size; plane++) {
    for (size_t entry = whole; entry < n; entry++)
      out[entry * entry_size + plane] = in[plane * n + entry];
  }
}

/* The flags that a header may have, and what they ask of its other fields. */
static int check_flags(const struct capture_window_header *header)
{
  if (header->flags & ~(unsigned)KNOWN_FLAGS)
    return -ENOTSUP;
  if (is_shuffled(header) &&
      ((header->flags & CAPTURE_WINDOW_ZSTD) == 0 || capture_shuffle_size(header) == 0))
    return -EBADMSG;
  return 0;
}

/* Where the content is written in the buffer: what is stored stands before it. Planes are put together over
 * what is stored then. */
static size_t content_offset(const struct capture_window_header *header)
{
  uint32_t before = header->stored;

  if ((header->flags & CAPTURE_WINDOW_ZSTD) == 0)
    return 0;
  if (is_shuffled(header) && header->length > before)
    before = header->length;
  return (size_t)capture_padded(before);
}

static int reader_content_decompress(const capture_reader *reader, const struct capture_window_header *header,
                                     uint8_t *buffer, const uint8_t **ret)
{
  uint8_t *out = buffer + content_offset(header);

  if (!reader->options.decompress)
    return -ENOTSUP;
  if (!reader->options.decompress(out, header->length, buffer, header->stored,
                                  reader->options.decompress_data))
    return -EBADMSG;
  if (is_shuffled(header))
    reader_content_unshuffle(buffer, out, header->length, capture_shuffle_size(header));
  *ret = is_shuffled(header) ? buffer : out;
  return 0;
}

int capture_reader_content(const capture_reader *reader, size_t number, void **buffer, size_t *buffer_size,
                           const uint8_t **ret_content, size_t *ret_length)
{
  const struct capture_part *part = &reader->parts[number];
  const struct capture_window_header *header = &part->header;
  const uint8_t *content;
  int r = check_flags(header);

  /* One more, so that there is a buffer for nothing, too. */
  if (r == 0)
    r = reader_content_grow(buffer, buffer_size, content_offset(header) + header->length + 1);
  if (r == 0)
    r = capture_reader_read(reader, part->offset + sizeof *header, *buffer, header->stored);
  if (r == 0 && header->crc != capture_part_crc(header, *buffer))
    r = -EBADMSG;
  content = *buffer;
  if (r == 0 && header->flags & CAPTURE_WINDOW_ZSTD)
    r = reader_content_decompress(reader, header, *buffer, &content);
  if (r < 0)
    return r;
  *ret_content = content;
  *ret_length = header->length;
  return 0;
}
