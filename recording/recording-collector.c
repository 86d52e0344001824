/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording-collector.h"

#include "libcapture/capture-reader.h"

typedef struct {
  RecordingCollector *collector;
  capture_tap *tap; /* NULL: broken */
  guint32 stream;
} Stream;

struct _RecordingCollector {
  capture_file *file;
  RecordingBinaries *binaries;
  GArray *streams; /* of Stream */
  RecordingCounts counts;
  int output_error;
};

static void stream_clear(gpointer data)
{
  Stream *stream = data;
  if (stream->tap)
    capture_tap_close(stream->tap);
}

RecordingCollector *recording_collector_new(capture_file *file, RecordingBinaries *binaries)
{
  RecordingCollector *self = g_new0(RecordingCollector, 1);
  self->file = file;
  self->binaries = binaries;
  self->streams = g_array_new(FALSE, FALSE, sizeof(Stream));
  g_array_set_clear_func(self->streams, stream_clear);
  return self;
}

void recording_collector_add(RecordingCollector *self, capture_tap *tap, guint32 stream)
{
  Stream added = {.collector = self, .tap = tap, .stream = stream};
  g_array_append_val(self->streams, added);
}

static void count_records(RecordingCounts *counts, const guint8 *content, gsize length)
{
  const struct capture_record *record;
  size_t position = 0;

  while ((record = capture_records_next(content, length, &position))) {
    if (record->type == CAPTURE_RECORD_LOST && capture_record_is_valid(record)) {
      const struct capture_record_lost *lost = (const struct capture_record_lost *)record;
      counts->lost += lost->samples + lost->records;
    } else if (record->type == CAPTURE_RECORD_THROTTLE && capture_record_is_valid(record)) {
      counts->throttled += ((const struct capture_record_throttle *)record)->on == 1;
    }
  }
}

static void look_at(Stream *stream, const struct capture_taken *taken)
{
  RecordingCollector *self = stream->collector;
  const struct capture_window_header *header = &taken->header;

  if (header->kind == CAPTURE_WINDOW_SAMPLES && header->entry_size > 0)
    self->counts.samples += header->length / header->entry_size;
  else if (header->kind == CAPTURE_WINDOW_RECORDS)
    count_records(&self->counts, taken->content, header->length);
  else if (header->kind == CAPTURE_WINDOW_DICTIONARY && self->binaries)
    recording_binaries_scan(self->binaries, stream->stream, header->epoch, taken->content, header->length);
}

static int append(const struct capture_taken *taken, void *data)
{
  Stream *stream = data;
  struct capture_window_header header = taken->header;

  header.stream = stream->stream;
  int result = capture_file_append(stream->collector->file, &header, taken->content);
  if (result < 0) {
    stream->collector->output_error = result;
    return result;
  }
  look_at(stream, taken);
  return 0;
}

int recording_collector_collect(RecordingCollector *self, gboolean *ret_output)
{
  int result = 0;

  for (guint i = 0; i < self->streams->len && self->output_error == 0; i++) {
    Stream *stream = &g_array_index(self->streams, Stream, i);
    int64_t taken = stream->tap ? capture_tap_take(stream->tap, append, stream) : 0;
    if (taken >= 0 || self->output_error < 0)
      continue;
    result = (int)taken;
    g_clear_pointer(&stream->tap, capture_tap_close);
  }
  if (ret_output)
    *ret_output = self->output_error < 0;
  return self->output_error < 0 ? self->output_error : result;
}

void recording_collector_get_counts(RecordingCollector *self, RecordingCounts *ret)
{
  *ret = self->counts;
}

void recording_collector_free(RecordingCollector *self)
{
  g_array_unref(self->streams);
  g_free(self);
}
