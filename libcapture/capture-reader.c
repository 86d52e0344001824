/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture-file-private.h"
#include "capture-reader-private.h"

/* Address space beyond the end of the file, so that a growing one is not mapped anew each time. */
#define MAP_AHEAD (64u << 20)

#define HEADER_SIZE sizeof(struct capture_file_header)
#define PART_SIZE   sizeof(struct capture_window_header)

void capture_reader_report(const capture_reader *reader, uint64_t offset, const char *message)
{
  const struct capture_problem problem = {.offset = offset, .message = message};

  if (reader->options.problem)
    reader->options.problem(&problem, reader->options.problem_data);
}

const uint8_t *capture_reader_bytes(const capture_reader *reader, uint64_t offset)
{
  const struct capture_reader_map *map = &reader->maps[reader->n_maps - 1];

  return map->bytes + (offset - map->offset);
}

/* Makes the file readable from reader->end on. */
static int map_file(capture_reader *reader)
{
  const struct capture_reader_map *last = reader->n_maps ? &reader->maps[reader->n_maps - 1] : NULL;
  uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t offset = reader->end & ~(page_size - 1);
  uint64_t needed = reader->size - offset;
  uint64_t length;
  void *bytes;

  if (last && reader->size <= last->offset + last->length)
    return 0;
  if (reader->n_maps == CAPTURE_READER_MAPS)
    return -ENOMEM;
  if (reader->size > INT64_MAX / 4)
    return -EFBIG;
  length = needed + reader->size + MAP_AHEAD;
  bytes = mmap(NULL, length, PROT_READ, MAP_SHARED, reader->fd, (off_t)offset);
  if (bytes == MAP_FAILED)
    return -errno;
  reader->maps[reader->n_maps++] =
      (struct capture_reader_map){.bytes = bytes, .offset = offset, .length = length};
  return 0;
}

static int look_at_size(capture_reader *reader)
{
  struct stat st;

  if (fstat(reader->fd, &st) < 0)
    return -errno;
  if (!S_ISREG(st.st_mode))
    return -ENOMSG;
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
  return ended->crc == capture_ended_crc(ended) && ended->reserved == 0;
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

uint64_t capture_reader_part_size(const capture_reader *reader, uint64_t offset, uint64_t end, bool verify)
{
  const struct capture_window_header *in_place;
  struct capture_window_header header;
  uint64_t size;

  if (offset > end || end - offset < PART_SIZE)
    return 0;
  in_place = (const struct capture_window_header *)capture_reader_bytes(reader, offset);
  if (in_place->magic != CAPTURE_WINDOW_MAGIC)
    return 0;
  header = *in_place;
  size = PART_SIZE + capture_padded(header.stored);
  if (size > end - offset || !lengths_are_sane(&header))
    return 0;
  if (verify && header.crc != capture_part_crc(&header, in_place + 1))
    return 0;
  return size;
}

static void check_padding(const capture_reader *reader, uint64_t offset,
                          const struct capture_window_header *header)
{
  const uint8_t *stored = capture_reader_bytes(reader, offset + PART_SIZE);

  for (uint64_t i = header->stored; i < capture_padded(header->stored); i++) {
    if (stored[i] != 0) {
      capture_reader_report(reader, offset + PART_SIZE + i, "padding is not zero");
      return;
    }
  }
}

int capture_reader_add_part(capture_reader *reader, uint64_t offset)
{
  struct capture_reader_part *part;

  if (reader->n_parts == reader->parts_capacity) {
    size_t capacity = reader->parts_capacity ? reader->parts_capacity * 2 : 64;
    void *parts = reallocarray(reader->parts, capacity, sizeof reader->parts[0]);

    if (!parts)
      return -ENOMEM;
    reader->parts = parts;
    reader->parts_capacity = capacity;
  }
  part = &reader->parts[reader->n_parts++];
  part->part.offset = offset;
  memcpy(&part->part.header, capture_reader_bytes(reader, offset), PART_SIZE);
  part->stored = capture_reader_bytes(reader, offset + PART_SIZE);
  check_padding(reader, offset, &part->part.header);
  reader->end = offset + PART_SIZE + capture_padded(part->part.header.stored);
  return 0;
}

/* The index has been found good; the headers tell where each part ends just as well. */
static int take_up_indexed(capture_reader *reader)
{
  while (reader->end < reader->size) {
    int r = capture_reader_add_part(reader, reader->end);

    if (r < 0)
      return r;
  }
  return 0;
}

static int open_reader(capture_reader *reader)
{
  int r = look_at_size(reader);

  if (r == 0)
    r = read_header(reader);
  if (r < 0)
    return r;
  reader->end = 0;
  r = map_file(reader);
  if (r < 0)
    return r;
  reader->end = HEADER_SIZE;
  if (!ended_is_valid(&reader->header.ended))
    capture_reader_report(reader, offsetof(struct capture_file_header, ended),
                          "the checksum of how the recording ended is wrong");
  reader->has_index = capture_reader_find_index(reader) != 0;
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
  for (size_t i = 0; i < reader->n_maps; i++)
    munmap((void *)reader->maps[i].bytes, reader->maps[i].length);
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
  r = map_file(reader);
  if (r == 0)
    r = capture_reader_scan(reader, false);
  reader->has_index = r == 0 && capture_reader_find_index(reader) != 0;
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
  return &reader->parts[number].part;
}
