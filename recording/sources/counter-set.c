/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/counter-set.h"

#include <errno.h>
#include <string.h>

#include "libcapture/file/capture-writer.h"

#define WINDOW_SIZE (1u << 16)
/* A machine whose interfaces come and go under new names all the time has no end of them. */
#define MAX_COUNTERS 2048u
#define TEXT_MAX     1024u

struct _RecordingCounterSet {
  capture_file *file;
  char *name;
  capture_sink *sink; /* NULL: no stream yet */
  capture_writer *writer;
  GArray *values; /* of struct capture_count; after a record's head */
  guint n_counters;
  int error; /* the file's first */
};

RecordingCounterSet *recording_counter_set_new(capture_file *file, const char *name)
{
  RecordingCounterSet *self = g_new0(RecordingCounterSet, 1);

  self->file = file;
  self->name = g_strdup(name);
  self->values = g_array_new(FALSE, FALSE, sizeof(struct capture_count));
  return self;
}

static int open_stream(RecordingCounterSet *self)
{
  static const struct capture_writer_options options = {.size = sizeof options,
                                                        .max_nodes = 1,
                                                        .max_frames = 1,
                                                        .max_strings = MAX_COUNTERS * 4,
                                                        .max_events = 1};
  int64_t stream = capture_file_add_stream(self->file, CAPTURE_STREAM_COUNTERS, 0, self->name);

  if (stream < 0)
    return (int)stream;
  int result = capture_file_sink_new(&self->sink, self->file, (guint32)stream, WINDOW_SIZE);
  return result < 0 ? result : capture_writer_create(&self->writer, self->sink, &options);
}

static gboolean is_usable(RecordingCounterSet *self)
{
  if (!self->writer && self->error == 0)
    self->error = open_stream(self);
  return self->error == 0;
}

static guint32 define_string(RecordingCounterSet *self, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, (gssize)strnlen(text, TEXT_MAX));
  gsize length = strlen(valid);
  int64_t id = length > 0 ? capture_writer_string(self->writer, valid, length) : 0;

  return id > 0 ? (guint32)id : 0;
}

guint32 recording_counter_set_define(RecordingCounterSet *self, const RecordingCounter *counter)
{
  if (!is_usable(self) || self->n_counters >= MAX_COUNTERS)
    return 0;

  struct capture_record_counter record = {
      .record = {.size = sizeof record, .type = CAPTURE_RECORD_COUNTER},
      .id = capture_writer_next_id(self->writer, CAPTURE_RECORD_COUNTER),
      .category = define_string(self, counter->category),
      .name = define_string(self, counter->name),
      .description = define_string(self, counter->description),
      .unit = define_string(self, counter->unit),
      .flags = counter->flags,
  };
  if (record.id == 0 || capture_writer_define(self->writer, &record.record) < 0)
    return 0;
  self->n_counters++;
  return record.id;
}

void recording_counter_set_add(RecordingCounterSet *self, guint32 counter, double value)
{
  struct capture_count count = {.counter = counter, .value = value};

  if (counter != 0)
    g_array_append_val(self->values, count);
}

static int write_values(RecordingCounterSet *self, guint64 time)
{
  gsize size = sizeof(struct capture_record_counts) + self->values->len * sizeof(struct capture_count);
  struct capture_record_counts head = {
      .record = {.size = (guint32)size, .type = CAPTURE_RECORD_COUNTS, .count = (guint16)self->values->len},
      .time = time};
  g_autofree struct capture_record_counts *record = g_malloc(size);

  *record = head;
  memcpy(record->values, self->values->data, size - sizeof head);
  int result = capture_writer_record(self->writer, &record->record, time);
  if (result < 0)
    return result;
  capture_writer_commit(self->writer);
  return capture_file_sink_write(self->sink);
}

int recording_counter_set_write(RecordingCounterSet *self, guint64 time)
{
  if (self->error == 0 && self->values->len > 0)
    self->error = write_values(self, time);
  g_array_set_size(self->values, 0);
  return self->error;
}

int recording_counter_set_finish(RecordingCounterSet *self)
{
  int result = self->error;

  if (self->writer && result == 0)
    result = capture_writer_flush(self->writer);
  return result;
}

void recording_counter_set_free(RecordingCounterSet *self)
{
  if (self->writer)
    capture_writer_destroy(self->writer);
  if (self->sink)
    capture_file_sink_free(self->sink);
  g_array_unref(self->values);
  g_free(self->name);
  g_free(self);
}
