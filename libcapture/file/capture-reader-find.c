/* SPDX-License-Identifier: BSD-2-Clause */
/* How a reader finds the parts of a file: by its index, or by walking. */
#include <stdlib.h>
#include <string.h>

#include "libcapture/file/capture-file-private.h"
#include "libcapture/file/capture-reader-private.h"

#define FIRST_PART sizeof(struct capture_file_header)
#define PART_SIZE  sizeof(struct capture_window_header)

/* Offset of the footer if the file ends with one, else 0. */
static uint64_t find_footer(const capture_reader *reader, struct capture_window_header *ret)
{
  uint64_t at;

  if (reader->size % 8 != 0 || reader->size < FIRST_PART + 2 * PART_SIZE)
    return 0;
  at = reader->size - PART_SIZE;
  if (capture_reader_read_part(reader, at, reader->size, true, ret) != PART_SIZE)
    return 0;
  return ret->kind == CAPTURE_WINDOW_FOOTER && ret->stream == 0 && ret->length == 0 ? at : 0;
}

static bool is_index(const capture_reader *reader, uint64_t offset, uint64_t end,
                     struct capture_window_header *ret)
{
  if (offset % 8 != 0 || offset < FIRST_PART || offset > end ||
      capture_reader_read_part(reader, offset, end, false, ret) != end - offset)
    return false;
  return ret->kind == CAPTURE_WINDOW_INDEX && ret->stream == 0 && (ret->flags & CAPTURE_WINDOW_ZSTD) == 0 &&
         ret->length % sizeof(struct capture_index_entry) == 0;
}

/* Whether the entries are the parts from the first one to the index, without gaps. */
static bool index_tiles_file(const capture_reader *reader, uint64_t index,
                             const struct capture_index_entry *entries, size_t n)
{
  uint64_t at = FIRST_PART;

  for (size_t i = 0; i < n; i++) {
    struct capture_window_header header;
    uint64_t size = capture_reader_read_part(reader, at, index, false, &header);
    struct capture_index_entry expected;

    if (size == 0)
      return false;
    expected = capture_index_entry_of(&header, at);
    if (memcmp(&expected, &entries[i], sizeof expected) != 0)
      return false;
    at += size;
  }
  return at == index;
}

bool capture_reader_find_index(const capture_reader *reader)
{
  struct capture_window_header footer, index;
  struct capture_index_entry *entries;
  uint64_t end = find_footer(reader, &footer), at;
  bool found;

  if (end == 0)
    return false;
  at = footer.time_first;
  if (!is_index(reader, at, end, &index))
    return false;
  entries = malloc((size_t)index.length + 1);
  found = entries && capture_reader_read(reader, at + PART_SIZE, entries, index.length) == 0 &&
          index.crc == capture_part_crc(&index, entries) &&
          index_tiles_file(reader, at, entries, index.length / sizeof *entries);
  free(entries);
  return found;
}

/* What searching may spend on checksums, in bytes: a file made of false headers must not take forever. */
static uint64_t search_budget(const capture_reader *reader)
{
  return 16 * reader->size + (64u << 20);
}

static bool is_whole_part(const capture_reader *reader, uint64_t at, uint64_t *budget,
                          struct capture_window_header *ret)
{
  uint64_t size = capture_reader_read_part(reader, at, reader->size, false, ret);

  if (size == 0)
    return false;
  if (size >= *budget) {
    capture_reader_report(reader, at,
                          "too many headers whose checksums are wrong; the rest is not looked at");
    *budget = 0;
    return false;
  }
  *budget -= size;
  return capture_reader_read_part(reader, at, reader->size, true, ret) != 0;
}

/* The next whole part at or after `from`, or the file's size. */
static uint64_t search_part(const capture_reader *reader, uint64_t from, uint64_t *budget,
                            struct capture_window_header *ret)
{
  uint8_t bytes[CAPTURE_READER_CHUNK];
  size_t n;

  for (uint64_t at = from; at + PART_SIZE <= reader->size; at += n) {
    n = reader->size - at < sizeof bytes ? (size_t)(reader->size - at) : sizeof bytes;
    if (capture_reader_read(reader, at, bytes, n) < 0)
      break;
    for (size_t i = 0; i + sizeof(uint32_t) <= n && *budget > 0; i += 8) {
      uint32_t magic;

      memcpy(&magic, bytes + i, sizeof magic);
      if (magic == CAPTURE_WINDOW_MAGIC && is_whole_part(reader, at + i, budget, ret))
        return at + i;
    }
  }
  return reader->size;
}

/* The damage at `at` has been found; where reading goes on, or the file's size. */
static uint64_t reader_find_resume(const capture_reader *reader, uint64_t at, uint64_t *budget,
                                   struct capture_window_header *ret)
{
  uint64_t next = search_part(reader, at + 8, budget, ret);

  if (next == reader->size)
    capture_reader_report(reader, at, "no whole window stands between here and the end of the file");
  else
    capture_reader_report(reader, at, "damaged: no whole window stands here");
  return next;
}

int capture_reader_scan(capture_reader *reader, bool resync)
{
  uint64_t budget = search_budget(reader);
  int r = 0;

  while (r == 0 && reader->end < reader->size) {
    struct capture_window_header header;
    uint64_t at = reader->end;

    if (capture_reader_read_part(reader, at, reader->size, true, &header) == 0)
      at = resync ? reader_find_resume(reader, at, &budget, &header) : reader->size;
    if (at == reader->size)
      break;
    r = capture_reader_add_part(reader, at, &header);
  }
  return r;
}
