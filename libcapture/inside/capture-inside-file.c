/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture of the program's own: the same pool, emptied into a file by ordinary calls. */
#include <errno.h>
#include <sched.h>

#include "libcapture/file/capture-file-private.h"
#include "libcapture/inside/capture-inside-private.h"

/* So many parts are written without allocation; beyond them a call that may not allocate writes nothing. */
#define PARTS_RESERVED (1u << 20)

#define PATIENCE UINT64_C(1000000000) /* nanoseconds */

static int inside_file_append(const struct capture_taken *taken, void *data)
{
  capture *c = data;
  struct capture_window_header header = taken->header;

  header.stream = (uint32_t)c->stream;
  return capture_file_append(c->file, &header, taken->content);
}

static bool try_lock(capture *c)
{
  return !atomic_exchange_explicit(&c->draining, true, memory_order_acquire);
}

static void take_all(capture *c)
{
  int64_t r;

  atomic_store_explicit(&c->drain_wanted, false, memory_order_relaxed);
  r = c->file_error < 0 ? c->file_error : capture_tap_take(c->tap, inside_file_append, c);
  if (r < 0)
    c->file_error = (int)r;
}

/* A round takes one part of each window at most. */
static void inside_file_drain(capture *c, bool may_allocate)
{
  if (!c->tap || !try_lock(c))
    return;
  if (may_allocate || capture_file_has_room(c->file, c->window_count))
    take_all(c);
  atomic_store_explicit(&c->draining, false, memory_order_release);
}

void capture_inside_drain(capture *c)
{
  inside_file_drain(c, true);
}

/* Other threads may still be in the midst of calls when the process ends. One that writes now is waited for,
 * unless it is this one, which a signal's handler ends. */
static bool lock_for_good(capture *c)
{
  uint64_t end = capture_time() + PATIENCE;

  while (!try_lock(c)) {
    if (capture_time() > end)
      return false;
    sched_yield();
  }
  return true;
}

void capture_inside_catch_up(capture *c)
{
  if (atomic_load_explicit(&c->drain_wanted, memory_order_relaxed))
    inside_file_drain(c, false);
  if ((atomic_load_explicit(&c->pending, memory_order_relaxed) & CAPTURE_PENDING_STALE) != 0)
    capture_inside_mappings_read(c);
}

int capture_inside_file_open(capture *c, int fd, const char *name)
{
  int r = capture_file_create(&c->file, fd, NULL);

  if (r == 0)
    r = capture_file_reserve(c->file, PARTS_RESERVED);
  if (r == 0) {
    c->stream = capture_file_add_stream(c->file, CAPTURE_STREAM_SAMPLER, c->pid, name);
    r = c->stream < 0 ? (int)c->stream : 0;
  }
  if (r == 0)
    r = capture_tap_open(&c->tap, capture_pool_windows_fd(c->pool), capture_pool_control_fd(c->pool));
  return r;
}

static void inside_file_finish(capture *c)
{
  take_all(c);
  if (c->file_error == 0)
    c->file_error = capture_file_add_index(c->file);
  if (c->file_error < 0)
    capture_file_end(c->file, CAPTURE_END_OUTPUT, -c->file_error, 0);
  else
    capture_file_end(c->file, CAPTURE_END_WRITTEN, 0, 0);
}

void capture_inside_file_close(capture *c, bool to_finish)
{
  if (to_finish && !lock_for_good(c))
    return;
  if (to_finish)
    inside_file_finish(c);
  capture_tap_close(c->tap);
  capture_file_free(c->file);
  c->tap = NULL;
  c->file = NULL;
}
