/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/collect/stream-private.h"

#include "libcapture/file/capture-reader.h"

/* Between the time of a sample and its program's look at the clock, and ours. */
#define LENIENCY (G_GUINT64_CONSTANT(1000000000))

/* About the recording as a whole, about files that others share, the kernel, or other processes: not for a
 * program to say. */
static gboolean is_of_others(const struct capture_record *record, gint32 pid)
{
  switch (record->type) {
  case CAPTURE_RECORD_STREAM:
  case CAPTURE_RECORD_METADATA:
  case CAPTURE_RECORD_NAMED_BINARY:
  case CAPTURE_RECORD_FUNCTIONS:
  case CAPTURE_RECORD_PLACE_FRAMES:
  case CAPTURE_RECORD_PLACE:
  case CAPTURE_RECORD_MACHINE_CODE:
  case CAPTURE_RECORD_PLACES_OUTCOME:
  case CAPTURE_RECORD_SOURCE_TEXT:
  case CAPTURE_RECORD_KERNEL_SYMBOL:
  case CAPTURE_RECORD_THROTTLE:
  case CAPTURE_RECORD_FORK:
  case CAPTURE_RECORD_EXIT:
  case CAPTURE_RECORD_CPU:
    return TRUE;
  case CAPTURE_RECORD_PROCESS:
    return capture_record_is_valid(record) && ((const struct capture_record_process *)record)->pid != pid;
  case CAPTURE_RECORD_MAPPING:
    return capture_record_is_valid(record) && ((const struct capture_record_mapping *)record)->process == 0;
  default:
    return FALSE;
  }
}

static gboolean are_records(const struct capture_taken *taken, gint32 pid)
{
  const struct capture_record *record;
  size_t position = 0;

  while ((record = capture_records_next(taken->content, taken->header.length, &position)))
    if (is_of_others(record, pid))
      return FALSE;
  return position == taken->header.length;
}

static gboolean are_samples(const struct capture_taken *taken, guint64 began, guint64 now)
{
  const struct capture_window_header *header = &taken->header;
  gsize size = header->entry_size;

  return (size == 16 || size == 24 || size == 32) && header->start % size == 0 &&
         header->length % size == 0 && header->time_first + LENIENCY >= began &&
         header->time_first <= now + LENIENCY && header->time_last <= now + LENIENCY;
}

gboolean recording_stream_may_hold(const struct capture_taken *taken, gint32 pid, guint64 began, guint64 now)
{
  switch (taken->header.kind) {
  case CAPTURE_WINDOW_DICTIONARY:
  case CAPTURE_WINDOW_RECORDS:
    return are_records(taken, pid);
  case CAPTURE_WINDOW_SAMPLES:
    return are_samples(taken, began, now);
  default:
    return FALSE;
  }
}
