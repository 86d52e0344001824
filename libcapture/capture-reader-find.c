/* SPDX-License-Identifier: BSD-2-Clause */
/* How a reader finds the parts of a file: by its index, or by walking. */
#include <errno.h>
#include <string.h>

#include "capture-file-private.h"
#include "capture-reader-private.h"

#define FIRST_PART sizeof(struct capture_file_header)
#define PART_SIZE  sizeof(struct capture_window_header)

static struct capture_window_header header_at(const capture_reader *reader, uint64_t offset)
{
  struct capture_window_header header;

  memcpy(&header, capture_reader_bytes(reader, offset), sizeof header);
  return header;
}

/* Offset of the footer if the file ends with one, else 0. */
static uint64_t find_footer(const capture_reader *reader)
{
  struct capture_window_header footer;
  uint64_t at;

  if (reader->size % 8 != 0 || reader->size < FIRST_PART + 2 * PART_SIZE)
    return 0;
  at = reader->size - PART_SIZE;
  if (at < reader->maps[reader->n_maps - 1].offset ||
      capture_reader_part_size(reader, at, reader->size, true) != PART_SIZE)
    return 0;
  footer = header_at(reader, at);
  return footer.kind == CAPTURE_WINDOW_FOOTER && footer.stream == 0 ? at : 0;
}

static bool is_index(const capture_reader *reader, uint64_t offset, uint64_t end)
{
  struct capture_window_header header;

  if (offset % 8 != 0 || offset < FIRST_PART ||
      capture_reader_part_size(reader, offset, end, true) != end - offset)
    return false;
  header = header_at(reader, offset);
  return header.kind == CAPTURE_WINDOW_INDEX && header.stream == 0 &&
         (header.flags & CAPTURE_WINDOW_ZSTD) == 0 && header.length % sizeof(struct capture_index_entry) == 0;
}

/* Whether the entries are the parts from the first one to the index, without gaps. */
static bool index_tiles_file(const capture_reader *reader, uint64_t index,
                             const struct capture_index_entry *entries, size_t n)
{
  uint64_t at = FIRST_PART;

  for (size_t i = 0; i < n; i++) {
    uint64_t size = capture_reader_part_size(reader, at, index, false);
    struct capture_window_header header;
    struct capture_index_entry expected;

    if (size == 0)
      return false;
    header = header_at(reader, at);
    expected = capture_index_entry_of(&header, at);
    if (memcmp(&expected, &entries[i], sizeof expected) != 0)
      return false;
    at += size;
  }
  return at == index;
}

uint64_t capture_reader_find_index(const capture_reader *reader)
{
  const struct capture_index_entry *entries;
  uint64_t footer = find_footer(reader);
  uint64_t index, length;

  /* Only a reader that has the whole file in one map can compare; a grown file is walked anyway. */
  if (footer == 0 || reader->maps[reader->n_maps - 1].offset != 0)
    return 0;
  index = header_at(reader, footer).time_first;
  if (index > footer || !is_index(reader, index, footer))
    return 0;
  length = header_at(reader, index).length;
  entries = (const struct capture_index_entry *)capture_reader_bytes(reader, index + PART_SIZE);
  return index_tiles_file(reader, index, entries, length / sizeof *entries) ? index : 0;
}

/* What searching may spend on checksums, in bytes: a file made of false headers must not take forever. */
static uint64_t search_budget(const capture_reader *reader)
{
  return 16 * reader->size + (64u << 20);
}

/* The next whole part at or after `from`, or the file's size. */
static uint64_t search_part(const capture_reader *reader, uint64_t from, uint64_t *budget)
{
  for (uint64_t at = from; at + PART_SIZE <= reader->size; at += 8) {
    uint64_t size = capture_reader_part_size(reader, at, reader->size, false);

    if (size == 0)
      continue;
    if (size > *budget) {
      capture_reader_report(reader, at,
                            "too many headers whose checksums are wrong; the rest is not looked at");
      break;
    }
    *budget -= size;
    if (capture_reader_part_size(reader, at, reader->size, true) != 0)
      return at;
  }
  return reader->size;
}

int capture_reader_scan(capture_reader *reader, bool resync)
{
  uint64_t budget = search_budget(reader);
  uint64_t at = reader->end;

  while (at < reader->size) {
    int r;

    if (capture_reader_part_size(reader, at, reader->size, true) == 0) {
      uint64_t next = resync ? search_part(reader, at + 8, &budget) : reader->size;

      if (next == reader->size) {
        if (resync)
          capture_reader_report(reader, at, "no whole window stands between here and the end of the file");
        return 0;
      }
      capture_reader_report(reader, at, "damaged: no whole window stands here");
      at = next;
    }
    r = capture_reader_add_part(reader, at);
    if (r < 0)
      return r;
    at = reader->end;
  }
  return 0;
}
