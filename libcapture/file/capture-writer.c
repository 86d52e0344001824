/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "libcapture/file/capture-reader.h"
#include "libcapture/file/capture-writer-private.h"

#define MAX_SPACES (1u << 16)
#define MAX_LIMIT  CAPTURE_NODE_ID_MAX

static uint32_t writer_limit(uint32_t wanted, uint32_t fallback)
{
  return wanted ? wanted : fallback;
}

static int create_tables(capture_writer *writer, const struct capture_writer_options *options)
{
  uint64_t seed;
  int r;

  if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
    return -errno;
  r = capture_table_create(&writer->nodes, writer_limit(options->max_nodes, 1u << 20), seed);
  if (r == 0)
    r = capture_table_create(&writer->frames, writer_limit(options->max_frames, 1u << 19), seed);
  if (r == 0)
    r = capture_table_create(&writer->spaces, MAX_SPACES, seed);
  if (r == 0)
    r = capture_writer_strings_create(&writer->strings, writer_limit(options->max_strings, 1u << 16), seed);
  return r;
}

static void free_writer(capture_writer *writer)
{
  capture_table_destroy(&writer->nodes);
  capture_table_destroy(&writer->frames);
  capture_table_destroy(&writer->spaces);
  capture_writer_strings_destroy(&writer->strings);
  free(writer->events);
  free(writer);
}

int capture_writer_create(capture_writer **ret, capture_sink *sink,
                          const struct capture_writer_options *options)
{
  static const struct capture_writer_options defaults = {.size = sizeof defaults};
  capture_writer *writer;
  int r;

  if (!options)
    options = &defaults;
  if (options->max_nodes > MAX_LIMIT || options->max_frames > MAX_LIMIT || options->max_strings > MAX_LIMIT ||
      options->max_events > UINT16_MAX)
    return -EINVAL;
  writer = calloc(1, sizeof *writer);
  if (!writer)
    return -ENOMEM;
  writer->sink = sink;
  writer->epoch = 1;
  writer->max_events = writer_limit(options->max_events, 64);
  writer->events = calloc((size_t)writer->max_events + 1, sizeof *writer->events);
  r = writer->events ? create_tables(writer, options) : -ENOMEM;
  if (r < 0) {
    free_writer(writer);
    return r;
  }
  *ret = writer;
  return 0;
}

int capture_writer_destroy(capture_writer *writer)
{
  int r;

  if (!writer)
    return 0;
  r = capture_writer_flush(writer);
  free_writer(writer);
  return r;
}

uint32_t capture_writer_epoch(const capture_writer *writer)
{
  return writer->epoch;
}

int capture_writer_next_epoch(capture_writer *writer)
{
  int r = capture_writer_flush(writer);

  if (r < 0)
    return r;
  capture_writer_forget(writer);
  for (uint32_t i = 1; i <= writer->n_events; i++)
    writer->events[i] = (struct capture_writer_event){0};
  writer->n_events = 0;
  writer->epoch++;
  return 0;
}

int capture_writer_open_window(capture_writer *writer, struct capture_writer_window *window,
                               const struct capture_window_header *fill)
{
  int r;

  if (writer->error)
    return writer->error;
  r = writer->sink->claim(writer->sink, fill, &window->slot);
  if (r < 0) {
    window->slot.header = NULL;
    return r;
  }
  window->used = 0;
  window->slot.committed = 0;
  window->time_first = window->time_last = fill->time_first;
  return 0;
}

void capture_writer_commit_window(capture_writer *writer, struct capture_writer_window *window)
{
  struct capture_slot *slot = &window->slot;

  if (!slot->header || slot->committed == window->used)
    return;
  /* Before the length, with which the consumer takes them. */
  __atomic_store_n(&slot->header->time_first, window->time_first, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->header->time_last, window->time_last, __ATOMIC_RELAXED);
  writer->sink->commit(writer->sink, slot, window->used);
  slot->committed = window->used;
}

int capture_writer_close_window(capture_writer *writer, struct capture_writer_window *window)
{
  int r;

  if (!window->slot.header)
    return writer->error;
  capture_writer_commit_window(writer, window);
  r = writer->sink->close(writer->sink, &window->slot);
  window->slot.header = NULL;
  if (r < 0 && !writer->error)
    writer->error = r;
  return writer->error;
}

/* Samples and records become visible only after all that they refer to. */
static int close_referring(capture_writer *writer, struct capture_writer_window *window)
{
  capture_writer_commit_dictionary(writer);
  return capture_writer_close_window(writer, window);
}

/* Puts a record into a window of that kind: the one that is open, else another. */
static int writer_put(capture_writer *writer, struct capture_writer_window *window, uint16_t kind,
                      const struct capture_record *record, uint64_t time)
{
  const struct capture_window_header fill = {.kind = kind, .epoch = writer->epoch, .time_first = time};
  int r = 0;

  if (!window->slot.header || record->size > window->slot.capacity - window->used) {
    r = close_referring(writer, window);
    if (r == 0)
      r = capture_writer_open_window(writer, window, &fill);
    if (r == 0 && record->size > window->slot.capacity)
      r = -EINVAL;
  }
  if (r < 0)
    return r;
  memcpy(window->slot.content + window->used, record, record->size);
  window->used += record->size;
  return 0;
}

static bool belongs_in_records(uint16_t type)
{
  return (type >= CAPTURE_RECORD_LOST && type < CAPTURE_RECORD_STREAM) || type == CAPTURE_RECORD_MESSAGE;
}

int capture_writer_record(capture_writer *writer, const struct capture_record *record, uint64_t time)
{
  struct capture_writer_window *window = &writer->records;
  int r;

  if (!capture_record_is_valid(record) || !belongs_in_records(record->type))
    return -EINVAL;
  r = writer_put(writer, window, CAPTURE_WINDOW_RECORDS, record, time);
  if (r < 0)
    return r;
  if (window->time_first == 0)
    window->time_first = time;
  if (window->time_last < time)
    window->time_last = time;
  return 0;
}

static bool belongs_in_names(uint16_t type)
{
  return type == CAPTURE_RECORD_STRING || type == CAPTURE_RECORD_NAMED_BINARY ||
         type == CAPTURE_RECORD_FUNCTIONS || type == CAPTURE_RECORD_PLACE_FRAMES ||
         type == CAPTURE_RECORD_PLACE || type == CAPTURE_RECORD_MACHINE_CODE ||
         type == CAPTURE_RECORD_PLACES_OUTCOME || type == CAPTURE_RECORD_SOURCE_TEXT;
}

int capture_writer_name(capture_writer *writer, const struct capture_record *record)
{
  if (!capture_record_is_valid(record) || !belongs_in_names(record->type))
    return -EINVAL;
  return writer_put(writer, &writer->names, CAPTURE_WINDOW_NAMES, record, 0);
}

static uint32_t entry_size_needed(const struct capture_writer_event *event,
                                  const struct capture_writer_sample *sample)
{
  uint32_t size = event->entry_min;

  if (sample->has_detail)
    return 32;
  if (size == 16 && event->window.slot.header && sample->weight != event->weight)
    return 24;
  return size;
}

static bool sample_fits(const struct capture_writer_event *event, const struct capture_writer_sample *sample)
{
  const struct capture_writer_window *window = &event->window;

  return window->slot.header && event->entry_min == event->entry_size &&
         event->entry_size <= window->slot.capacity - window->used && sample->time >= window->time_last &&
         sample->time - window->time_first <= UINT32_MAX;
}

static int open_samples(capture_writer *writer, struct capture_writer_event *event,
                        const struct capture_writer_sample *sample)
{
  const struct capture_window_header fill = {.kind = CAPTURE_WINDOW_SAMPLES,
                                             .epoch = writer->epoch,
                                             .event = (uint16_t)sample->event,
                                             .entry_size = (uint16_t)event->entry_min,
                                             .time_first = sample->time,
                                             .weight = event->entry_min == 16 ? sample->weight : 0};
  int r = close_referring(writer, &event->window);

  if (r == 0)
    r = capture_writer_open_window(writer, &event->window, &fill);
  if (r < 0)
    return r;
  event->entry_size = event->entry_min;
  event->weight = fill.weight;
  return 0;
}

int capture_writer_sample(capture_writer *writer, const struct capture_writer_sample *sample)
{
  struct capture_writer_event *event;
  struct capture_sample entry;
  int r;

  if (sample->event == 0 || sample->event > writer->max_events)
    return -EINVAL;
  event = &writer->events[sample->event];
  if (sample->event > writer->n_events)
    writer->n_events = sample->event;
  if (event->entry_min == 0)
    event->entry_min = 16;
  event->entry_min = entry_size_needed(event, sample);
  if (!sample_fits(event, sample)) {
    r = open_samples(writer, event, sample);
    if (r < 0)
      return r;
  }
  entry = (struct capture_sample){.time = (uint32_t)(sample->time - event->window.time_first),
                                  .thread = sample->thread,
                                  .leaf = sample->leaf,
                                  .cpu = sample->cpu,
                                  .outcome = sample->outcome,
                                  .mode = sample->mode,
                                  .weight = sample->weight,
                                  .detail = sample->has_detail ? sample->detail : 0};
  memcpy(event->window.slot.content + event->window.used, &entry, event->entry_size);
  event->window.used += event->entry_size;
  event->window.time_last = sample->time;
  return 0;
}

void capture_writer_commit(capture_writer *writer)
{
  capture_writer_commit_dictionary(writer);
  capture_writer_commit_window(writer, &writer->records);
  capture_writer_commit_window(writer, &writer->names);
  for (uint32_t i = 1; i <= writer->n_events; i++)
    capture_writer_commit_window(writer, &writer->events[i].window);
}

int capture_writer_flush(capture_writer *writer)
{
  capture_writer_close_dictionary(writer);
  capture_writer_close_window(writer, &writer->records);
  capture_writer_close_window(writer, &writer->names);
  for (uint32_t i = 1; i <= writer->n_events; i++)
    capture_writer_close_window(writer, &writer->events[i].window);
  return writer->error;
}
