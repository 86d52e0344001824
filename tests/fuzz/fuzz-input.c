/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/fuzz-input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/file/capture-file-private.h"

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

bool fuzz_input_open(struct fuzz_input *input, const uint8_t *data, size_t size)
{
  if (size < 1)
    return false;
  *input = (struct fuzz_input){
      .how = data[0], .bytes = malloc(size), .size = size - 1, .fd = memfd_create("fuzz", MFD_CLOEXEC)};
  if (!input->bytes || input->fd < 0)
    abort();
  memcpy(input->bytes, data + 1, input->size);
  if (input->how & 1)
    put_checksums_right(input->bytes, input->size);
  return true;
}

void fuzz_input_close(struct fuzz_input *input)
{
  close(input->fd);
  free(input->bytes);
}
