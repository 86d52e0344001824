/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAPTURE_READER_PRIVATE_H
#define CAPTURE_READER_PRIVATE_H

#include "capture-reader.h"

/* A mapping of the file from `offset` on. It may be longer than the file: what is appended appears in it. */
struct capture_reader_map {
  const uint8_t *bytes;
  uint64_t offset; /* a multiple of the page size */
  uint64_t length;
};

#define CAPTURE_READER_MAPS 64 /* each is at least twice as long as the one before */

struct capture_reader_part {
  struct capture_part part; /* the header is a copy: it cannot change once it was checked */
  const uint8_t *stored;
};

struct capture_reader {
  int fd;
  bool has_index;
  struct capture_reader_options options;
  struct capture_file_header header;
  uint64_t size; /* of the file, when it was looked at last */
  uint64_t end;
  struct capture_reader_map maps[CAPTURE_READER_MAPS];
  size_t n_maps;
  struct capture_reader_part *parts;
  size_t n_parts;
  size_t parts_capacity;
};

void capture_reader_report(const capture_reader *reader, uint64_t offset, const char *message);
/* The bytes from offset to the end of the file; offset must lie in the last map. */
const uint8_t *capture_reader_bytes(const capture_reader *reader, uint64_t offset);
/* Bytes of the whole part at offset, when one stands there that ends at `end` or before; else 0. The checksum
 * is verified if `verify`. */
uint64_t capture_reader_part_size(const capture_reader *reader, uint64_t offset, uint64_t end, bool verify);
/* Takes up the part at offset, which was found good. 0 or -ENOMEM. */
int capture_reader_add_part(capture_reader *reader, uint64_t offset);

/* The file offset of a valid index before a valid footer at the end of the file, whose entries are the parts
 * before it; 0 when there is none. */
uint64_t capture_reader_find_index(const capture_reader *reader);
/* Takes up all parts from reader->end by walking; searches on where one is damaged if `resync`. 0 or -ENOMEM.
 */
int capture_reader_scan(capture_reader *reader, bool resync);

#endif
