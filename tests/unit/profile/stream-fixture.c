/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/profile/stream-fixture.h"

#include <string.h>

const char *const test_place_paths[TEST_N_PLACES] = {"/usr/bin/program", "/usr/lib/libsome.so.1", "[kernel]"};

static guint32 add_string(TestStream *stream, const char *text)
{
  return test_take_id(capture_writer_string(stream->writer, text, strlen(text)));
}

static void define(TestStream *stream, gconstpointer record)
{
  g_assert_cmpint(capture_writer_define(stream->writer, record), >=, 0);
}

TestStream test_stream_open(TestFile *file)
{
  const struct capture_writer_options options = {.size = sizeof options};
  TestStream stream = {0};
  gint64 number = capture_file_add_stream(file->file, CAPTURE_STREAM_RECORDER, 1, "test");

  g_assert_cmpint(capture_file_sink_new(&stream.sink, file->file, test_take_id(number), 1 << 14), ==, 0);
  g_assert_cmpint(capture_writer_create(&stream.writer, stream.sink, &options), ==, 0);
  return stream;
}

static void define_binaries(TestStream *stream)
{
  for (TestPlace i = 0; i < TEST_KERNEL; i++) {
    struct capture_record_binary record = {.record = {sizeof record, CAPTURE_RECORD_BINARY, 0},
                                           .inode = 100 + i};
    record.id = stream->binaries[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_BINARY);
    record.path = add_string(stream, test_place_paths[i]);
    define(stream, &record);
  }
}

static guint32 define_process(TestStream *stream, int pid, const char *name)
{
  struct capture_record_process record = {.record = {sizeof record, CAPTURE_RECORD_PROCESS, 0}, .pid = pid};

  record.id = capture_writer_next_id(stream->writer, CAPTURE_RECORD_PROCESS);
  record.name = add_string(stream, name);
  define(stream, &record);
  return record.id;
}

static void define_threads(TestStream *stream)
{
  const guint32 processes[] = {define_process(stream, 100, "first"), define_process(stream, 101, "second")};

  for (guint i = 0; i < TEST_N_THREADS; i++) {
    struct capture_record_thread record = {.record = {sizeof record, CAPTURE_RECORD_THREAD, 0},
                                           .tid = 100 + (int)i,
                                           .process = processes[i / 2]};
    record.id = stream->threads[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_THREAD);
    record.name = add_string(stream, "worker");
    define(stream, &record);
  }
}

void test_stream_define(TestStream *stream, struct capture_record_event event, const char *event_name)
{
  event.record = (struct capture_record){sizeof event, CAPTURE_RECORD_EVENT, 0};
  event.id = stream->event = capture_writer_next_id(stream->writer, CAPTURE_RECORD_EVENT);
  event.name = add_string(stream, event_name);
  event.unit = CAPTURE_UNIT_NANOSECONDS;
  define(stream, &event);
  define_binaries(stream);
  define_threads(stream);
}

guint32 test_stream_add_frame(TestStream *stream, TestPlace place, guint64 offset)
{
  if (place == TEST_KERNEL)
    return test_take_id(
        capture_writer_frame(stream->writer, CAPTURE_SPACE_KERNEL, 0, TEST_KERNEL_BASE + offset));
  return test_take_id(
      capture_writer_frame(stream->writer, CAPTURE_SPACE_BINARY, stream->binaries[place], offset));
}

void test_stream_add_sample(TestStream *stream, guint thread, struct capture_writer_sample sample)
{
  sample.event = stream->event;
  sample.thread = stream->threads[thread];
  sample.mode = sample.mode ? sample.mode : CAPTURE_MODE_USER;
  g_assert_cmpint(capture_writer_sample(stream->writer, &sample), ==, 0);
}

void test_stream_close(TestStream *stream)
{
  g_assert_cmpint(capture_writer_destroy(stream->writer), ==, 0);
  capture_file_sink_free(stream->sink);
}

static ProfileFunctionTable *make_table(guint64 base, const TestNames *names)
{
  ProfileFunctionTable *table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);

  for (guint i = 0; i < names->n; i++) {
    guint64 start = base + (guint64)(names->first + i) * TEST_FUNCTION_SIZE;
    ProfileFunctionRange range = {.start = start, .end = start + TEST_FUNCTION_SIZE, .name = names->names[i]};
    if (range.name)
      profile_function_table_add(table, &range);
  }
  profile_function_table_seal(table);
  return table;
}

void test_name_functions(ProfileCapture *capture, const TestNames names[TEST_N_PLACES])
{
  g_autoptr(ProfileFunctionTable) kernel = make_table(TEST_KERNEL_BASE, &names[TEST_KERNEL]);
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  profile_capture_set_table(capture, G_MAXUINT32, kernel);
  for (guint i = 0; i < n; i++) {
    TestPlace place =
        g_str_equal(binaries[i].path, test_place_paths[TEST_PROGRAM]) ? TEST_PROGRAM : TEST_LIBRARY;
    g_autoptr(ProfileFunctionTable) table = make_table(0, &names[place]);
    profile_capture_set_table(capture, i, table);
  }
  profile_capture_update_functions(capture);
}
