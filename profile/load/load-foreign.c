/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which streams a capture has; and what programs left in other formats, made a capture of its own. */
#include <errno.h>
#include <glib/gi18n.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "profile/import/foreign.h"
#include "profile/load/loader-private.h"

/* Strings of one epoch: a perf map has one a line. */
enum { MAX_STRINGS = 1 << 20, WINDOW_SIZE = 1 << 20, MAX_BYTES = 1 << 30 };

static void describe_stream(Load *load, const struct capture_record_stream *record)
{
  LoadStream *stream = load_get_stream(load, record->id);
  ProfileStream item = {.number = record->id, .kind = record->kind, .pid = record->pid};

  if (stream->kind)
    return;
  item.name = g_string_chunk_insert_len(load->capture->strings, record->name, record->length);
  stream->kind = record->kind;
  stream->pid = record->pid;
  stream->name = item.name;
  g_array_append_val(load->capture->streams, item);
}

void load_streams(Load *load)
{
  GArray *parts = load->parts[CAPTURE_WINDOW_META];

  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);
    const struct capture_record *record;
    size_t position = 0;

    if (!load_content(load, part))
      continue;
    while ((record = capture_records_next(part->content, part->length, &position)))
      if (record->type == CAPTURE_RECORD_STREAM && capture_record_is_valid(record))
        describe_stream(load, (gconstpointer)record);
    load_release_content(load, part);
  }
}

static gint compare_parts(gconstpointer a, gconstpointer b)
{
  const struct capture_window_header *left = ((const LoadPart *)a)->header,
                                     *right = ((const LoadPart *)b)->header;

  if (left->stream != right->stream)
    return left->stream < right->stream ? -1 : 1;
  if (left->sequence != right->sequence)
    return left->sequence < right->sequence ? -1 : 1;
  return left->start < right->start ? -1 : left->start > right->start;
}

static void load_foreign_gather(Load *load, guint begin, guint end, GByteArray *bytes)
{
  for (guint i = begin; i < end; i++) {
    LoadPart *part = &g_array_index(load->parts[CAPTURE_WINDOW_FOREIGN], LoadPart, i);
    if (load_content(load, part) && bytes->len <= MAX_BYTES - MIN(part->length, MAX_BYTES))
      g_byte_array_append(bytes, part->content, (guint)part->length);
    load_release_content(load, part);
  }
}

static int write_capture(capture_file *file, const ProfileForeign *foreign, GError **error)
{
  const struct capture_writer_options options = {.size = sizeof options, .max_strings = MAX_STRINGS};
  gint64 number = capture_file_add_stream(file, CAPTURE_STREAM_FOREIGN, foreign->pid, "");
  capture_sink *sink = NULL;
  capture_writer *writer = NULL;
  int result = number < 0 ? (int)number : capture_file_sink_new(&sink, file, (guint32)number, WINDOW_SIZE);

  if (result < 0)
    return result;
  result = capture_writer_create(&writer, sink, &options);
  if (result == 0) {
    profile_foreign_decode(foreign, writer, error);
    result = capture_writer_destroy(writer);
  }
  capture_file_sink_free(sink);
  return result;
}

/* A capture in memory of what the bytes say. Where they make no sense, of what stood before. */
static capture_reader *load_foreign_decode(const ProfileForeign *foreign, GError **error)
{
  const struct capture_file_options options = {
      .size = sizeof options, .time = foreign->header->time, .time_realtime = foreign->header->time_realtime};
  const struct capture_reader_options reading = {.size = sizeof reading};
  int fd = memfd_create("capture-foreign", MFD_CLOEXEC);
  capture_file *file = NULL;
  capture_reader *reader = NULL;
  int result = fd < 0 ? -errno : capture_file_create(&file, fd, &options);

  if (result == 0)
    result = write_capture(file, foreign, error);
  capture_file_free(file);
  if (result == 0)
    result = capture_reader_open(&reader, fd, &reading);
  if (fd >= 0)
    close(fd);
  if (result < 0 && error && !*error)
    g_set_error_literal(error, G_IO_ERROR, g_io_error_from_errno(-result), g_strerror(-result));
  return reader;
}

static ProfileCodeSource get_source(enum capture_foreign kind)
{
  return kind == CAPTURE_FOREIGN_PERF_MAP ? PROFILE_CODE_PERF_MAP : PROFILE_CODE_JITDUMP;
}

static void note_foreign(Load *load, guint32 number, const ProfileForeign *foreign)
{
  for (guint i = 0; i < load->capture->streams->len; i++) {
    ProfileStream *stream = &g_array_index(load->capture->streams, ProfileStream, i);

    if (stream->number != number)
      continue;
    stream->foreign = foreign->kind;
    stream->bytes = foreign->length;
  }
}

static void load_one(Load *load, guint begin, guint end)
{
  const LoadPart *part = &g_array_index(load->parts[CAPTURE_WINDOW_FOREIGN], LoadPart, begin);
  LoadStream *stream = part->epoch->of;
  GByteArray *gathered = g_byte_array_new();
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GError) error = NULL;
  ProfileForeign foreign = {.kind = part->header->event,
                            .pid = stream->pid,
                            .name = stream->name ? stream->name : "",
                            .header = &load->capture->header};

  load_foreign_gather(load, begin, end, gathered);
  bytes = g_byte_array_free_to_bytes(gathered);
  foreign.bytes = g_bytes_get_data(bytes, &foreign.length);
  if (foreign.length == 0)
    return;
  note_foreign(load, part->header->stream, &foreign);
  capture_reader *reader = load_foreign_decode(&foreign, &error);
  if (error)
    load_problem(load, _("What a program left in another format (“%s”) cannot be read to its end: %s"),
                 foreign.name, error->message);
  if (!reader)
    return;
  LoadSource *source = g_new0(LoadSource, 1);
  source->reader = reader;
  source->stream = stream;
  stream->code_source = get_source(foreign.kind);
  if (!load_is_inside(stream))
    stream->kind = CAPTURE_STREAM_FOREIGN;
  load_add_source(load, source);
  if (foreign.kind == CAPTURE_FOREIGN_JITDUMP)
    load_keep_jit_code(load, foreign.pid, bytes);
}

void load_foreign(Load *load)
{
  GArray *parts = load->parts[CAPTURE_WINDOW_FOREIGN];
  guint n = parts->len, end;

  g_array_sort(parts, compare_parts);
  for (guint begin = 0; begin < n; begin = end) {
    guint32 stream = g_array_index(parts, LoadPart, begin).header->stream;
    for (end = begin; end < n && g_array_index(parts, LoadPart, end).header->stream == stream;)
      end++;
    load_one(load, begin, end);
  }
}
