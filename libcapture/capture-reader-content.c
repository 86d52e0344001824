/* SPDX-License-Identifier: BSD-2-Clause */
/* The content of one part; touches nothing of the reader that changes. */
#include <errno.h>
#include <stdlib.h>

#include "capture-file-private.h"
#include "capture-reader-private.h"

#define KNOWN_FLAGS (CAPTURE_WINDOW_ZSTD | CAPTURE_WINDOW_SHUFFLED | CAPTURE_WINDOW_CLOSED)

static int grow(void **buffer, size_t *buffer_size, size_t size)
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

static void unshuffle(uint8_t *out, const uint8_t *in, size_t length, size_t entry_size)
{
  size_t n = length / entry_size;

  for (size_t plane = 0; plane < entry_size; plane++, in += n) {
    for (size_t entry = 0; entry < n; entry++)
      out[entry * entry_size + plane] = in[entry];
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

static int decompress(const capture_reader *reader, const struct capture_reader_part *part, void **buffer,
                      size_t *buffer_size)
{
  const struct capture_window_header *header = &part->part.header;
  size_t length = header->length;
  uint8_t *out;
  int r;

  if (!reader->options.decompress)
    return -ENOTSUP;
  /* One more, so that there is a buffer for nothing, too. */
  r = grow(buffer, buffer_size, (is_shuffled(header) ? 2 * length : length) + 1);
  if (r < 0)
    return r;
  out = (uint8_t *)*buffer + (is_shuffled(header) ? length : 0);
  if (!reader->options.decompress(out, length, part->stored, header->stored, reader->options.decompress_data))
    return -EBADMSG;
  if (is_shuffled(header))
    unshuffle(*buffer, out, length, capture_shuffle_size(header));
  return 0;
}

int capture_reader_content(const capture_reader *reader, size_t number, void **buffer, size_t *buffer_size,
                           const uint8_t **ret_content, size_t *ret_length)
{
  const struct capture_reader_part *part = &reader->parts[number];
  const struct capture_window_header *header = &part->part.header;
  const uint8_t *content = part->stored;
  int r = check_flags(header);

  if (r == 0 && header->crc != capture_part_crc(header, part->stored))
    r = -EBADMSG;
  if (r == 0 && header->flags & CAPTURE_WINDOW_ZSTD) {
    r = decompress(reader, part, buffer, buffer_size);
    content = *buffer;
  }
  if (r < 0)
    return r;
  *ret_content = content;
  *ret_length = header->length;
  return 0;
}
