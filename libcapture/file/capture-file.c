/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "libcapture/file/capture-crc32c.h"
#include "libcapture/file/capture-file-private.h"

/* Below this compression costs more time than it saves bytes. */
#define COMPRESS_MIN 256u
#define TEXT_MAX     65536u

struct capture_file {
  int fd;
  bool cut;        /* something may stand behind the last whole part */
  uint64_t offset; /* where the last whole part ends */
  capture_compress_fn compress;
  void *compress_data;
  uint32_t next_stream;
  uint32_t sequence; /* last window of stream 0 */

  uint8_t *shuffled;
  uint8_t *compressed;
  size_t buffer_size; /* of each */
  struct capture_index_entry *index;
  size_t n_index;
  size_t index_capacity;
};

#if defined __x86_64__
#define MACHINE EM_X86_64
#elif defined __aarch64__
#define MACHINE EM_AARCH64
#elif defined __riscv
#define MACHINE EM_RISCV
#elif defined __powerpc64__
#define MACHINE EM_PPC64
#elif defined __s390x__
#define MACHINE EM_S390
#elif defined __i386__
#define MACHINE EM_386
#elif defined __arm__
#define MACHINE EM_ARM
#else
#define MACHINE EM_NONE
#endif

uint32_t capture_header_crc(const struct capture_file_header *header)
{
  struct capture_file_header copy = *header;

  copy.crc = 0;
  return capture_crc32c(0, &copy, offsetof(struct capture_file_header, ended));
}

uint32_t capture_ended_crc(const struct capture_ended *ended)
{
  struct capture_ended copy = *ended;

  copy.crc = 0;
  return capture_crc32c(0, &copy, sizeof copy);
}

uint32_t capture_part_crc(const struct capture_window_header *header, const void *stored)
{
  struct capture_window_header copy = *header;

  copy.crc = 0;
  return capture_crc32c(capture_crc32c(0, &copy, sizeof copy), stored, header->stored);
}

struct capture_index_entry capture_index_entry_of(const struct capture_window_header *header, uint64_t offset)
{
  return (struct capture_index_entry){.offset = offset,
                                      .time_first = header->time_first,
                                      .time_last = header->time_last,
                                      .stream = header->stream,
                                      .epoch = header->epoch,
                                      .length = header->length,
                                      .stored = header->stored,
                                      .kind = header->kind,
                                      .event = header->event,
                                      .entry_size = header->entry_size,
                                      .flags = header->flags};
}

uint32_t capture_file_next_sequence(capture_file *file)
{
  return ++file->sequence;
}

static int64_t file_now(clockid_t clock)
{
  struct timespec ts;

  clock_gettime(clock, &ts);
  return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int hex_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_boot_id(uint8_t boot_id[16])
{
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  char text[64];
  ssize_t n;
  int digits = 0;

  if (fd < 0)
    return;
  n = read(fd, text, sizeof text);
  close(fd);
  for (ssize_t i = 0; i < n && digits < 32; i++) {
    int digit = hex_digit(text[i]);

    if (digit >= 0) {
      boot_id[digits / 2] = (uint8_t)(boot_id[digits / 2] << 4 | digit);
      digits++;
    }
  }
}

static void describe_machine(struct capture_file_header *header)
{
  header->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
  header->machine = MACHINE;
  read_boot_id(header->boot_id);
}

/* All of it at that offset: 0 or -errno. */
static int write_all(int fd, struct iovec *iov, int n, uint64_t offset)
{
  while (n > 0) {
    ssize_t written = pwritev(fd, iov, n, (off_t)offset);

    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? -errno : -EIO;
    offset += (uint64_t)written;
    for (; n > 0 && (size_t)written >= iov->iov_len; iov++, n--)
      written -= (ssize_t)iov->iov_len;
    if (n > 0) {
      iov->iov_base = (char *)iov->iov_base + written;
      iov->iov_len -= (size_t)written;
    }
  }
  return 0;
}

static int write_header(int fd, const struct capture_file_options *options)
{
  struct capture_file_header header = {.major = CAPTURE_FORMAT_MAJOR,
                                       .minor = CAPTURE_FORMAT_MINOR,
                                       .size = sizeof header,
                                       .byte_order = CAPTURE_BYTE_ORDER};
  struct iovec iov = {&header, sizeof header};
  int r;

  memcpy(header.magic, CAPTURE_FILE_MAGIC, sizeof header.magic);
  if (!options || !options->foreign)
    describe_machine(&header);
  header.time = options && options->time ? options->time : (uint64_t)file_now(CLOCK_MONOTONIC);
  header.time_realtime =
      options && options->time_realtime ? options->time_realtime : file_now(CLOCK_REALTIME);
  header.clock = (uint16_t)(options ? options->clock : CAPTURE_CLOCK_MONOTONIC);
  if (getrandom(header.uuid, sizeof header.uuid, 0) != sizeof header.uuid)
    return -errno;
  header.uuid[6] = (uint8_t)((header.uuid[6] & 0x0f) | 0x40);
  header.uuid[8] = (uint8_t)((header.uuid[8] & 0x3f) | 0x80);
  header.crc = capture_header_crc(&header);
  header.ended.crc = capture_ended_crc(&header.ended);
  r = write_all(fd, &iov, 1, 0);
  if (r < 0 && ftruncate(fd, 0) < 0)
    return r;
  return r;
}

static capture_file *new_file(int fd, uint64_t offset, const struct capture_file_options *options)
{
  capture_file *file = calloc(1, sizeof *file);

  if (!file)
    return NULL;
  file->fd = fd;
  file->offset = offset;
  file->next_stream = 1;
  if (options) {
    file->compress = options->compress;
    file->compress_data = options->compress_data;
  }
  return file;
}

int capture_file_create(capture_file **ret, int fd, const struct capture_file_options *options)
{
  capture_file *file;
  struct stat st;
  int r;

  if (fstat(fd, &st) < 0)
    return -errno;
  if (!S_ISREG(st.st_mode))
    return -ESPIPE;
  if (st.st_size != 0)
    return -EEXIST;
  file = new_file(fd, sizeof(struct capture_file_header), options);
  if (!file)
    return -ENOMEM;
  r = write_header(fd, options);
  if (r < 0) {
    capture_file_free(file);
    return r;
  }
  *ret = file;
  return 0;
}

void capture_file_free(capture_file *file)
{
  if (!file)
    return;
  free(file->shuffled);
  free(file->compressed);
  free(file->index);
  free(file);
}

static int grow_index(capture_file *file, size_t capacity)
{
  void *index = reallocarray(file->index, capacity, sizeof file->index[0]);

  if (!index)
    return -ENOMEM;
  file->index = index;
  file->index_capacity = capacity;
  return 0;
}

int capture_file_reserve(capture_file *file, size_t parts)
{
  return parts > file->index_capacity ? grow_index(file, parts) : 0;
}

bool capture_file_has_room(const capture_file *file, size_t parts)
{
  return parts <= file->index_capacity - file->n_index;
}

static int add_index_entry(capture_file *file, const struct capture_window_header *header, uint64_t offset)
{
  int r = 0;

  if (file->n_index == file->index_capacity)
    r = grow_index(file, file->index_capacity ? file->index_capacity * 2 : 64);
  if (r < 0)
    return r;
  file->index[file->n_index++] = capture_index_entry_of(header, offset);
  return 0;
}

/* Takes up one part that stands at file->offset. */
static int take_up_part(capture_file *file, uint64_t end)
{
  struct capture_window_header header;
  ssize_t n;
  int r;

  n = pread(file->fd, &header, sizeof header, (off_t)file->offset);
  if (n < 0)
    return -errno;
  if (n != sizeof header || header.magic != CAPTURE_WINDOW_MAGIC ||
      sizeof header + capture_padded(header.stored) > end - file->offset)
    return -EBADMSG;
  r = add_index_entry(file, &header, file->offset);
  if (r < 0)
    return r;
  file->offset += sizeof header + capture_padded(header.stored);
  if (header.stream == 0 && header.sequence > file->sequence)
    file->sequence = header.sequence;
  if (header.stream >= file->next_stream && header.stream < UINT32_MAX)
    file->next_stream = header.stream + 1;
  return 0;
}

int capture_file_continue(capture_file **ret, int fd, uint64_t offset,
                          const struct capture_file_options *options)
{
  struct capture_file_header header;
  capture_file *file;
  int r = 0;

  if (pread(fd, &header, sizeof header, 0) != sizeof header || header.crc != capture_header_crc(&header) ||
      offset < header.size || offset % 8 != 0)
    return -EBADMSG;
  file = new_file(fd, header.size, options);
  if (!file)
    return -ENOMEM;
  while (r == 0 && file->offset < offset)
    r = take_up_part(file, offset);
  if (r < 0) {
    capture_file_free(file);
    return r;
  }
  file->cut = true;
  *ret = file;
  return 0;
}

static int grow_buffers(capture_file *file, size_t size)
{
  void *buffer;

  if (size <= file->buffer_size)
    return 0;
  buffer = realloc(file->shuffled, size);
  if (!buffer)
    return -ENOMEM;
  file->shuffled = buffer;
  buffer = realloc(file->compressed, size);
  if (!buffer)
    return -ENOMEM;
  file->compressed = buffer;
  file->buffer_size = size;
  return 0;
}

static void file_shuffle(uint8_t *out, const uint8_t *in, size_t length, size_t entry_size)
{
  size_t n = length / entry_size;

  for (size_t plane = 0; plane < entry_size; plane++, out += n) {
    for (size_t entry = 0; entry < n; entry++)
      out[entry] = in[entry * entry_size + plane];
  }
}

/* What of a part is stored; sets stored and flags. Where memory is short it is stored as it is. */
static const void *compress_part(capture_file *file, struct capture_window_header *header,
                                 const void *content)
{
  size_t capacity = header->length - header->length / 16;
  const void *in = content;
  uint16_t flags = CAPTURE_WINDOW_ZSTD;
  size_t stored;

  if (!file->compress || header->length < COMPRESS_MIN || header->kind == CAPTURE_WINDOW_INDEX ||
      grow_buffers(file, header->length) < 0)
    return content;
  if (capture_shuffle_size(header) != 0) {
    file_shuffle(file->shuffled, content, header->length, capture_shuffle_size(header));
    in = file->shuffled;
    flags |= CAPTURE_WINDOW_SHUFFLED;
  }
  stored = file->compress(file->compressed, capacity, in, header->length, file->compress_data);
  if (stored == 0 || stored > capacity ||
      !capture_compressed_length_is_allowed(header->length, (uint32_t)stored))
    return content;
  header->stored = (uint32_t)stored;
  header->flags |= flags;
  return file->compressed;
}

/* Cuts off what a failed write, or the file's previous writer, left behind the last whole part. */
static int cut_tail(capture_file *file)
{
  if (file->cut && ftruncate(file->fd, (off_t)file->offset) < 0)
    return -errno;
  file->cut = false;
  return 0;
}

static int write_part(capture_file *file, const struct capture_window_header *header, const void *stored)
{
  static const uint8_t zeroes[8];
  uint64_t padding = capture_padded(header->stored) - header->stored;
  struct iovec iov[3] = {
      {(void *)header, sizeof *header}, {(void *)stored, header->stored}, {(void *)zeroes, padding}};
  int r = cut_tail(file);

  if (r == 0)
    r = add_index_entry(file, header, file->offset);
  if (r < 0)
    return r;
  r = write_all(file->fd, iov, 3, file->offset);
  if (r < 0) {
    file->n_index--;
    file->cut = true;
    cut_tail(file);
    return r;
  }
  file->offset += sizeof *header + header->stored + padding;
  return 0;
}

int capture_file_append(capture_file *file, const struct capture_window_header *header, const void *content)
{
  struct capture_window_header part = *header;
  const void *stored;

  if (part.length > CAPTURE_LENGTH_MAX)
    return -EFBIG;
  part.magic = CAPTURE_WINDOW_MAGIC;
  part.flags &= CAPTURE_WINDOW_CLOSED;
  part.stored = part.length;
  stored = compress_part(file, &part, content);
  part.crc = capture_part_crc(&part, stored);
  /* Windows of ours that follow must not take a number that the caller took. */
  if (part.stream == 0 && part.sequence > file->sequence)
    file->sequence = part.sequence;
  return write_part(file, &part, stored);
}

static int append_own(capture_file *file, uint16_t kind, const void *content, size_t length)
{
  const struct capture_window_header header = {.kind = kind,
                                               .flags = CAPTURE_WINDOW_CLOSED,
                                               .sequence = capture_file_next_sequence(file),
                                               .length = (uint32_t)length};

  return length > CAPTURE_LENGTH_MAX ? -EFBIG : capture_file_append(file, &header, content);
}

/* A meta record with a fixed part and up to two texts after it, each with its NUL. */
static int append_meta(capture_file *file, struct capture_record *fixed, size_t fixed_size, const char *first,
                       const char *second)
{
  size_t first_size = strlen(first) + 1;
  size_t second_size = second ? strlen(second) + 1 : 0;
  size_t size = capture_padded(fixed_size + first_size + second_size);
  uint8_t *record = calloc(1, size);
  int r;

  if (!record)
    return -ENOMEM;
  fixed->size = (uint32_t)size;
  memcpy(record, fixed, fixed_size);
  memcpy(record + fixed_size, first, first_size);
  if (second)
    memcpy(record + fixed_size + first_size, second, second_size);
  r = append_own(file, CAPTURE_WINDOW_META, record, size);
  free(record);
  return r;
}

int64_t capture_file_add_stream(capture_file *file, uint32_t kind, int32_t pid, const char *name)
{
  struct capture_record_stream stream = {
      .record.type = CAPTURE_RECORD_STREAM, .id = file->next_stream, .kind = kind, .pid = pid};
  size_t length = strlen(name);
  int r;

  if (length > TEXT_MAX || file->next_stream == UINT32_MAX)
    return -EINVAL;
  stream.length = (uint32_t)length;
  r = append_meta(file, &stream.record, sizeof stream, name, NULL);
  return r < 0 ? r : (int64_t)file->next_stream++;
}

int capture_file_add_metadata(capture_file *file, const char *key, const char *value)
{
  struct capture_record_metadata metadata = {.record.type = CAPTURE_RECORD_METADATA};
  size_t key_length = strlen(key), value_length = strlen(value);

  if (key_length > TEXT_MAX || value_length > TEXT_MAX * 64)
    return -EINVAL;
  metadata.key_length = (uint32_t)key_length;
  metadata.value_length = (uint32_t)value_length;
  return append_meta(file, &metadata.record, sizeof metadata, key, value);
}

int capture_file_add_message(capture_file *file, uint64_t time, uint32_t severity, const char *text)
{
  struct capture_record_message message = {
      .record.type = CAPTURE_RECORD_MESSAGE, .time = time, .severity = severity};
  size_t length = strlen(text);

  if (length > TEXT_MAX)
    return -EINVAL;
  message.length = (uint32_t)length;
  return append_meta(file, &message.record, sizeof message, text, NULL);
}

int capture_file_add_index(capture_file *file)
{
  struct capture_window_header footer = {
      .kind = CAPTURE_WINDOW_FOOTER, .flags = CAPTURE_WINDOW_CLOSED, .time_first = file->offset};
  size_t length;
  struct capture_index_entry *index;
  int r;

  if (__builtin_mul_overflow(file->n_index, sizeof *index, &length))
    return -EFBIG;
  /* A copy: appending the index adds an entry to the index in memory. */
  index = malloc(length ? length : 1);
  if (!index)
    return -ENOMEM;
  if (length > 0)
    memcpy(index, file->index, length);
  r = append_own(file, CAPTURE_WINDOW_INDEX, index, length);
  free(index);
  if (r < 0)
    return r;
  footer.sequence = capture_file_next_sequence(file);
  return capture_file_append(file, &footer, NULL);
}

int capture_file_end(capture_file *file, uint32_t reason, int32_t status, uint64_t time)
{
  struct capture_ended ended = {.reason = reason, .status = status};
  struct iovec iov = {&ended, sizeof ended};

  ended.time = time ? time : (uint64_t)file_now(CLOCK_MONOTONIC);
  ended.crc = capture_ended_crc(&ended);
  return write_all(file->fd, &iov, 1, offsetof(struct capture_file_header, ended));
}

uint64_t capture_file_size(const capture_file *file)
{
  return file->offset;
}
