/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAPTURE_READER_PRIVATE_H
#define CAPTURE_READER_PRIVATE_H

#include "libcapture/file/capture-reader.h"

/* Bytes that are looked at at once where a part need not be held whole. */
#define CAPTURE_READER_CHUNK 16384

struct capture_reader {
  int fd;
  bool has_index;
  struct capture_reader_options options;
  struct capture_file_header header;
  uint64_t size; /* of the file, when it was looked at last */
  uint64_t end;
  struct capture_part *parts; /* headers are copies: they cannot change once they were checked */
  size_t n_parts;
  size_t parts_capacity;
};

void capture_reader_report(const capture_reader *reader, uint64_t offset, const char *message);
/* Copies that many bytes of the file. 0, -ENODATA when it ends before, another -errno. */
int capture_reader_read(const capture_reader *reader, uint64_t offset, void *bytes, size_t length);
/* Bytes of the whole part at offset, when one stands there that ends at `end` or before; else 0. The checksum
 * is verified if `verify`. */
uint64_t capture_reader_read_part(const capture_reader *reader, uint64_t offset, uint64_t end, bool verify,
                                  struct capture_window_header *ret);
/* Takes up the part at offset, which was found good. 0 or -ENOMEM. */
int capture_reader_add_part(capture_reader *reader, uint64_t offset,
                            const struct capture_window_header *header);

/* Whether a valid index stands before a valid footer at the end of the file, whose entries are the parts
 * before it. */
bool capture_reader_find_index(const capture_reader *reader);
/* Takes up all parts from reader->end by walking; searches on where one is damaged if `resync`. 0 or -ENOMEM.
 */
int capture_reader_scan(capture_reader *reader, bool resync);

#endif
