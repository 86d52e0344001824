/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are damaged, cut off, still growing, continued, or on a disk that is full. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcapture/file/capture-crc32c.h"
#include "libcapture/file/capture-file-private.h"
#include "tests/unit/libcapture/support.h"

static const struct capture_file_options compressing = {.size = sizeof compressing,
                                                        .compress = test_compress};

static void count_problem(const struct capture_problem *problem, void *data)
{
  g_assert_nonnull(problem->message);
  (*(unsigned *)data)++;
}

static int open_counting(capture_reader **reader, int fd, bool scan, unsigned *n_problems)
{
  const struct capture_reader_options options = {.size = sizeof options,
                                                 .decompress = test_decompress,
                                                 .problem = count_problem,
                                                 .problem_data = n_problems,
                                                 .scan = scan};

  *n_problems = 0;
  return capture_reader_open(reader, fd, &options);
}

/* Reads all that can be read; returns how many parts could not. */
static unsigned read_all(const capture_reader *reader)
{
  void *buffer = NULL;
  size_t buffer_size = 0;
  unsigned bad = 0;

  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const uint8_t *content;
    size_t length, position = 0;

    if (capture_reader_content(reader, i, &buffer, &buffer_size, &content, &length) < 0)
      bad++;
    else if (capture_reader_part(reader, i)->header.kind == CAPTURE_WINDOW_DICTIONARY) {
      const struct capture_record *record;

      while ((record = capture_records_next(content, length, &position)))
        capture_record_is_valid(record);
    }
  }
  free(buffer);
  return bad;
}

/* A small capture with every kind of part, some compressed and shuffled. */
static TestCapture *small_capture(void)
{
  TestCapture *t = g_new0(TestCapture, 1);
  uint32_t frame;

  t->fd = test_memfd();
  g_assert_cmpint(capture_file_create(&t->file, t->fd, &compressing), ==, 0);
  g_assert_cmpint(capture_file_add_stream(t->file, CAPTURE_STREAM_IMPORT, 12, "a stream"), ==, 1);
  g_assert_cmpint(capture_file_add_metadata(t->file, "command", "sleep 1"), ==, 0);
  g_assert_cmpint(capture_file_add_message(t->file, 5, 4, "a warning"), ==, 0);
  g_assert_cmpint(capture_file_sink_new(&t->sink, t->file, 1, 4096), ==, 0);
  g_assert_cmpint(capture_writer_create(&t->writer, t->sink, NULL), ==, 0);
  capture_writer_string(t->writer, "some text", 9);
  frame = (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, 0xffffffff81000000u);
  for (uint32_t i = 0; i < 40; i++)
    test_sample(t, 1000 + i, (uint32_t)capture_writer_stack(t->writer, 0, &frame, 1), 1);
  return t;
}

static void finish(TestCapture *t)
{
  g_assert_cmpint(capture_writer_flush(t->writer), ==, 0);
  g_assert_cmpint(capture_file_add_index(t->file), ==, 0);
  g_assert_cmpint(capture_file_end(t->file, CAPTURE_END_INTERRUPTED, 2, 1234), ==, 0);
}

static GBytes *contents(int fd)
{
  struct stat st;
  char *bytes;

  g_assert_cmpint(fstat(fd, &st), ==, 0);
  bytes = g_malloc((gsize)st.st_size);
  g_assert_cmpint(pread(fd, bytes, (gsize)st.st_size, 0), ==, st.st_size);
  return g_bytes_new_take(bytes, (gsize)st.st_size);
}

static void test_whole(void)
{
  TestCapture *t = small_capture();
  struct capture_file_header header;
  unsigned shuffled = 0;

  finish(t);
  for (int scan = 0; scan < 2; scan++) {
    test_decode(t, scan);
    g_assert_true(capture_reader_has_index(t->reader));
    g_assert_cmpuint(capture_file_size(t->file), ==, capture_reader_size(t->reader));
    g_assert_cmpuint(capture_reader_n_parts(t->reader), ==, 3 + 2 + 2);
    g_assert_cmpuint(t->samples->len, ==, 40);
    test_assert_leaf(t, 39, (uint64_t[]){0xffffffff81000000u}, 1);
    for (size_t i = 0; i < capture_reader_n_parts(t->reader); i++)
      shuffled += (capture_reader_part(t->reader, i)->header.flags & CAPTURE_WINDOW_SHUFFLED) != 0;
    if (!scan) {
      capture_reader_close(t->reader);
      g_array_unref(t->samples);
      g_array_unref(t->spaces);
      g_ptr_array_unref(t->strings);
      g_hash_table_unref(t->frames);
      g_hash_table_unref(t->nodes);
      g_hash_table_unref(t->joins);
    }
  }
  g_assert_cmpuint(shuffled, ==, 2);
  capture_reader_header(t->reader, &header);
  g_assert_cmpuint(header.ended.reason, ==, CAPTURE_END_INTERRUPTED);
  g_assert_cmpint(header.ended.status, ==, 2);
  g_assert_cmpuint(header.ended.time, ==, 1234);
  test_capture_free(t);
}

/* What is reserved may say something in a later minor version. */
static void test_ended_later(void)
{
  const off_t at = offsetof(struct capture_file_header, ended);
  TestCapture *t = small_capture();
  struct capture_file_header header;
  struct capture_ended ended;
  capture_reader *reader;
  unsigned problems;

  finish(t);
  g_assert_cmpint(pread(t->fd, &ended, sizeof ended, at), ==, sizeof ended);
  ended.reserved = 1;
  ended.crc = capture_ended_crc(&ended);
  g_assert_cmpint(pwrite(t->fd, &ended, sizeof ended, at), ==, sizeof ended);
  g_assert_cmpint(open_counting(&reader, t->fd, false, &problems), ==, 0);
  g_assert_cmpuint(problems, ==, 0);
  capture_reader_header(reader, &header);
  g_assert_cmpuint(header.ended.reason, ==, CAPTURE_END_INTERRUPTED);
  capture_reader_close(reader);
  test_capture_free(t);
}

static uint8_t get_byte(size_t entry, size_t plane)
{
  return (uint8_t)(entry / 24 * 11 + plane * 37);
}

/* Entries of every size, in numbers that blocks do not divide. */
static void check_shuffled(uint16_t entry_size, size_t n)
{
  g_autofree uint8_t *entries = g_new(uint8_t, n * entry_size);
  struct capture_window_header header = {
      .kind = CAPTURE_WINDOW_SAMPLES, .stream = 1, .sequence = 1, .entry_size = entry_size};
  capture_file *file;
  capture_reader *reader;
  void *buffer = NULL;
  size_t buffer_size = 0, length;
  const uint8_t *content;
  unsigned problems;
  int fd = test_memfd();

  for (size_t i = 0; i < n * entry_size; i++)
    entries[i] = get_byte(i / entry_size, i % entry_size);
  header.length = (uint32_t)(n * entry_size);
  g_assert_cmpint(capture_file_create(&file, fd, &compressing), ==, 0);
  g_assert_cmpint(capture_file_append(file, &header, entries), ==, 0);
  g_assert_cmpint(open_counting(&reader, fd, false, &problems), ==, 0);
  g_assert_true(capture_reader_part(reader, 0)->header.flags & CAPTURE_WINDOW_SHUFFLED);
  g_assert_cmpint(capture_reader_content(reader, 0, &buffer, &buffer_size, &content, &length), ==, 0);
  g_assert_cmpmem(content, length, entries, n * entry_size);
  free(buffer);
  capture_reader_close(reader);
  capture_file_free(file);
  close(fd);
}

static void test_shuffled(void)
{
  static const uint16_t sizes[] = {8, 16, 24, 32};

  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (size_t n = 97; n <= 112; n++)
      check_shuffled(sizes[i], n);
}

static void test_every_length(void)
{
  TestCapture *t = small_capture();
  g_autoptr(GBytes) whole = NULL;
  size_t parts = 0;

  finish(t);
  whole = contents(t->fd);
  for (gsize length = 0; length < g_bytes_get_size(whole); length++) {
    int fd = test_memfd();
    capture_reader *reader = NULL;
    unsigned problems;
    int r;

    g_assert_cmpint(pwrite(fd, g_bytes_get_data(whole, NULL), length, 0), ==, (gssize)length);
    r = open_counting(&reader, fd, false, &problems);
    g_assert_cmpint(r, ==, length < sizeof(struct capture_file_header) ? -ENODATA : 0);
    if (r == 0) {
      g_assert_cmpuint(capture_reader_n_parts(reader), >=, parts);
      parts = capture_reader_n_parts(reader);
      g_assert_cmpuint(read_all(reader), ==, 0);
      g_assert_false(capture_reader_has_index(reader));
      g_assert_cmpuint(problems, ==, capture_reader_end(reader) != length);
    }
    capture_reader_close(reader);
    close(fd);
  }
  g_assert_cmpuint(parts, ==, 6);
  test_capture_free(t);
}

/* Every changed byte is noticed, by walking as well as through the index. */
static void test_every_byte(void)
{
  TestCapture *t = small_capture();
  g_autoptr(GBytes) whole = NULL;

  finish(t);
  whole = contents(t->fd);
  for (gsize at = 0; at < g_bytes_get_size(whole); at++) {
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    uint8_t byte = ((const uint8_t *)g_bytes_get_data(whole, NULL))[at];

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(changes); i++) {
      uint8_t changed = byte ^ changes[i / 2];
      capture_reader *reader = NULL;
      unsigned problems;

      g_assert_cmpint(pwrite(t->fd, &changed, 1, (off_t)at), ==, 1);
      if (open_counting(&reader, t->fd, i % 2, &problems) == 0) {
        unsigned bad = read_all(reader);

        g_assert_cmpuint(problems + bad, >, 0);
        g_assert_cmpuint(capture_reader_n_parts(reader), >=, 6);
      } else {
        g_assert_cmpuint(at, <, offsetof(struct capture_file_header, ended));
      }
      capture_reader_close(reader);
    }
    g_assert_cmpint(pwrite(t->fd, &byte, 1, (off_t)at), ==, 1);
  }
  test_capture_free(t);
}

static void test_not_a_capture(void)
{
  static const struct {
    gsize offset;
    uint8_t byte;
    int expected;
  } changes[] = {{0, 'x', -ENOMSG},
                 {8, 2, -EPROTONOSUPPORT}, /* whose checksum may be computed in another way */
                 {30, 0xff, -EBADMSG}};
  char text[] = "just text";
  capture_reader *reader = NULL;
  int fd = test_memfd();
  unsigned problems;

  g_assert_cmpint(open_counting(&reader, fd, false, &problems), ==, -ENODATA);
  g_assert_cmpint(pwrite(fd, text, sizeof text, 0), ==, sizeof text);
  g_assert_cmpint(open_counting(&reader, fd, false, &problems), ==, -ENOMSG);
  close(fd);
  fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(open_counting(&reader, fd, false, &problems), ==, -ENOMSG);
  close(fd);
  g_assert_cmpint(open_counting(&reader, -1, false, &problems), ==, -EBADF);
  for (unsigned i = 0; i < G_N_ELEMENTS(changes); i++) {
    TestCapture *t = small_capture();

    g_assert_cmpint(pwrite(t->fd, &changes[i].byte, 1, (off_t)changes[i].offset), ==, 1);
    g_assert_cmpint(open_counting(&reader, t->fd, false, &problems), ==, changes[i].expected);
    test_capture_free(t);
  }
  g_assert_null(reader);
}

/* What a reader sees of a file while it is written; nothing that it gave out changes. */
static void test_growing(void)
{
  TestCapture *t = small_capture();
  const uint8_t *first_content, *content;
  g_autofree uint8_t *before = NULL;
  size_t first_length, length, first_size = 0, buffer_size = 0;
  void *first_buffer = NULL, *buffer = NULL;
  capture_reader *reader;
  unsigned problems;
  uint64_t total = 3;
  g_autofree uint8_t *big = g_malloc0(1 << 20);
  const struct capture_window_header foreign = {
      .kind = CAPTURE_WINDOW_FOREIGN, .stream = 1, .length = (1 << 20) - 7};

  g_assert_cmpint(open_counting(&reader, t->fd, false, &problems), ==, 0);
  g_assert_cmpuint(capture_reader_n_parts(reader), ==, 3);
  g_assert_cmpint(capture_reader_refresh(reader), ==, 0);
  g_assert_cmpint(
      capture_reader_content(reader, 0, &first_buffer, &first_size, &first_content, &first_length), ==, 0);
  before = g_memdup2(first_content, first_length);
  g_assert_cmpint(capture_writer_flush(t->writer), ==, 0);
  g_assert_cmpint(capture_reader_refresh(reader), ==, 2);
  total += 2;
  capture_file_free(t->file);
  g_assert_cmpint(capture_file_continue(&t->file, t->fd, capture_reader_end(reader), NULL), ==, 0);
  for (unsigned i = 0; i < 150; i++) {
    big[0] = (uint8_t)i;
    g_assert_cmpint(capture_file_append(t->file, &foreign, big), ==, 0);
    if (i % 10 == 9) {
      g_assert_cmpint(capture_reader_refresh(reader), ==, 10);
      total += 10;
      g_assert_cmpint(capture_reader_content(reader, total - 1, &buffer, &buffer_size, &content, &length), ==,
                      0);
      g_assert_cmpuint(content[0], ==, i);
    }
  }
  g_assert_cmpuint(capture_reader_n_parts(reader), ==, total);
  g_assert_cmpmem(first_content, first_length, before, first_length);
  /* Half a part is not there yet. */
  g_assert_cmpint(ftruncate(t->fd, (off_t)capture_reader_end(reader) + 72), ==, 0);
  g_assert_cmpint(capture_reader_refresh(reader), ==, 0);
  capture_file_free(t->file);
  g_assert_cmpint(capture_file_continue(&t->file, t->fd, capture_reader_end(reader), NULL), ==, 0);
  g_assert_cmpint(capture_file_append(t->file, &foreign, big), ==, 0);
  g_assert_cmpint(capture_reader_refresh(reader), ==, 1);
  g_assert_cmpuint(problems, ==, 0);
  free(first_buffer);
  free(buffer);
  capture_reader_close(reader);
  test_capture_free(t);
}

static int read_part(const capture_reader *reader, size_t number)
{
  void *buffer = NULL;
  const uint8_t *content;
  size_t buffer_size = 0, length;
  int r = capture_reader_content(reader, number, &buffer, &buffer_size, &content, &length);

  free(buffer);
  return r;
}

/* Somebody cuts off a file, or writes it, that was found good: what is left is read, and nothing is believed.
 */
static void test_cut_off_later(void)
{
  TestCapture *t = small_capture();
  struct capture_file_header header;
  const struct capture_part *part;
  capture_reader *reader;
  unsigned problems;
  size_t n;

  finish(t);
  g_assert_cmpint(open_counting(&reader, t->fd, false, &problems), ==, 0);
  n = capture_reader_n_parts(reader);
  g_assert_cmpuint(read_all(reader), ==, 0);
  part = capture_reader_part(reader, 2);
  g_assert_cmpint(pwrite(t->fd, "X", 1, (off_t)(part->offset + sizeof part->header)), ==, 1);
  g_assert_cmpint(read_part(reader, 2), ==, -EBADMSG);
  g_assert_cmpint(ftruncate(t->fd, (off_t)(part->offset + sizeof part->header + 1)), ==, 0);
  g_assert_cmpint(read_part(reader, 1), ==, 0);
  for (size_t i = 2; i + 1 < n; i++) /* the last one is the footer, which has no content */
    g_assert_cmpint(read_part(reader, i), ==, -ENODATA);
  g_assert_cmpint(capture_reader_refresh(reader), ==, 0);
  g_assert_cmpint(ftruncate(t->fd, 0), ==, 0);
  g_assert_cmpuint(read_all(reader), ==, n - 1);
  capture_reader_header(reader, &header);
  g_assert_cmpuint(header.ended.reason, ==, CAPTURE_END_NONE);
  g_assert_cmpuint(problems, ==, 0);
  capture_reader_close(reader);
  test_capture_free(t);
}

static void test_continue(void)
{
  TestCapture *t = small_capture();
  uint64_t end;

  finish(t);
  end = capture_file_size(t->file);
  capture_writer_destroy(t->writer);
  t->writer = NULL;
  capture_file_sink_free(t->sink);
  t->sink = NULL;
  capture_file_free(t->file);
  g_assert_cmpint(pwrite(t->fd, "garbage", 7, (off_t)end), ==, 7);
  g_assert_cmpint(capture_file_continue(&t->file, t->fd, end - 8, NULL), ==, -EBADMSG);
  g_assert_cmpint(capture_file_continue(&t->file, t->fd, end, &compressing), ==, 0);
  g_assert_cmpint(capture_file_add_stream(t->file, CAPTURE_STREAM_IMPORT, 0, "second"), ==, 2);
  g_assert_cmpint(capture_file_add_index(t->file), ==, 0);
  test_decode(t, false);
  g_assert_true(capture_reader_has_index(t->reader));
  g_assert_cmpuint(capture_reader_n_parts(t->reader), ==, 7 + 3);
  test_capture_free(t);
}

/* Damage in the middle costs the part it is in. */
static void test_resync(void)
{
  TestCapture *t = small_capture();
  const struct capture_window_header meta = {.kind = CAPTURE_WINDOW_FOREIGN, .stream = 1, .length = 100};
  uint8_t bytes[100] = {1};
  uint64_t at[4];
  capture_reader *reader;
  unsigned problems;

  for (unsigned i = 0; i < 4; i++) {
    at[i] = capture_file_size(t->file);
    g_assert_cmpint(capture_file_append(t->file, &meta, bytes), ==, 0);
  }
  g_assert_cmpint(pwrite(t->fd, "\xff\xff\xff\x3f", 4, (off_t)at[1] + 32), ==, 4);
  g_assert_cmpint(open_counting(&reader, t->fd, false, &problems), ==, 0);
  g_assert_cmpuint(capture_reader_n_parts(reader), ==, 3 + 3);
  g_assert_cmpuint(capture_reader_part(reader, 3)->offset, ==, at[0]);
  g_assert_cmpuint(capture_reader_part(reader, 4)->offset, ==, at[2]);
  g_assert_cmpuint(problems, ==, 1);
  capture_reader_close(reader);
  test_capture_free(t);
}

/* A part that claims to be longer than compression can make it is not believed. */
static void test_decompression_bomb(void)
{
  TestCapture *t = small_capture();
  struct capture_window_header header = {.magic = CAPTURE_WINDOW_MAGIC,
                                         .kind = CAPTURE_WINDOW_RECORDS,
                                         .flags = CAPTURE_WINDOW_ZSTD,
                                         .length = 1u << 30,
                                         .stored = 8};
  uint64_t stored = 0, at = capture_file_size(t->file);
  capture_reader *reader;
  unsigned problems;

  header.crc = capture_crc32c(capture_crc32c(0, &header, sizeof header), &stored, sizeof stored);
  g_assert_cmpint(pwrite(t->fd, &header, sizeof header, (off_t)at), ==, sizeof header);
  g_assert_cmpint(pwrite(t->fd, &stored, sizeof stored, (off_t)(at + sizeof header)), ==, sizeof stored);
  g_assert_cmpint(open_counting(&reader, t->fd, false, &problems), ==, 0);
  g_assert_cmpuint(capture_reader_n_parts(reader), ==, 3);
  g_assert_cmpuint(problems, ==, 1);
  capture_reader_close(reader);
  test_capture_free(t);
}

/* In a process of its own: the limit on the size of files stands in for a full disk. */
static void write_to_the_limit(int fd)
{
  const struct rlimit limit = {10000, 10000};
  const struct capture_window_header header = {.kind = CAPTURE_WINDOW_FOREIGN, .stream = 1, .length = 1000};
  const uint8_t bytes[1000] = {0};
  capture_file *file;
  uint64_t size;
  int r = 0;

  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  if (capture_file_create(&file, fd, NULL) != 0)
    _exit(1);
  for (unsigned i = 0; r == 0 && i < 100; i++) {
    size = capture_file_size(file);
    r = capture_file_append(file, &header, bytes);
  }
  if (r != -EFBIG || capture_file_size(file) != size)
    _exit(2);
  if (capture_file_end(file, CAPTURE_END_OUTPUT, EFBIG, 7) != 0)
    _exit(3);
  _exit(0);
}

static void test_full_disk(void)
{
  int fd = test_memfd(), status;
  struct capture_file_header header;
  capture_reader *reader;
  unsigned problems;
  pid_t pid = fork();

  if (pid == 0)
    write_to_the_limit(fd);
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpint(open_counting(&reader, fd, false, &problems), ==, 0);
  g_assert_cmpuint(problems, ==, 0);
  g_assert_cmpuint(capture_reader_end(reader), ==, capture_reader_size(reader));
  g_assert_cmpuint(capture_reader_n_parts(reader), ==, (10000 - 256) / 1064);
  capture_reader_header(reader, &header);
  g_assert_cmpuint(header.ended.reason, ==, CAPTURE_END_OUTPUT);
  capture_reader_close(reader);
  close(fd);
}

/* A writer over a file that cannot be written says so, and again when it is asked for more. */
static void test_sticky_error(void)
{
  TestCapture *t = small_capture();
  int read_only;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", t->fd);

  read_only = open(path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(dup2(read_only, t->fd), ==, t->fd);
  close(read_only);
  g_assert_cmpint(capture_writer_flush(t->writer), ==, -EBADF);
  g_assert_cmpint(capture_writer_next_epoch(t->writer), ==, -EBADF);
  g_assert_cmpint(capture_writer_string(t->writer, "new", 3), ==, -EBADF);
  g_assert_cmpint(capture_writer_sample(t->writer, &(struct capture_writer_sample){.event = 1}), ==, -EBADF);
  test_capture_free(t);
}

static void test_create_refuses(void)
{
  capture_file *file = NULL;
  int fd = test_memfd(), pipes[2];

  g_assert_cmpint(pipe(pipes), ==, 0);
  g_assert_cmpint(pwrite(fd, "x", 1, 0), ==, 1);
  g_assert_cmpint(capture_file_create(&file, fd, NULL), ==, -EEXIST);
  g_assert_cmpint(capture_file_create(&file, pipes[1], NULL), ==, -ESPIPE);
  g_assert_cmpint(capture_file_create(&file, -1, NULL), ==, -EBADF);
  g_assert_null(file);
  close(pipes[0]);
  close(pipes[1]);
  close(fd);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/libcapture/file/whole", test_whole);
  g_test_add_func("/libcapture/file/ended-later", test_ended_later);
  g_test_add_func("/libcapture/file/shuffled", test_shuffled);
  g_test_add_func("/libcapture/file/every-length", test_every_length);
  g_test_add_func("/libcapture/file/every-byte", test_every_byte);
  g_test_add_func("/libcapture/file/not-a-capture", test_not_a_capture);
  g_test_add_func("/libcapture/file/growing", test_growing);
  g_test_add_func("/libcapture/file/cut-off-later", test_cut_off_later);
  g_test_add_func("/libcapture/file/continue", test_continue);
  g_test_add_func("/libcapture/file/resync", test_resync);
  g_test_add_func("/libcapture/file/decompression-bomb", test_decompression_bomb);
  g_test_add_func("/libcapture/file/full-disk", test_full_disk);
  g_test_add_func("/libcapture/file/sticky-error", test_sticky_error);
  g_test_add_func("/libcapture/file/create-refuses", test_create_refuses);
  return g_test_run();
}
