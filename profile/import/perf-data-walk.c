/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>

#include "profile/capture/capture.h"
#include "profile/import/perf-data-private.h"

/* Nothing that a profiler writes compresses better; zeroes do. */
#define INFLATE_FACTOR 200
#define INFLATE_LEAST  (16 * 1024 * 1024)

typedef struct {
  ProfilePerfData *data;
  ProfilePerfRecordFunc func;
  gpointer func_data;
} Walk;

gsize profile_perf_data_record_size(const guint8 *at, gsize length)
{
  gsize size;
  guint64 payload = 0;

  if (length < PROFILE_PERF_RECORD_HEADER)
    return 0;
  size = profile_bytes_load_16(at + 6);
  if (size < PROFILE_PERF_RECORD_HEADER || size > length)
    return 0;
  if (profile_bytes_load_32(at) == PROFILE_PERF_HEADER_TRACING_DATA && size >= 12)
    payload = ((guint64)profile_bytes_load_32(at + 8) + 7) & ~(guint64)7;
  if (profile_bytes_load_32(at) == PROFILE_PERF_AUXTRACE && size >= 16)
    payload = profile_bytes_load_64(at + 8);
  return payload <= length - size ? size + payload : 0;
}

static gboolean is_sample(const guint8 *record)
{
  return profile_bytes_load_32(record) == PERF_RECORD_SAMPLE;
}

/* How many of the u64 that `fields` names stand in a sample: before others at its beginning. */
static guint count_fields(guint64 sample_type, guint64 fields)
{
  return __builtin_popcountll(sample_type & fields);
}

/* Kernels make the record of a kernel symbol larger by its trailer for each event that they tell of it before
 * this one: what counts stands behind the name. Where the record ends. */
static gsize find_end(guint64 sample_type, const guint8 *record)
{
  static const guint64 trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
  const gsize fixed = PROFILE_PERF_RECORD_HEADER + 16;
  gsize size = profile_bytes_load_16(record + 6);

  if (profile_bytes_load_32(record) != PERF_RECORD_KSYMBOL || size < fixed)
    return size;
  gsize name = strnlen((const char *)record + fixed, size - fixed) / 8 * 8 + 8;
  return MIN(size, fixed + name + 8 * (gsize)count_fields(sample_type, trailer));
}

/* A field of one u64, where the record is long enough. It stands `before` from the beginning of a sample's
 * data or `after` from the end of any other record. */
static gboolean load_field(guint64 sample_type, const guint8 *record, guint before, guint after, guint64 *ret)
{
  gsize size = find_end(sample_type, record);
  gsize needed = is_sample(record) ? 8 * ((gsize)before + 1) : 8 * (gsize)after;

  if (size < PROFILE_PERF_RECORD_HEADER + needed)
    return FALSE;
  *ret = profile_bytes_load_64(is_sample(record) ? record + PROFILE_PERF_RECORD_HEADER + 8 * before
                                                 : record + size - 8 * after);
  return TRUE;
}

static gboolean has_fields(const ProfilePerfEvent *event, const guint8 *record)
{
  return is_sample(record) || event->attr.sample_id_all;
}

/* Before the time of a sample stand IDENTIFIER, IP and TID; after that of another record what `after` names.
 */
static guint64 find_time(const ProfilePerfEvent *event, const guint8 *record)
{
  static const guint64 before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
  static const guint64 after =
      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
  guint64 type = event->attr.sample_type, time;

  if (!(type & PERF_SAMPLE_TIME) || !has_fields(event, record) ||
      !load_field(type, record, count_fields(type, before), count_fields(type, after) + 1, &time))
    return 0;
  return time == G_MAXUINT64 ? 0 : time;
}

static gboolean find_id(guint64 type, const guint8 *record, guint64 *ret)
{
  static const guint64 before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
  static const guint64 after = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

  if (type & PERF_SAMPLE_IDENTIFIER)
    return load_field(type, record, 0, 1, ret);
  if (type & PERF_SAMPLE_ID)
    return load_field(type, record, count_fields(type, before), count_fields(type, after) + 1, ret);
  return FALSE;
}

/* As perf: an identifier of 0 is that of a synthesized record and means the first event. */
static const ProfilePerfEvent *find_event(ProfilePerfData *self, const guint8 *record)
{
  const ProfilePerfEvent *first = self->events->pdata[0];
  guint64 id;

  if (self->events->len == 1 || !has_fields(first, record))
    return first;
  if (!find_id(first->attr.sample_type, record, &id) || id == 0)
    return first;
  return g_hash_table_lookup(self->ids, &id);
}

static gboolean perf_data_walk_deliver(const ProfilePerfQueueEntry *entry, gpointer data, GError **error)
{
  Walk *walk = data;
  const guint8 *at = entry->record;
  ProfilePerfRecord record = {
      .type = profile_bytes_load_32(at),
      .misc = profile_bytes_load_16(at + 4),
      .length = (guint32)profile_bytes_load_16(at + 6) - PROFILE_PERF_RECORD_HEADER,
      .data = at + PROFILE_PERF_RECORD_HEADER,
      .time = entry->time,
      .event = find_event(walk->data, at),
  };

  return walk->func(&record, walk->func_data, error);
}

static gboolean take_kernel_record(Walk *walk, const guint8 *at, GError **error)
{
  ProfilePerfData *self = walk->data;
  const ProfilePerfEvent *event = find_event(self, at);
  guint64 time = find_time(event ? event : self->events->pdata[0], at);

  if (time == 0)
    return perf_data_walk_deliver(&(ProfilePerfQueueEntry){0, at}, walk, error);
  profile_perf_queue_add(&self->queue, time, at);
  return TRUE;
}

static gboolean walk_records(Walk *walk, const guint8 *bytes, gsize length, gsize *done, GError **error);

static gboolean perf_data_walk_inflate(Walk *walk, const guint8 *at, GError **error)
{
  ProfilePerfData *self = walk->data;
  gsize size = profile_bytes_load_16(at + 6), skip = PROFILE_PERF_RECORD_HEADER, length = size - skip;
  const guint8 *bytes;
  const char *wrong;

  if (profile_bytes_load_32(at) == PROFILE_PERF_COMPRESSED2 && length >= 8) {
    skip += 8;
    length = MIN(length - 8, profile_bytes_load_64(at + PROFILE_PERF_RECORD_HEADER));
  }
  if (!self->inflate)
    self->inflate = profile_perf_inflate_new(MAX(INFLATE_LEAST, self->size * INFLATE_FACTOR));
  wrong = self->inflate ? profile_perf_inflate_add(self->inflate, at + skip, length)
                        : _("there is no memory for its compressed records");
  if (wrong) {
    profile_perf_data_set_damaged(self, error, wrong);
    return FALSE;
  }
  bytes = profile_perf_inflate_get_bytes(self->inflate, &length);
  return walk_records(walk, bytes, length, &self->inflate_done, error);
}

static gboolean take_record(Walk *walk, const guint8 *at, gboolean inflated, GError **error)
{
  ProfilePerfData *self = walk->data;
  guint32 type = profile_bytes_load_32(at);

  if (type < PROFILE_PERF_USER_TYPE_START)
    return take_kernel_record(walk, at, error);
  if (type == PROFILE_PERF_FINISHED_ROUND)
    return profile_perf_queue_end_round(&self->queue, perf_data_walk_deliver, walk, error);
  if ((type == PROFILE_PERF_COMPRESSED || type == PROFILE_PERF_COMPRESSED2) && !inflated)
    return perf_data_walk_inflate(walk, at, error);
  return TRUE;
}

/* Takes the whole records from *done on and moves it behind them. */
static gboolean walk_records(Walk *walk, const guint8 *bytes, gsize length, gsize *done, GError **error)
{
  gboolean inflated = bytes != walk->data->bytes;

  while (*done < length) {
    gsize size = profile_perf_data_record_size(bytes + *done, length - *done);
    const guint8 *at = bytes + *done;

    if (size == 0)
      break;
    *done += size;
    if (!take_record(walk, at, inflated, error))
      return FALSE;
  }
  return TRUE;
}

static char *describe_end(const ProfilePerfData *self, gsize done)
{
  if (self->cut_off)
    return g_strdup_printf(_("“%s” was cut off; everything up to byte %zu was taken."), self->name, done);
  if (self->unfinished)
    return g_strdup_printf(
        _("“%s” was not finished by perf, which was probably killed; everything up to byte %zu "
          "was taken."),
        self->name, done);
  if (done < self->data_end)
    return g_strdup_printf(_("“%s” is damaged or cut off at byte %zu; what follows was left out."),
                           self->name, done);
  return NULL;
}

gboolean profile_perf_data_foreach(ProfilePerfData *self, ProfilePerfRecordFunc func, gpointer data,
                                   char **ret_warning, GError **error)
{
  Walk walk = {self, func, data};
  gsize done = self->data_start;

  if (!walk_records(&walk, self->bytes, self->data_end, &done, error) ||
      !profile_perf_queue_finish(&self->queue, perf_data_walk_deliver, &walk, error))
    return FALSE;
  *ret_warning = describe_end(self, done);
  return TRUE;
}
