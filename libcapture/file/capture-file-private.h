/* SPDX-License-Identifier: BSD-2-Clause */
/* What writing and reading a capture file have in common. */
#ifndef CAPTURE_FILE_PRIVATE_H
#define CAPTURE_FILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "libcapture/file/capture-file.h"

#define CAPTURE_LENGTH_MAX (1u << 30)
/* A compressed part may be this long in any case, and otherwise so many times its stored size. */
#define CAPTURE_COMPRESSED_LENGTH_FREE (16u << 20)
#define CAPTURE_COMPRESSED_RATIO_MAX   2048u

static inline uint64_t capture_padded(uint64_t length)
{
  return (length + 7) & ~(uint64_t)7;
}

static inline bool capture_compressed_length_is_allowed(uint32_t length, uint32_t stored)
{
  return length <= CAPTURE_COMPRESSED_LENGTH_FREE ||
         length <= (uint64_t)stored * CAPTURE_COMPRESSED_RATIO_MAX;
}

/* Of how many bytes each the planes of a shuffled part consist; 0: such a part cannot be shuffled. */
static inline uint32_t capture_shuffle_size(const struct capture_window_header *header)
{
  uint32_t size = header->kind == CAPTURE_WINDOW_DICTIONARY ? 8 : header->entry_size;

  if (header->kind != CAPTURE_WINDOW_DICTIONARY && header->kind != CAPTURE_WINDOW_SAMPLES)
    return 0;
  return size >= 8 && size <= 32 && size % 8 == 0 && header->length % size == 0 ? size : 0;
}

uint32_t capture_header_crc(const struct capture_file_header *header);
uint32_t capture_ended_crc(const struct capture_ended *ended);
uint32_t capture_part_crc(const struct capture_window_header *header, const void *stored);
struct capture_index_entry capture_index_entry_of(const struct capture_window_header *header,
                                                  uint64_t offset);

/* Room in memory for so many parts, so that appending them allocates nothing (unless they are compressed).
 * 0 or -ENOMEM. */
int capture_file_reserve(capture_file *file, size_t parts);
/* Whether so many more parts find room there. */
bool capture_file_has_room(const capture_file *file, size_t parts);
/* Number of the next window in stream 0. */
uint32_t capture_file_next_sequence(capture_file *file);

#endif
