/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/profile/told-capture.h"

#include <string.h>

guint32 told_add_string(ToldStream *stream, const char *text)
{
  return test_take_id(capture_writer_string(stream->writer, text, strlen(text)));
}

void told_define(ToldStream *stream, gconstpointer record)
{
  g_assert_cmpint(capture_writer_define(stream->writer, record), ==, 0);
}

void told_define_process(ToldStream *stream, guint64 time, enum capture_process_origin origin,
                         const char *name)
{
  struct capture_record_process process = {
      .record = {sizeof process, CAPTURE_RECORD_PROCESS, 0}, .pid = TOLD_PID, .time = time, .origin = origin};

  process.id = stream->process = capture_writer_next_id(stream->writer, CAPTURE_RECORD_PROCESS);
  process.name = told_add_string(stream, name);
  told_define(stream, &process);
}

void told_define_thread(ToldStream *stream, guint64 time, const char *name)
{
  struct capture_record_thread thread = {.record = {sizeof thread, CAPTURE_RECORD_THREAD, 0},
                                         .process = stream->process,
                                         .tid = TOLD_TID,
                                         .time = time};

  thread.id = stream->thread = capture_writer_next_id(stream->writer, CAPTURE_RECORD_THREAD);
  thread.name = told_add_string(stream, name);
  told_define(stream, &thread);
}

void told_define_event(ToldStream *stream, const char *name)
{
  struct capture_record_event event = {.record = {sizeof event, CAPTURE_RECORD_EVENT, 0}, .unit = 1};

  event.id = stream->event = capture_writer_next_id(stream->writer, CAPTURE_RECORD_EVENT);
  event.name = told_add_string(stream, name);
  told_define(stream, &event);
}

void told_define_library(ToldStream *stream, const char *path, guint64 start, guint64 time)
{
  struct capture_record_binary binary = {.record = {sizeof binary, CAPTURE_RECORD_BINARY, 0}, .inode = 3};
  struct capture_record_mapping mapping = {.record = {sizeof mapping, CAPTURE_RECORD_MAPPING, 0},
                                           .process = stream->process,
                                           .start = start,
                                           .end = start + 0x10000,
                                           .time = time,
                                           .protection = 5};

  binary.id = mapping.binary = stream->binary = capture_writer_next_id(stream->writer, CAPTURE_RECORD_BINARY);
  binary.path = told_add_string(stream, path);
  told_define(stream, &binary);
  told_define(stream, &mapping);
}

ToldStream told_open_stream(TestFile *file, enum capture_stream_kind kind, const char *name)
{
  const struct capture_writer_options options = {.size = sizeof options};
  ToldStream stream = {0};
  gint64 number = capture_file_add_stream(file->file, kind, TOLD_PID, name);

  g_assert_cmpint(capture_file_sink_new(&stream.sink, file->file, test_take_id(number), 1 << 13), ==, 0);
  g_assert_cmpint(capture_writer_create(&stream.writer, stream.sink, &options), ==, 0);
  return stream;
}

void told_close_stream(ToldStream *stream)
{
  g_assert_cmpint(capture_writer_destroy(stream->writer), ==, 0);
  capture_file_sink_free(stream->sink);
}

void told_define_outside(ToldStream *stream)
{
  told_define_process(stream, 0, CAPTURE_PROCESS_EXISTED, "runtime");
  told_define_thread(stream, 0, "runtime");
  told_define_event(stream, "cpu-clock");
  told_define_library(stream, "/usr/lib/runtime.so", TOLD_LIBRARY, 1);
}

void told_define_inside(ToldStream *stream, guint64 time)
{
  told_define_process(stream, time, CAPTURE_PROCESS_EXISTED, "runtime");
  told_define_thread(stream, time, "runtime");
  told_define_event(stream, "cpu-time");
  told_define_library(stream, "/usr/lib/runtime.so", TOLD_LIBRARY, 1);
}

void told_add_code(ToldStream *stream, guint64 start, guint64 length, guint64 time, const char *name)
{
  struct capture_record_code code = {.record = {sizeof code, CAPTURE_RECORD_CODE, 0},
                                     .process = stream->process,
                                     .start = start,
                                     .length = length,
                                     .time = time};

  code.name = told_add_string(stream, name);
  code.file = told_add_string(stream, "program.lua");
  code.line = 7;
  told_define(stream, &code);
}

void told_end_code(ToldStream *stream, guint64 start, guint64 length, guint64 time)
{
  const struct capture_record_code_end end = {.record = {sizeof end, CAPTURE_RECORD_CODE_END, 0},
                                              .process = stream->process,
                                              .start = start,
                                              .length = length,
                                              .time = time};

  told_define(stream, &end);
}

void told_add_sample(ToldStream *stream, guint64 time, const guint64 *addresses, guint n)
{
  struct capture_writer_sample sample = {
      .time = time, .event = stream->event, .thread = stream->thread, .weight = 1000, .mode = 2};
  guint32 frames[TOLD_MAX_DEPTH];

  for (guint i = 0; i < n; i++)
    frames[i] = test_take_id(
        capture_writer_frame(stream->writer, CAPTURE_SPACE_PROCESS, stream->process, addresses[i]));
  sample.leaf = test_take_id(capture_writer_stack(stream->writer, 0, frames, n));
  g_assert_cmpint(capture_writer_sample(stream->writer, &sample), ==, 0);
}
