/* SPDX-License-Identifier: BSD-2-Clause */
/* What could not be written is counted, and said as soon as something can be written again. */
#include "libcapture/inside/capture-inside-private.h"

void capture_inside_lost(capture *c, uint32_t event, uint64_t samples)
{
  uint32_t of = event <= CAPTURE_EVENTS_MAX ? event : 0;

  atomic_fetch_add_explicit(&c->lost_samples[of], samples, memory_order_relaxed);
  capture_inside_mark_pending(c, CAPTURE_PENDING_LOST);
}

void capture_inside_lost_record(capture *c)
{
  atomic_fetch_add_explicit(&c->lost_records, 1, memory_order_relaxed);
  capture_inside_mark_pending(c, CAPTURE_PENDING_LOST);
}

static bool write_lost(capture *c, struct capture_windows *w, uint32_t event, uint64_t samples,
                       uint64_t records)
{
  uint32_t id = event ? capture_inside_event_id(c, w, event) : 0;
  struct capture_record_lost *record = capture_inside_records(c, w, sizeof *record, w->now);

  if (!record)
    return false;
  *record = (struct capture_record_lost){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_LOST},
                                         .time = w->now,
                                         .samples = samples,
                                         .records = records,
                                         .reason = CAPTURE_LOST_WINDOWS,
                                         .cpu = CAPTURE_CPU_UNKNOWN,
                                         .event = id};
  capture_inside_commit_records(c, w);
  return true;
}

/* Takes a count and writes it, or puts it back. */
static bool write_count(capture *c, struct capture_windows *w, _Atomic uint64_t *count, uint32_t event)
{
  uint64_t lost = atomic_exchange_explicit(count, 0, memory_order_relaxed);
  bool records = count == &c->lost_records;

  if (lost == 0 || write_lost(c, w, event, records ? 0 : lost, records ? lost : 0))
    return true;
  atomic_fetch_add_explicit(count, lost, memory_order_relaxed);
  return false;
}

static bool write_counts(capture *c, struct capture_windows *w)
{
  bool written = write_count(c, w, &c->lost_records, 0);

  for (uint32_t i = 0; i <= CAPTURE_EVENTS_MAX && written; i++)
    written = write_count(c, w, &c->lost_samples[i], i);
  return written;
}

static bool write_message(capture *c, struct capture_windows *w, uint32_t severity, const char *text)
{
  uint32_t length = capture_inside_length(text, CAPTURE_NAME_LENGTH_MAX);
  struct capture_record_message *record;
  uint32_t size = capture_inside_padded((uint32_t)sizeof *record + length + 1);

  record = capture_inside_records(c, w, size, w->now);
  if (!record)
    return false;
  record->record = (struct capture_record){.size = size, .type = CAPTURE_RECORD_MESSAGE};
  record->time = w->now;
  record->severity = severity;
  record->length = length;
  memcpy(record->text, text, length);
  capture_inside_commit_records(c, w);
  return true;
}

void capture_inside_message(capture *c, uint32_t severity, const char *text)
{
  bool lost;
  struct capture_windows *w = capture_inside_enter(c, NULL, &lost);

  if (lost || (w && !write_message(c, w, severity, text)))
    capture_inside_lost_record(c);
  if (w)
    capture_inside_leave(c, w);
}

static bool see_to(capture *c, struct capture_windows *w, uint32_t what)
{
  switch (what) {
  case CAPTURE_PENDING_LOST:
    return write_counts(c, w);
  case CAPTURE_PENDING_NAMES:
    return write_message(c, w, 4,
                         "The table of names is full: later names are missing. Give capture_connect "
                         "a greater max_strings.");
  default:
    return capture_inside_mappings_write(c, w);
  }
}

void capture_inside_see_to_pending(capture *c, struct capture_windows *w)
{
  const uint32_t seen_to[] = {CAPTURE_PENDING_MAPPINGS, CAPTURE_PENDING_LOST, CAPTURE_PENDING_NAMES};

  for (uint32_t i = 0; i < sizeof seen_to / sizeof seen_to[0]; i++) {
    uint32_t what = seen_to[i];

    /* Taken first: what comes up meanwhile is pending again. */
    if ((atomic_fetch_and_explicit(&c->pending, ~what, memory_order_acquire) & what) != 0 &&
        !see_to(c, w, what))
      capture_inside_mark_pending(c, what);
  }
}

void capture_inside_mark_names_full(capture *c)
{
  if (!atomic_exchange_explicit(&c->names_full_said, true, memory_order_relaxed))
    capture_inside_mark_pending(c, CAPTURE_PENDING_NAMES);
}
