/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/file/capture-crc32c.h"
#include "libcapture/file/capture-file-private.h"
#include "libcapture/file/capture-reader-private.h"

#define FILE_SIZE_MAX (INT64_C(1) << 46) /* a file with holes may claim to be of any length */

#define HEADER_SIZE sizeof(struct capture_file_header)
#define PART_SIZE   sizeof(struct capture_window_header)

void capture_reader_report(const capture_reader *reader, uint64_t offset, const char *message)
{
  const struct capture_problem problem = {.offset = offset, .message = message};

  if (reader->options.problem)
    reader->options.problem(&problem, reader->options.problem_data);
}

int capture_reader_read(const capture_reader *reader, uint64_t offset, void *bytes, size_t length)
{
  for (size_t done = 0; done < length;) {
    ssize_t n = pread(reader->fd, (uint8_t *)bytes + done, length - done, (off_t)(offset + done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? -errno : -ENODATA;
    done += (size_t)n;
  }
  return 0;
}

static int look_at_size(capture_reader *reader)
{
  struct stat st;

  if (fstat(reader->fd, &st) < 0)
    return -errno;
  if (!S_ISREG(st.st_mode))
    return -ENOMSG;
  if (st.st_size > FILE_SIZE_MAX)
    return -EFBIG;
  reader->size = (uint64_t)st.st_size;
  return 0;
}

static int check_header(const struct capture_file_header *header)
{
  if (header->byte_order == __builtin_bswap32(CAPTURE_BYTE_ORDER))
    return -EPROTONOSUPPORT;
  if (header->byte_order != CAPTURE_BYTE_ORDER)
    return -EBADMSG;
  if (header->crc != capture_header_crc(header))
    return header->major > CAPTURE_FORMAT_MAJOR ? -EPROTONOSUPPORT : -EBADMSG;
  if (header->major != CAPTURE_FORMAT_MAJOR)
    return -EPROTONOSUPPORT;
  return header->size == HEADER_SIZE ? 0 : -EBADMSG;
}

static int read_header(capture_reader *reader)
{
  struct capture_file_header *header = &reader->header;
  ssize_t n = pread(reader->fd, header, HEADER_SIZE, 0);
  size_t magic_size = n < (ssize_t)sizeof header->magic ? (size_t)(n < 0 ? 0 : n) : sizeof header->magic;

  if (n < 0)
    return -errno;
  if (memcmp(header->magic, CAPTURE_FILE_MAGIC, magic_size) != 0)
    return -ENOMSG;
  if (n < (ssize_t)HEADER_SIZE)
    return -ENODATA;
  return check_header(header);
}

static bool ended_is_valid(const struct capture_ended *ended)
{
  return ended->crc == capture_ended_crc(ended);
}

/* Whether a header's fields fit together, so far as it says of itself what its bytes are. */
static bool lengths_are_sane(const struct capture_window_header *header)
{
  if (header->length > CAPTURE_LENGTH_MAX)
    return false;
  if ((header->flags & CAPTURE_WINDOW_ZSTD) == 0)
    return header->stored == header->length;
  return capture_compressed_length_is_allowed(header->length, header->stored);
}

static bool checksum_is_right(const capture_reader *reader, uint64_t offset,
                              const struct capture_window_header *header)
{
  struct capture_window_header copy = *header;
  uint8_t bytes[CAPTURE_READER_CHUNK];
  uint32_t crc, n;

  copy.crc = 0;
  crc = capture_crc32c(0, &copy, sizeof copy);
  offset += sizeof copy;
  for (uint32_t left = header->stored; left > 0; left -= n, offset += n) {
    n = left < sizeof bytes ? left : (uint32_t)sizeof bytes;
    if (capture_reader_read(reader, offset, bytes, n) < 0)
      return false;
    crc = capture_crc32c(crc, bytes, n);
  }
  return crc == header->crc;
}

uint64_t capture_reader_read_part(const capture_reader *reader, uint64_t offset, uint64_t end, bool verify,
                                  struct capture_window_header *ret)
{
  struct capture_window_header header;
  uint64_t size;

  if (offset > end || end - offset < PART_SIZE ||
      capture_reader_read(reader, offset, &header, sizeof header) < 0 || header.magic != CAPTURE_WINDOW_MAGIC)
    return 0;
  size = PART_SIZE + capture_padded(header.stored);
  if (size > end - offset || !lengths_are_sane(&header))
    return 0;
  if (verify && !checksum_is_right(reader, offset, &header))
    return 0;
  *ret = header;
  return size;
}

static void check_padding(const capture_reader *reader, uint64_t offset,
                          const struct capture_window_header *header)
{
  static const uint8_t zeroes[8];
  uint8_t bytes[8];
  size_t n = (size_t)(capture_padded(header->stored) - header->stored);

  offset += PART_SIZE + header->stored;
  if (capture_reader_read(reader, offset, bytes, n) == 0 && memcmp(bytes, zeroes, n) != 0)
    capture_reader_report(reader, offset, "padding is not zero");
}

int capture_reader_add_part(capture_reader *reader, uint64_t offset,
                            const struct capture_window_header *header)
{
  if (reader->n_parts == reader->parts_capacity) {
    size_t capacity = reader->parts_capacity ? reader->parts_capacity * 2 : 64;
    void *parts = reallocarray(reader->parts, capacity, sizeof reader->parts[0]);

    if (!parts)
      return -ENOMEM;
    reader->parts = parts;
    reader->parts_capacity = capacity;
  }
  reader->parts[reader->n_parts++] = (struct capture_part){.offset = offset, .header = *header};
  check_padding(reader, offset, header);
  reader->end = offset + PART_SIZE + capture_padded(header->stored);
  return 0;
}

/* The index has been found good; the headers tell where each part ends just as well. */
static int take_up_indexed(capture_reader *reader)
{
  struct capture_window_header header;
  int r = 0;

  while (r == 0 && capture_reader_read_part(reader, reader->end, reader->size, false, &header) != 0)
    r = capture_reader_add_part(reader, reader->end, &header);
  return r;
}

static int open_reader(capture_reader *reader)
{
  int r = look_at_size(reader);

  if (r == 0)
    r = read_header(reader);
  if (r < 0)
    return r;
  reader->end = HEADER_SIZE;
  if (!ended_is_valid(&reader->header.ended))
    capture_reader_report(reader, offsetof(struct capture_file_header, ended),
                          "the checksum of how the recording ended is wrong");
  reader->has_index = capture_reader_find_index(reader);
  if (reader->has_index && !reader->options.scan)
    return take_up_indexed(reader);
  return capture_reader_scan(reader, true);
}

int capture_reader_open(capture_reader **ret, int fd, const struct capture_reader_options *options)
{
  capture_reader *reader = calloc(1, sizeof *reader);
  int r;

  if (!reader)
    return -ENOMEM;
  if (options)
    reader->options = *options;
  reader->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  r = reader->fd < 0 ? -errno : open_reader(reader);
  if (r < 0) {
    capture_reader_close(reader);
    return r;
  }
  *ret = reader;
  return 0;
}

void capture_reader_close(capture_reader *reader)
{
  if (!reader)
    return;
  if (reader->fd >= 0)
    close(reader->fd);
  free(reader->parts);
  free(reader);
}

int64_t capture_reader_refresh(capture_reader *reader)
{
  size_t before = reader->n_parts;
  uint64_t size = reader->size;
  int r = look_at_size(reader);

  if (r < 0)
    return r;
  if (reader->size <= size) {
    reader->size = size;
    return 0;
  }
  r = capture_reader_scan(reader, false);
  reader->has_index = r == 0 && capture_reader_find_index(reader);
  return r < 0 ? r : (int64_t)(reader->n_parts - before);
}

void capture_reader_header(const capture_reader *reader, struct capture_file_header *ret)
{
  struct capture_ended ended;
  const off_t at = offsetof(struct capture_file_header, ended);

  *ret = reader->header;
  if (pread(reader->fd, &ended, sizeof ended, at) == sizeof ended && ended_is_valid(&ended))
    ret->ended = ended;
  else
    ret->ended = (struct capture_ended){0};
}

bool capture_reader_has_index(const capture_reader *reader)
{
  return reader->has_index;
}

uint64_t capture_reader_end(const capture_reader *reader)
{
  return reader->end;
}

uint64_t capture_reader_size(const capture_reader *reader)
{
  return reader->size;
}

size_t capture_reader_n_parts(const capture_reader *reader)
{
  return reader->n_parts;
}

const struct capture_part *capture_reader_part(const capture_reader *reader, size_t number)
{
  return &reader->parts[number];
}
