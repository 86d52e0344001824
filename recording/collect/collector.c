/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/collect/collector.h"

#include <errno.h>
#include <glib/gi18n.h>

#include "libcapture/file/capture-reader.h"
#include "recording/collect/stream-private.h"

/* Of broken streams; a program that breaks thousands of them is told of often enough. */
#define MESSAGES_MAX 100

struct _RecordingStream {
  RecordingCollector *collector;
  capture_tap *tap; /* NULL: broken */
  guint32 kind;
  gint32 pid;
  char *name;
  guint32 number; /* 0: none yet */
  gboolean gone;  /* under the mutex: what it has left is the last */
};

struct _RecordingCollector {
  gatomicrefcount n_references;
  capture_file *file;
  RecordingBinaries *binaries;
  guint64 began;
  GPtrArray *streams; /* of RecordingStream; those of the file's thread */
  guint64 taken;      /* bytes, in this round */
  guint n_messages;
  int output_error;

  GMutex mutex;     /* guards what follows, and streams' `gone` */
  GPtrArray *added; /* of RecordingStream; since the last round */
  RecordingCounts counts;
  gboolean ended;
};

static void stream_free(gpointer data)
{
  RecordingStream *stream = data;

  if (stream->tap)
    capture_tap_close(stream->tap);
  g_free(stream->name);
  g_free(stream);
}

RecordingCollector *recording_collector_new(capture_file *file, RecordingBinaries *binaries)
{
  RecordingCollector *self = g_new0(RecordingCollector, 1);

  g_atomic_ref_count_init(&self->n_references);
  self->file = file;
  self->binaries = binaries;
  self->began = (guint64)g_get_monotonic_time() * 1000;
  self->streams = g_ptr_array_new_with_free_func(stream_free);
  self->added = g_ptr_array_new_with_free_func(stream_free);
  g_mutex_init(&self->mutex);
  return self;
}

RecordingStream *recording_collector_add(RecordingCollector *self, capture_tap *tap, guint32 kind, gint32 pid,
                                         const char *name)
{
  RecordingStream *stream = g_new(RecordingStream, 1);

  *stream = (RecordingStream){
      .collector = self, .tap = tap, .kind = kind, .pid = pid, .name = g_utf8_make_valid(name, -1)};
  g_mutex_lock(&self->mutex);
  if (self->ended)
    capture_tap_end(tap);
  g_ptr_array_add(self->added, stream);
  g_mutex_unlock(&self->mutex);
  return stream;
}

void recording_collector_remove(RecordingCollector *self, RecordingStream *stream)
{
  g_mutex_lock(&self->mutex);
  stream->gone = TRUE;
  g_mutex_unlock(&self->mutex);
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

static void look_at(RecordingStream *stream, const struct capture_taken *taken)
{
  RecordingCollector *self = stream->collector;
  const struct capture_window_header *header = &taken->header;

  self->taken += header->length;
  if (header->kind == CAPTURE_WINDOW_DICTIONARY && self->binaries)
    recording_binaries_scan(self->binaries, stream->number, header->epoch, taken->content, header->length);
  g_mutex_lock(&self->mutex);
  if (header->kind == CAPTURE_WINDOW_SAMPLES && header->entry_size > 0)
    self->counts.samples += header->length / header->entry_size;
  else if (header->kind == CAPTURE_WINDOW_RECORDS)
    count_records(&self->counts, taken->content, header->length);
  g_mutex_unlock(&self->mutex);
}

static int collector_append(const struct capture_taken *taken, void *data)
{
  RecordingStream *stream = data;
  RecordingCollector *self = stream->collector;
  struct capture_window_header header = taken->header;

  if (stream->kind == CAPTURE_STREAM_SAMPLER &&
      !recording_stream_may_hold(taken, stream->pid, self->began, (guint64)g_get_monotonic_time() * 1000))
    return -EBADMSG;
  header.stream = stream->number;
  int result = capture_file_append(self->file, &header, taken->content);
  if (result < 0) {
    self->output_error = result;
    return result;
  }
  look_at(stream, taken);
  return 0;
}

static void collector_number(RecordingCollector *self, RecordingStream *stream)
{
  int64_t result = capture_file_add_stream(self->file, stream->kind, stream->pid, stream->name);

  if (result < 0) {
    self->output_error = (int)result;
    return;
  }
  stream->number = (guint32)result;
  if (stream->kind == CAPTURE_STREAM_SAMPLER && self->binaries)
    recording_binaries_confine(self->binaries, stream->number, stream->pid);
}

static void tell_broken(RecordingCollector *self, const RecordingStream *stream, int error)
{
  if (self->n_messages++ >= MESSAGES_MAX)
    return;
  g_autofree char *text = g_strdup_printf(
      _("The data of “%s” (process %d) about itself is not valid (%s); the rest was ignored."), stream->name,
      stream->pid, g_strerror(-error));
  int result = capture_file_add_message(self->file, (guint64)g_get_monotonic_time() * 1000, 4, text);
  if (result < 0)
    self->output_error = result;
}

/* 0, or what is wrong with the recording as a whole. */
static int collect_one(RecordingCollector *self, RecordingStream *stream)
{
  if (!stream->tap)
    return 0;
  if (stream->number == 0)
    collector_number(self, stream);
  int64_t result = self->output_error == 0 ? capture_tap_take(stream->tap, collector_append, stream) : 0;
  if (result >= 0 || self->output_error < 0)
    return 0;
  capture_tap_end(stream->tap);
  g_clear_pointer(&stream->tap, capture_tap_close);
  if (stream->kind != CAPTURE_STREAM_SAMPLER)
    return (int)result;
  tell_broken(self, stream, (int)result);
  return 0;
}

/* Which of the streams have no more to come is looked at before they are emptied. */
static GPtrArray *begin_round(RecordingCollector *self)
{
  GPtrArray *gone = g_ptr_array_new();

  g_mutex_lock(&self->mutex);
  g_ptr_array_extend_and_steal(self->streams, g_steal_pointer(&self->added));
  self->added = g_ptr_array_new_with_free_func(stream_free);
  for (guint i = 0; i < self->streams->len; i++) {
    RecordingStream *stream = self->streams->pdata[i];
    if (stream->gone)
      g_ptr_array_add(gone, stream);
  }
  g_mutex_unlock(&self->mutex);
  return gone;
}

static void end_round(RecordingCollector *self, GPtrArray *gone)
{
  for (guint i = 0; i < gone->len; i++) {
    RecordingStream *stream = gone->pdata[i];
    if (self->binaries)
      recording_binaries_forget(self->binaries, stream->number);
    g_ptr_array_remove_fast(self->streams, stream);
  }
}

int recording_collector_collect(RecordingCollector *self, gboolean *ret_output)
{
  g_autoptr(GPtrArray) gone = begin_round(self);
  int result = 0;

  self->taken = 0;
  for (guint i = 0; i < self->streams->len && self->output_error == 0; i++) {
    int broken = collect_one(self, self->streams->pdata[i]);
    if (broken < 0)
      result = broken;
  }
  end_round(self, gone);
  if (ret_output)
    *ret_output = self->output_error < 0;
  return self->output_error < 0 ? self->output_error : result;
}

guint64 recording_collector_get_taken(RecordingCollector *self)
{
  return self->taken;
}

void recording_collector_end(RecordingCollector *self)
{
  g_mutex_lock(&self->mutex);
  self->ended = TRUE;
  for (guint i = 0; i < self->added->len; i++)
    capture_tap_end(((RecordingStream *)self->added->pdata[i])->tap);
  g_mutex_unlock(&self->mutex);
  for (guint i = 0; i < self->streams->len; i++) {
    RecordingStream *stream = self->streams->pdata[i];
    if (stream->tap)
      capture_tap_end(stream->tap);
  }
}

void recording_collector_get_counts(RecordingCollector *self, RecordingCounts *ret)
{
  g_mutex_lock(&self->mutex);
  *ret = self->counts;
  g_mutex_unlock(&self->mutex);
}

RecordingCollector *recording_collector_ref(RecordingCollector *self)
{
  g_atomic_ref_count_inc(&self->n_references);
  return self;
}

void recording_collector_unref(RecordingCollector *self)
{
  if (!g_atomic_ref_count_dec(&self->n_references))
    return;
  g_ptr_array_unref(self->streams);
  g_ptr_array_unref(self->added);
  g_mutex_clear(&self->mutex);
  g_free(self);
}
