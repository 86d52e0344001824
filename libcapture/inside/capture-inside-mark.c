/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks, counters, the log, and what they are named by. */
#include <errno.h>

#include "libcapture/inside/capture-inside-private.h"

#define TEXT_MAX 1023u

/* What every call here begins and ends with; see capture_inside_enter. */
struct call {
  capture *c;
  struct capture_thread *thread;
  struct capture_windows *w;
  int saved_errno;
};

static bool inside_mark_begin(struct call *call, capture *c)
{
  bool lost;

  *call = (struct call){.c = c, .saved_errno = errno};
  call->thread = capture_inside_thread(c);
  call->w = capture_inside_enter(c, call->thread, &lost);
  if (lost)
    capture_inside_lost_record(c);
  if (!call->w)
    errno = call->saved_errno;
  return call->w != NULL;
}

static void inside_mark_end(struct call *call, bool written)
{
  if (written)
    capture_inside_commit_records(call->c, call->w);
  else
    capture_inside_lost_record(call->c);
  capture_inside_leave(call->c, call->w);
  capture_inside_catch_up(call->c);
  errno = call->saved_errno;
}

static uint32_t inside_mark_intern(capture *c, uint32_t handle)
{
  if (handle == 0)
    capture_inside_mark_names_full(c);
  return handle;
}

uint32_t capture_string(capture *c, const char *text, size_t length)
{
  if (!c || !text)
    return 0;
  if (length > CAPTURE_NAME_LENGTH_MAX)
    length = length == CAPTURE_NUL ? strnlen(text, CAPTURE_NAME_LENGTH_MAX) : CAPTURE_NAME_LENGTH_MAX;
  return inside_mark_intern(c, capture_names_text(&c->names, text, length, false));
}

uint32_t capture_function(capture *c, uint32_t name, uint32_t file, uint32_t line)
{
  return c ? inside_mark_intern(c, capture_names_function(&c->names, name, file, line)) : 0;
}

static bool write_mark(struct call *call, uint32_t kind, uint64_t time, uint64_t duration, uint32_t category,
                       uint32_t name, const char *message)
{
  const uint32_t length = capture_inside_length(message, TEXT_MAX);
  const uint32_t size =
      capture_inside_padded((uint32_t)offsetof(struct capture_record_mark, message) + length + 1);
  struct capture_record_mark *record;
  struct capture_record_mark fixed = {.record = {.size = size, .type = CAPTURE_RECORD_MARK},
                                      .time = time ? time : call->w->now,
                                      .duration = kind == CAPTURE_RECORD_MARK_SPAN ? duration : 0,
                                      .kind = kind,
                                      .length = length};

  fixed.thread = capture_inside_thread_id(call->c, call->w, call->thread);
  if ((call->thread && !fixed.thread) || !capture_inside_text(call->c, call->w, category, &fixed.category) ||
      !capture_inside_text(call->c, call->w, name, &fixed.name))
    return false;
  record = capture_inside_records(call->c, call->w, size, fixed.time);
  if (!record)
    return false;
  memcpy(record, &fixed, offsetof(struct capture_record_mark, message));
  memcpy(record->message, message, length);
  return true;
}

/* Programs see the format through their own header. */
_Static_assert((int)CAPTURE_MARK_INSTANT == CAPTURE_RECORD_MARK_INSTANT &&
                   (int)CAPTURE_MARK_BEGIN == CAPTURE_RECORD_MARK_BEGIN &&
                   (int)CAPTURE_MARK_END == CAPTURE_RECORD_MARK_END &&
                   (int)CAPTURE_MARK_SPAN == CAPTURE_RECORD_MARK_SPAN,
               "as in the format");

void capture_mark_(capture *c, enum capture_mark_kind kind, uint64_t time, uint64_t duration,
                   uint32_t category, uint32_t name, const char *message)
{
  struct call call;

  if (c && (uint32_t)kind <= CAPTURE_MARK_SPAN && inside_mark_begin(&call, c))
    inside_mark_end(&call, write_mark(&call, kind, time, duration, category, name, message ? message : ""));
}

static bool write_count(struct call *call, uint32_t counter, double value)
{
  const uint32_t size = sizeof(struct capture_record_counts) + sizeof(struct capture_count);
  uint32_t id = capture_inside_counter_id(call->c, call->w, counter);
  struct capture_record_counts *record =
      id ? capture_inside_records(call->c, call->w, size, call->w->now) : NULL;

  if (!record)
    return false;
  record->record = (struct capture_record){.size = size, .type = CAPTURE_RECORD_COUNTS, .count = 1};
  record->time = call->w->now;
  record->values[0] = (struct capture_count){.counter = id, .value = value};
  return true;
}

void capture_count_(capture *c, uint32_t counter, double value)
{
  struct call call;

  if (c && counter != 0 && counter <= atomic_load_explicit(&c->n_counters, memory_order_acquire) &&
      inside_mark_begin(&call, c))
    inside_mark_end(&call, write_count(&call, counter, value));
}

static bool write_log(struct call *call, uint32_t severity, uint32_t domain, const char *text)
{
  const uint32_t length = capture_inside_length(text, TEXT_MAX);
  const uint32_t size = capture_inside_padded((uint32_t)sizeof(struct capture_record_log) + length + 1);
  uint32_t thread = capture_inside_thread_id(call->c, call->w, call->thread);
  struct capture_record_log *record;
  uint32_t domain_id;

  if ((call->thread && !thread) || !capture_inside_text(call->c, call->w, domain, &domain_id))
    return false;
  record = capture_inside_records(call->c, call->w, size, call->w->now);
  if (!record)
    return false;
  *record = (struct capture_record_log){.record = {.size = size, .type = CAPTURE_RECORD_LOG},
                                        .time = call->w->now,
                                        .thread = thread,
                                        .severity = severity,
                                        .domain = domain_id,
                                        .length = length};
  memcpy(record->text, text, length);
  return true;
}

void capture_log(capture *c, uint32_t severity, uint32_t domain, const char *text)
{
  struct call call;

  if (c && text && inside_mark_begin(&call, c))
    inside_mark_end(&call, write_log(&call, severity, domain, text));
}
