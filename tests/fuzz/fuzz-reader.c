/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a capture. The first byte of an input says how: bit 0 puts the checksums right, so that
 * changes reach what is behind them; bit 1 walks instead of using the index; bit 2 lets the file grow from
 * its half. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "libcapture/capture-file-private.h"
#include "libcapture/capture-reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool decompress(void *out, size_t out_length, const void *in, size_t length, void *data)
{
  return ZSTD_decompress(out, out_length, in, length) == out_length;
}

static void note_problem(const struct capture_problem *problem, void *data)
{
  if (strlen(problem->message) == 0)
    abort();
}

static void put_checksums_right(uint8_t *bytes, size_t size)
{
  struct capture_file_header *header = (struct capture_file_header *)bytes;
  size_t at = sizeof *header;

  if (size < sizeof *header)
    return;
  header->crc = capture_header_crc(header);
  header->ended.crc = capture_ended_crc(&header->ended);
  while (size - at >= sizeof(struct capture_window_header)) {
    struct capture_window_header *part = (struct capture_window_header *)(bytes + at);

    if (sizeof *part + capture_padded(part->stored) > size - at)
      return;
    part->crc = capture_part_crc(part, part + 1);
    at += sizeof *part + capture_padded(part->stored);
  }
}

static void read_nodes(const struct capture_record_nodes *record)
{
  struct capture_nodes_position position = {0};
  struct capture_node node;
  uint32_t n = 0;

  while (capture_nodes_next(record, &position, &node))
    n++;
  if (n > record->nodes || n > record->record.count)
    abort();
}

static void read_records(const uint8_t *content, size_t length)
{
  const struct capture_record *record;
  size_t position = 0, valid = 0;

  while ((record = capture_records_next(content, length, &position))) {
    if (!capture_record_is_valid(record))
      continue;
    valid++;
    if (record->type == CAPTURE_RECORD_NODES)
      read_nodes((const struct capture_record_nodes *)record);
  }
  if (position > length || valid > length / 8)
    abort();
}

static void read_all(const capture_reader *reader)
{
  struct capture_file_header header;
  void *buffer = NULL;
  size_t buffer_size = 0;

  capture_reader_header(reader, &header);
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);
    const uint8_t *content;
    size_t length;

    if (part->offset >= capture_reader_end(reader))
      abort();
    if (capture_reader_content(reader, i, &buffer, &buffer_size, &content, &length) == 0)
      read_records(content, length);
  }
  free(buffer);
}

static void open_and_read(int fd, const uint8_t *bytes, size_t size, size_t first, bool scan)
{
  const struct capture_reader_options options = {
      .size = sizeof options, .decompress = decompress, .problem = note_problem, .scan = scan};
  capture_reader *reader;

  if (pwrite(fd, bytes, first, 0) != (ssize_t)first || capture_reader_open(&reader, fd, &options) < 0)
    return;
  read_all(reader);
  if (first < size && pwrite(fd, bytes + first, size - first, (off_t)first) == (ssize_t)(size - first) &&
      capture_reader_refresh(reader) > 0)
    read_all(reader);
  capture_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t *bytes;
  int fd;

  if (size < 1)
    return 0;
  bytes = malloc(size);
  fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (!bytes || fd < 0)
    abort();
  memcpy(bytes, data + 1, size - 1);
  if (data[0] & 1)
    put_checksums_right(bytes, size - 1);
  open_and_read(fd, bytes, size - 1, data[0] & 4 ? (size - 1) / 2 : size - 1, data[0] & 2);
  close(fd);
  free(bytes);
  return 0;
}
