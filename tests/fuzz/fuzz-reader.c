/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes (fuzz-input.h) as a capture. Bit 1 walks instead of using the index; bit 2 lets the file
 * grow from its half. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "libcapture/file/capture-reader.h"
#include "libcapture/format/capture-format.h"
#include "tests/fuzz/fuzz-input.h"

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

static void open_and_read(const struct fuzz_input *input)
{
  const struct capture_reader_options options = {.size = sizeof options,
                                                 .decompress = decompress,
                                                 .problem = note_problem,
                                                 .scan = (input->how & 2) != 0};
  size_t first = input->how & 4 ? input->size / 2 : input->size, rest = input->size - first;
  capture_reader *reader;

  if (pwrite(input->fd, input->bytes, first, 0) != (ssize_t)first ||
      capture_reader_open(&reader, input->fd, &options) < 0)
    return;
  read_all(reader);
  if (rest > 0 && pwrite(input->fd, input->bytes + first, rest, (off_t)first) == (ssize_t)rest &&
      capture_reader_refresh(reader) > 0)
    read_all(reader);
  capture_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct fuzz_input input;

  if (!fuzz_input_open(&input, data, size))
    return 0;
  open_and_read(&input);
  fuzz_input_close(&input);
  return 0;
}
