/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "libcapture/file/capture-file-private.h"

#define DEFAULT_WINDOW_SIZE (1u << 20)
#define MIN_WINDOW_SIZE     4096u

/* A window in private memory; its content follows. */
struct sink_window {
  struct sink_window *next; /* in the list of open windows, or of those to be used again */
  uint32_t written;         /* bytes of content that stand in the file */
  uint32_t committed;
  struct capture_window_header header;
};

struct file_sink {
  capture_sink base;
  capture_file *file;
  uint32_t stream;
  uint32_t window_size;
  uint32_t sequence;
  struct sink_window *open;
  struct sink_window *spare;
};

static struct sink_window *window_of(struct capture_slot *slot)
{
  return (struct sink_window *)((uint8_t *)slot->header - offsetof(struct sink_window, header));
}

static struct sink_window *new_window(struct file_sink *sink)
{
  struct sink_window *window = sink->spare;

  if (!window)
    return malloc(sizeof *window - sizeof window->header + sink->window_size);
  sink->spare = window->next;
  return window;
}

static int file_sink_claim(capture_sink *base, const struct capture_window_header *fill,
                           struct capture_slot *slot)
{
  struct file_sink *sink = base->data;
  struct sink_window *window = new_window(sink);

  if (!window)
    return -ENOMEM;
  window->written = window->committed = 0;
  window->header = *fill;
  window->header.flags = 0;
  window->header.stream = sink->stream;
  window->header.sequence = sink->stream == 0 ? capture_file_next_sequence(sink->file) : ++sink->sequence;
  window->next = sink->open;
  sink->open = window;
  *slot = (struct capture_slot){.header = &window->header,
                                .content = (uint8_t *)(window + 1),
                                .capacity = sink->window_size - (uint32_t)sizeof window->header};
  return 0;
}

static void file_sink_commit(capture_sink *base, struct capture_slot *slot, uint32_t length)
{
  slot->committed = length;
  window_of(slot)->committed = length;
}

/* Writes what was committed since the part before. */
static int write_window(struct file_sink *sink, struct sink_window *window)
{
  int r;

  window->header.start = window->written;
  window->header.length = window->committed - window->written;
  r = capture_file_append(sink->file, &window->header, (const uint8_t *)(window + 1) + window->written);
  if (r == 0)
    window->written = window->committed;
  return r;
}

static int write_open(struct file_sink *sink, bool dictionaries)
{
  int r = 0;

  for (struct sink_window *window = sink->open; window && r == 0; window = window->next) {
    bool dictionary = window->header.kind == CAPTURE_WINDOW_DICTIONARY;

    if (dictionary == dictionaries && window->committed > window->written)
      r = write_window(sink, window);
  }
  return r;
}

/* Whatever a window refers to has to stand before it. */
static int write_dictionaries(struct file_sink *sink)
{
  return write_open(sink, true);
}

static void file_sink_retire(struct file_sink *sink, struct sink_window *window)
{
  struct sink_window **link = &sink->open;

  while (*link != window)
    link = &(*link)->next;
  *link = window->next;
  window->next = sink->spare;
  sink->spare = window;
}

static int file_sink_close(capture_sink *base, struct capture_slot *slot)
{
  struct file_sink *sink = base->data;
  struct sink_window *window = window_of(slot);
  int r = 0;

  slot->header = NULL;
  if (window->header.kind != CAPTURE_WINDOW_DICTIONARY)
    r = write_dictionaries(sink);
  window->header.flags |= CAPTURE_WINDOW_CLOSED;
  if (r == 0 && window->committed > 0)
    r = write_window(sink, window);
  file_sink_retire(sink, window);
  return r;
}

int capture_file_sink_write(capture_sink *base)
{
  struct file_sink *sink = base->data;
  int r = write_dictionaries(sink);

  return r < 0 ? r : write_open(sink, false);
}

int capture_file_sink_new(capture_sink **ret, capture_file *file, uint32_t stream, uint32_t window_size)
{
  struct file_sink *sink;

  if (window_size == 0)
    window_size = DEFAULT_WINDOW_SIZE;
  if (window_size < MIN_WINDOW_SIZE || window_size > CAPTURE_LENGTH_MAX || window_size % 8 != 0)
    return -EINVAL;
  sink = calloc(1, sizeof *sink);
  if (!sink)
    return -ENOMEM;
  sink->base = (capture_sink){
      .claim = file_sink_claim, .commit = file_sink_commit, .close = file_sink_close, .data = sink};
  sink->file = file;
  sink->stream = stream;
  sink->window_size = window_size;
  *ret = &sink->base;
  return 0;
}

static void free_windows(struct sink_window *window)
{
  while (window) {
    struct sink_window *next = window->next;

    free(window);
    window = next;
  }
}

void capture_file_sink_free(capture_sink *base)
{
  struct file_sink *sink = base ? base->data : NULL;

  if (!sink)
    return;
  free_windows(sink->open);
  free_windows(sink->spare);
  free(sink);
}
