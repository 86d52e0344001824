/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where records come from: sources, their parts and streams. What every stage of loading stands on. */
#include <errno.h>
#include <glib/gi18n.h>
#include <inttypes.h>

#include "profile/load/loader-private.h"

enum { MAX_PROBLEMS = 100 };

void load_problem(Load *load, const char *format, ...)
{
  va_list arguments;

  g_mutex_lock(&load->lock);
  if (load->capture->problems->len < MAX_PROBLEMS) {
    va_start(arguments, format);
    g_ptr_array_add(load->capture->problems, g_strdup_vprintf(format, arguments));
    va_end(arguments);
  }
  g_mutex_unlock(&load->lock);
}

static void take_buffer(Load *load, LoadPart *part)
{
  g_mutex_lock(&load->lock);
  if (load->buffers->len > 0) {
    part->buffer = g_array_index(load->buffers, LoadBuffer, load->buffers->len - 1);
    g_array_set_size(load->buffers, load->buffers->len - 1);
  }
  g_mutex_unlock(&load->lock);
}

void load_release_content(Load *load, LoadPart *part)
{
  part->content = NULL;
  if (!part->buffer.bytes)
    return;
  g_mutex_lock(&load->lock);
  g_array_append_val(load->buffers, part->buffer);
  g_mutex_unlock(&load->lock);
  part->buffer = (LoadBuffer){0};
}

gboolean load_content(Load *load, LoadPart *part)
{
  size_t length = 0;
  const uint8_t *content = NULL;

  take_buffer(load, part);
  int result = capture_reader_content(part->source->reader, part->number, &part->buffer.bytes,
                                      &part->buffer.size, &content, &length);
  if (result == 0 && length == part->header->length) {
    part->content = content;
    part->length = length;
    return TRUE;
  }
  if (result == -ENODATA)
    g_atomic_int_set(&load->cut_off, TRUE);
  load_problem(load, _("The window at byte %" PRIu64 " is damaged and was left out: %s."),
               capture_reader_part(part->source->reader, part->number)->offset,
               result == 0 ? _("wrong length") : g_strerror(-result));
  load_release_content(load, part);
  return FALSE;
}

LoadStream *load_get_stream(Load *load, guint32 number)
{
  LoadStream *stream = g_hash_table_lookup(load->streams, GUINT_TO_POINTER(number));

  if (!stream) {
    stream = g_new0(LoadStream, 1);
    stream->number = number;
    stream->name = "";
    stream->first = G_MAXUINT64;
    g_hash_table_insert(load->streams, GUINT_TO_POINTER(number), stream);
  }
  return stream;
}

static LoadEpoch *get_epoch(Load *load, LoadSource *source, const struct capture_window_header *header)
{
  guint64 key = (guint64)header->stream << 32 | header->epoch;
  LoadEpoch *epoch = g_hash_table_lookup(source->epochs, &key);

  if (!epoch) {
    epoch = g_new0(LoadEpoch, 1);
    epoch->of = source->stream ? source->stream : load_get_stream(load, header->stream);
    epoch->stream = epoch->of->number;
    epoch->epoch = header->epoch;
    g_ptr_array_add(load->epochs, epoch);
    g_hash_table_insert(source->epochs, g_memdup2(&key, sizeof key), epoch);
  }
  return epoch;
}

/* When the stream was at work. */
static void note_times(LoadStream *stream, const struct capture_window_header *header)
{
  if (header->kind != CAPTURE_WINDOW_SAMPLES && header->kind != CAPTURE_WINDOW_RECORDS)
    return;
  if (header->time_first > 0)
    stream->first = MIN(stream->first, header->time_first);
  stream->last = MAX(stream->last, MAX(header->time_first, header->time_last));
}

/* No capture that anybody recorded is packed as tightly as this; one that is made to fill memory is cut
 * short. */
static gboolean take_budget(Load *load, const struct capture_window_header *header)
{
  if (header->length > load->budget) {
    load_problem(
        load, _("Window %u of stream %u is left out: the capture claims to hold more than its size allows."),
        header->sequence, header->stream);
    return FALSE;
  }
  load->budget -= header->length;
  return TRUE;
}

void load_add_source(Load *load, LoadSource *source)
{
  g_ptr_array_add(load->sources, source);
  source->epochs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (gsize i = 0; i < capture_reader_n_parts(source->reader); i++) {
    const struct capture_window_header *header = &capture_reader_part(source->reader, i)->header;
    if (header->kind >= G_N_ELEMENTS(load->parts) || header->length == 0 || !take_budget(load, header) ||
        (source->stream && header->stream == 0))
      continue;
    LoadPart part = {
        .source = source, .number = i, .header = header, .epoch = get_epoch(load, source, header)};
    note_times(part.epoch->of, header);
    g_array_append_val(load->parts[header->kind], part);
  }
}

gboolean load_is_inside(const LoadStream *stream)
{
  return stream->kind == CAPTURE_STREAM_SAMPLER || stream->kind == CAPTURE_STREAM_FOREIGN;
}
