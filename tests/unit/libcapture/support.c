/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/libcapture/support.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int test_memfd(void)
{
  int fd = memfd_create("test", MFD_CLOEXEC);

  g_assert_cmpint(fd, >=, 0);
  return fd;
}

TestCapture *test_capture_new(const struct capture_writer_options *options, uint32_t window_size)
{
  TestCapture *t = g_new0(TestCapture, 1);
  int64_t stream;

  t->fd = test_memfd();
  g_assert_cmpint(capture_file_create(&t->file, t->fd, NULL), ==, 0);
  stream = capture_file_add_stream(t->file, CAPTURE_STREAM_IMPORT, 0, "test");
  g_assert_cmpint(stream, ==, 1);
  g_assert_cmpint(capture_file_sink_new(&t->sink, t->file, (uint32_t)stream, window_size), ==, 0);
  g_assert_cmpint(capture_writer_create(&t->writer, t->sink, options), ==, 0);
  return t;
}

static gint64 *key_new(uint32_t epoch, uint32_t id)
{
  gint64 *key = g_new(gint64, 1);

  *key = (gint64)((uint64_t)epoch << 32 | id);
  return key;
}

/* An identifier is defined once. */
static void define(GHashTable *table, uint32_t epoch, uint32_t id, uint32_t high, uint32_t low)
{
  uint32_t *pair = g_new(uint32_t, 2);

  pair[0] = high;
  pair[1] = low;
  g_assert_true(g_hash_table_insert(table, key_new(epoch, id), pair));
}

static void decode_record(TestCapture *t, const struct capture_record *record, uint32_t epoch)
{
  const struct capture_record_frames *frames = (const void *)record;
  const struct capture_record_nodes *nodes = (const void *)record;
  struct capture_nodes_position position = {0};
  struct capture_node node;
  const struct capture_record_space *space = (const void *)record;
  const struct capture_record_string *string = (const void *)record;

  t->n_records[record->type]++;
  if (record->type == CAPTURE_RECORD_SPACE) {
    if (t->spaces->len <= space->id)
      g_array_set_size(t->spaces, space->id + 1);
    g_array_index(t->spaces, uint64_t, space->id) = space->base;
  } else if (record->type == CAPTURE_RECORD_STRING) {
    if (t->strings->len <= string->id)
      g_ptr_array_set_size(t->strings, (int)string->id + 1);
    g_free(g_ptr_array_index(t->strings, string->id));
    g_ptr_array_index(t->strings, string->id) = g_strndup(string->bytes, string->length);
  } else if (record->type == CAPTURE_RECORD_FRAMES) {
    for (uint32_t i = 0; i < record->count; i++)
      define(t->frames, epoch, frames->first + i, frames->frames[i].space, frames->frames[i].offset);
  } else if (record->type == CAPTURE_RECORD_NODES) {
    while (capture_nodes_next(nodes, &position, &node)) {
      if (node.join)
        define(t->joins, epoch, node.id, node.parent, node.kernel);
      else
        define(t->nodes, epoch, node.id, node.parent, node.frame);
    }
  }
}

static const uint32_t *look_up(GHashTable *table, uint32_t epoch, uint32_t id)
{
  gint64 key = (gint64)((uint64_t)epoch << 32 | id);

  return g_hash_table_lookup(table, &key);
}

/* Whatever a sample leads to stands in a part before it, so that a file cut off anywhere is whole. */
static void assert_defined(TestCapture *t, uint32_t epoch, uint32_t id)
{
  const uint32_t *join = look_up(t->joins, epoch, id);

  if (join) {
    assert_defined(t, epoch, join[1]);
    id = join[0];
  }
  while (id) {
    const uint32_t *node = look_up(t->nodes, epoch, id);

    g_assert_nonnull(node);
    g_assert_nonnull(look_up(t->frames, epoch, node[1]));
    id = node[0];
  }
}

static void decode_samples(TestCapture *t, const struct capture_window_header *header, const uint8_t *content)
{
  uint64_t previous = 0;

  t->sample_parts[header->entry_size]++;
  for (uint32_t at = 0; at < header->length; at += header->entry_size) {
    const struct capture_sample *entry = (const void *)(content + at);
    TestSample sample = {.time = header->time_first + entry->time,
                         .weight = header->entry_size > 16 ? entry->weight : header->weight,
                         .detail = header->entry_size > 24 ? entry->detail : 0,
                         .epoch = header->epoch,
                         .leaf = entry->leaf,
                         .thread = entry->thread};

    g_assert_cmpuint(sample.time, >=, previous);
    g_assert_cmpuint(sample.time, <=, header->time_last);
    previous = sample.time;
    assert_defined(t, header->epoch, entry->leaf);
    g_array_append_val(t->samples, sample);
  }
}

static void decode_part(TestCapture *t, size_t number, void **buffer, size_t *buffer_size)
{
  const struct capture_window_header *header = &capture_reader_part(t->reader, number)->header;
  const struct capture_record *record;
  const uint8_t *content;
  size_t length, position = 0;

  g_assert_cmpint(capture_reader_content(t->reader, number, buffer, buffer_size, &content, &length), ==, 0);
  if (header->kind == CAPTURE_WINDOW_SAMPLES) {
    decode_samples(t, header, content);
    return;
  }
  if (header->kind == CAPTURE_WINDOW_INDEX || header->kind == CAPTURE_WINDOW_FOOTER)
    return;
  if (header->kind == CAPTURE_WINDOW_RECORDS) {
    t->records_time_first = header->time_first;
    t->records_time_last = header->time_last;
  }
  while ((record = capture_records_next(content, length, &position))) {
    g_assert_true(capture_record_is_valid(record));
    decode_record(t, record, header->epoch);
  }
  g_assert_cmpuint(position, ==, length);
}

static void unexpected_problem(const struct capture_problem *problem, void *data)
{
  g_error("%" G_GUINT64_FORMAT ": %s", problem->offset, problem->message);
}

void test_decode(TestCapture *t, bool scan)
{
  const struct capture_reader_options options = {
      .size = sizeof options, .decompress = test_decompress, .problem = unexpected_problem, .scan = scan};
  void *buffer = NULL;
  size_t buffer_size = 0;

  t->samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  t->spaces = g_array_new(FALSE, TRUE, sizeof(uint64_t));
  t->strings = g_ptr_array_new_with_free_func(g_free);
  t->frames = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  t->nodes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  t->joins = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  g_assert_cmpint(capture_reader_open(&t->reader, t->fd, &options), ==, 0);
  g_assert_cmpuint(capture_reader_end(t->reader), ==, capture_reader_size(t->reader));
  for (size_t i = 0; i < capture_reader_n_parts(t->reader); i++)
    decode_part(t, i, &buffer, &buffer_size);
  free(buffer);
}

void test_capture_read(TestCapture *t)
{
  g_assert_cmpint(capture_writer_destroy(t->writer), ==, 0);
  t->writer = NULL;
  g_assert_cmpint(capture_file_add_index(t->file), ==, 0);
  g_assert_cmpint(capture_file_end(t->file, CAPTURE_END_WRITTEN, 0, 0), ==, 0);
  test_decode(t, false);
  g_assert_true(capture_reader_has_index(t->reader));
}

void test_capture_free(TestCapture *t)
{
  capture_writer_destroy(t->writer);
  capture_file_sink_free(t->sink);
  capture_file_free(t->file);
  capture_reader_close(t->reader);
  if (t->samples) {
    g_array_unref(t->samples);
    g_array_unref(t->spaces);
    g_ptr_array_unref(t->strings);
    g_hash_table_unref(t->frames);
    g_hash_table_unref(t->nodes);
    g_hash_table_unref(t->joins);
  }
  close(t->fd);
  g_free(t);
}

void test_sample(TestCapture *t, uint64_t time, uint32_t leaf, uint64_t weight)
{
  const struct capture_writer_sample sample = {
      .time = time, .event = 1, .thread = 1, .leaf = leaf, .weight = weight, .cpu = 1};

  g_assert_cmpint(capture_writer_sample(t->writer, &sample), ==, 0);
}

const TestSample *test_get_sample(TestCapture *t, uint32_t i)
{
  g_assert_cmpuint(i, <, t->samples->len);
  return &g_array_index(t->samples, TestSample, i);
}

static uint64_t frame_address(TestCapture *t, uint32_t epoch, uint32_t id)
{
  const uint32_t *frame = look_up(t->frames, epoch, id);

  g_assert_nonnull(frame);
  g_assert_cmpuint(frame[0], <, t->spaces->len);
  return g_array_index(t->spaces, uint64_t, frame[0]) + frame[1];
}

static uint32_t assert_chain(TestCapture *t, uint32_t epoch, uint32_t id, const uint64_t *addresses,
                             uint32_t n)
{
  uint32_t i = 0;

  for (; id; i++) {
    const uint32_t *node = look_up(t->nodes, epoch, id);

    g_assert_nonnull(node);
    g_assert_cmpuint(node[0], <, id);
    g_assert_cmpuint(i, <, n);
    g_assert_cmphex(frame_address(t, epoch, node[1]), ==, addresses[i]);
    id = node[0];
  }
  return i;
}

void test_assert_leaf(TestCapture *t, uint32_t i, const uint64_t *addresses, uint32_t n)
{
  const TestSample *sample = test_get_sample(t, i);
  const uint32_t *join = look_up(t->joins, sample->epoch, sample->leaf);
  uint32_t done = 0;

  if (join) {
    g_assert_cmpuint(MAX(join[0], join[1]), <, sample->leaf);
    done = assert_chain(t, sample->epoch, join[1], addresses, n);
  }
  done += assert_chain(t, sample->epoch, join ? join[0] : sample->leaf, addresses + done, n - done);
  g_assert_cmpuint(done, ==, n);
}

size_t test_compress(void *out, size_t capacity, const void *in, size_t length, void *data)
{
  const uint8_t *from = in;
  uint8_t *to = out;
  size_t n = 0;

  for (size_t i = 0; i < length;) {
    size_t run = 1;

    while (i + run < length && run < 255 && from[i + run] == from[i])
      run++;
    if (n + 2 > capacity)
      return 0;
    to[n++] = (uint8_t)run;
    to[n++] = from[i];
    i += run;
  }
  return n;
}

bool test_decompress(void *out, size_t out_length, const void *in, size_t length, void *data)
{
  const uint8_t *from = in;
  size_t n = 0;

  for (size_t i = 0; i + 1 < length; i += 2) {
    if (from[i] == 0 || from[i] > out_length - n)
      return false;
    memset((uint8_t *)out + n, from[i + 1], from[i]);
    n += from[i];
  }
  return n == out_length && length % 2 == 0;
}
