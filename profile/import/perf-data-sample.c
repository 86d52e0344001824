/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-sample.h"

#include "profile/base/bytes.h"

#define BRANCH_ENTRY_SIZE 24
#define BRANCH_COUNTERS   (1u << 19)

/* The values of an event, or of all events of its group, with what read_format adds to them. */
static void skip_read(ProfileBytes *bytes, guint64 format)
{
  guint64 times =
      (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0) + (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0);
  guint64 each = 1 + (format & PERF_FORMAT_ID ? 1 : 0) + (format & PERF_FORMAT_LOST ? 1 : 0);
  guint64 n = format & PERF_FORMAT_GROUP ? profile_bytes_take_64(bytes) : 1;

  profile_bytes_take(bytes, n < G_MAXUINT16 ? 8 * (times + n * each) : G_MAXUINT64);
}

static void skip_branches(ProfileBytes *bytes, guint64 branch_type)
{
  guint64 n = profile_bytes_take_64(bytes);
  guint64 each = BRANCH_ENTRY_SIZE + (branch_type & BRANCH_COUNTERS ? 8 : 0);

  if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
    profile_bytes_take(bytes, 8);
  profile_bytes_take(bytes, n < G_MAXUINT16 ? n * each : G_MAXUINT64);
}

static void take_chain(ProfileBytes *bytes, ProfilePerfSample *sample)
{
  guint64 n = profile_bytes_take_64(bytes);

  sample->chain = profile_bytes_take(bytes, n < G_MAXUINT16 ? 8 * n : G_MAXUINT64);
  sample->n_chain = sample->chain ? n : 0;
}

static void take_registers(ProfileBytes *bytes, guint64 mask, ProfilePerfSample *sample)
{
  sample->registers_abi = profile_bytes_take_64(bytes);
  if (sample->registers_abi == PERF_SAMPLE_REGS_ABI_NONE)
    return;
  sample->registers_mask = mask;
  sample->n_registers = __builtin_popcountll(mask);
  sample->registers = profile_bytes_take(bytes, 8 * (guint64)sample->n_registers);
}

static void take_stack(ProfileBytes *bytes, ProfilePerfSample *sample)
{
  guint64 size = profile_bytes_take_64(bytes), used;

  if (size == 0)
    return;
  sample->stack = profile_bytes_take(bytes, size);
  used = profile_bytes_take_64(bytes);
  sample->stack_length = MIN(size, used);
  sample->stack_is_cut = used < size;
}

/* From RAW to STACK_USER; what stands behind is not kept. */
static void take_rest(ProfileBytes *bytes, const struct perf_event_attr *attr, ProfilePerfSample *sample)
{
  guint64 type = attr->sample_type;

  if (type & PERF_SAMPLE_RAW)
    profile_bytes_take(bytes, profile_bytes_take_32(bytes));
  if (type & PERF_SAMPLE_BRANCH_STACK)
    skip_branches(bytes, attr->branch_sample_type);
  if (type & PERF_SAMPLE_REGS_USER)
    take_registers(bytes, attr->sample_regs_user, sample);
  if (type & PERF_SAMPLE_STACK_USER)
    take_stack(bytes, sample);
}

gboolean profile_perf_sample_parse(const ProfilePerfRecord *record, ProfilePerfSample *ret)
{
  const struct perf_event_attr *attr = &record->event->attr;
  guint64 type = attr->sample_type;
  ProfileBytes bytes = {record->data, record->data + record->length, FALSE};

  *ret = (ProfilePerfSample){.pid = -1, .tid = -1, .cpu = G_MAXUINT32, .period = attr->sample_period};
  if (type & PERF_SAMPLE_IDENTIFIER)
    profile_bytes_take(&bytes, 8);
  if (type & PERF_SAMPLE_IP)
    ret->ip = profile_bytes_take_64(&bytes);
  if (type & PERF_SAMPLE_TID) {
    ret->pid = (gint32)profile_bytes_take_32(&bytes);
    ret->tid = (gint32)profile_bytes_take_32(&bytes);
  }
  if (type & PERF_SAMPLE_TIME)
    profile_bytes_take(&bytes, 8);
  if (type & PERF_SAMPLE_ADDR)
    ret->address = profile_bytes_take_64(&bytes);
  if (type & PERF_SAMPLE_ID)
    profile_bytes_take(&bytes, 8);
  if (type & PERF_SAMPLE_STREAM_ID)
    profile_bytes_take(&bytes, 8);
  if (type & PERF_SAMPLE_CPU)
    ret->cpu = (guint32)profile_bytes_take_64(&bytes);
  if (type & PERF_SAMPLE_PERIOD)
    ret->period = profile_bytes_take_64(&bytes);
  if (type & PERF_SAMPLE_READ)
    skip_read(&bytes, attr->read_format);
  if (type & PERF_SAMPLE_CALLCHAIN)
    take_chain(&bytes, ret);
  take_rest(&bytes, attr, ret);
  return !bytes.failed;
}
