/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a capture: a file, finished, cut off or still growing. Every byte is treated as
 * hostile: nothing is believed before it was checked, and no input makes these functions crash or
 * loop. They allocate no more than the file is long, and for a compressed part at most what docs/format.md
 * lets its length be (twice, when it is shuffled). The file is never mapped: bytes are copied before they are
 * checked, so that whoever writes or truncates it meanwhile changes nothing that was found good, and raises
 * no signal.
 *
 * After opening, everything but capture_reader_refresh may be called from many threads at once.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcapture/format/capture-format.h"

typedef struct capture_reader capture_reader;

/* Called from as many threads at once as capture_reader_content is. Decompresses one zstd frame of `length`
 * bytes into exactly `out_length` bytes; false when it is damaged. */
typedef bool (*capture_decompress_fn)(void *out, size_t out_length, const void *in, size_t length,
                                      void *data);

/* Something wrong with the file, for `check`. */
struct capture_problem {
  uint64_t offset;     /* in the file */
  const char *message; /* static text, a lower-case clause without a full stop */
};
typedef void (*capture_problem_fn)(const struct capture_problem *problem, void *data);

struct capture_reader_options {
  size_t size;                      /* sizeof (struct capture_reader_options) */
  capture_decompress_fn decompress; /* NULL: compressed parts are -ENOTSUP */
  void *decompress_data;
  bool scan;                  /* do not use the index even if there is one */
  capture_problem_fn problem; /* told while opening; NULL: nobody */
  void *problem_data;
};

/* One part of a window, in file order. */
struct capture_part {
  uint64_t offset; /* of its header in the file */
  struct capture_window_header header;
};

/*
 * Opens the capture in fd (kept by the caller, may be closed afterwards). Without a usable index the parts
 * are found by scanning; scanning stops at the first header that makes no sense, and searches on (at
 * multiples of 8) for one whose checksum is right. Returns 0, -ENOMSG (no capture), -EPROTONOSUPPORT (a newer
 * major version, or another byte order), -ENODATA (empty or shorter than a header), -EBADMSG (header
 * damaged), another -errno.
 */
int capture_reader_open(capture_reader **ret, int fd, const struct capture_reader_options *options);
void capture_reader_close(capture_reader *reader);

/* Looks for parts that were appended since; returns how many, or a negative errno. Parts already given out
 * keep their numbers, but pointers from capture_reader_part become invalid. No other function may run
 * meanwhile. */
int64_t capture_reader_refresh(capture_reader *reader);

/* A copy, checked; `ended` is read afresh from the file. */
void capture_reader_header(const capture_reader *reader, struct capture_file_header *ret);
/* True when the file ends with a valid footer and index: the recording was finished in good order. */
bool capture_reader_has_index(const capture_reader *reader);
/* Where the last whole part ends, and how long the file is: equal in an undamaged file. */
uint64_t capture_reader_end(const capture_reader *reader);
uint64_t capture_reader_size(const capture_reader *reader);

/* Parts in the order of the file; number counts from 0. A part is the reader's, and valid until a refresh. */
size_t capture_reader_n_parts(const capture_reader *reader);
const struct capture_part *capture_reader_part(const capture_reader *reader, size_t number);

/* The content of a part, somewhere in *buffer, which is grown with realloc as needed and freed by the caller
 * (start with NULL and 0). Verifies the checksum. Returns 0, -EBADMSG (damaged), -ENODATA (the file has
 * become too short for it), -ENOTSUP, -ENOMEM, another -errno of reading. */
int capture_reader_content(const capture_reader *reader, size_t number, void **buffer, size_t *buffer_size,
                           const uint8_t **ret_content, size_t *ret_length);

/* Walks the records of a content: the next record, or NULL at the end or at a record whose size makes no
 * sense (then *position < length). Start with *position 0. The record's size is within length; its
 * fixed part and count items are checked with capture_record_is_valid. */
const struct capture_record *capture_records_next(const uint8_t *content, size_t length, size_t *position);
/* True when the type is known and the size holds its fixed part, its count items and its strings with their
 * NUL. */
bool capture_record_is_valid(const struct capture_record *record);

/* A stack node: frame on top of parent. Or a join: kernel on top of parent, which is the user's node. */
struct capture_node {
  uint32_t id;
  uint32_t parent;
  bool join;
  uint32_t frame;
  uint32_t kernel;
};

/* Where reading has come to; start with zeroes. */
struct capture_nodes_position {
  uint32_t item;
  uint32_t node;
  uint32_t current;
};

/* The next node that a valid record defines; false after the last one. Never more than record->nodes, whose
 * identifiers ascend from record->first (and wrap in a hostile record). Nothing is said of what they refer
 * to. */
bool capture_nodes_next(const struct capture_record_nodes *record, struct capture_nodes_position *position,
                        struct capture_node *ret);

#endif
