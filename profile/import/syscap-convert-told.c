/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a .syscap tells beside samples: marks, counters and lines of logs. */
#include <errno.h>

#include "profile/import/syscap-convert-private.h"

#define TEXT_MAX 4095

/* Text behind a record's fixed part, with a NUL and padding. */
static struct capture_record *new_record(guint16 type, gsize fixed, const char *text, guint32 *ret_length)
{
  gsize length = MIN(strlen(text), TEXT_MAX);
  struct capture_record *record = g_malloc0((fixed + length + 8) & ~(gsize)7);

  record->size = (guint32)((fixed + length + 8) & ~(gsize)7);
  record->type = type;
  memcpy((char *)record + fixed, text, length);
  *ret_length = (guint32)length;
  return record;
}

static gint64 define_text(SyscapConvert *self, const char *text)
{
  return *text ? profile_import_define_string(&self->import, text) : 0;
}

int syscap_take_mark(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  g_autofree struct capture_record_mark *record = NULL;
  ProfileSyscapMark mark;
  gint64 category, name, thread;
  guint32 length;
  int status;

  if (!profile_syscap_read_mark(frame, &mark))
    return -EBADMSG;
  thread = frame->pid > 0 ? syscap_define_thread(self, frame, frame->pid) : 0;
  category = thread < 0 ? thread : define_text(self, mark.group);
  name = category < 0 ? category : profile_import_define_string(&self->import, mark.name);
  if (name < 0)
    return (int)name;
  record = (gpointer)new_record(CAPTURE_RECORD_MARK, offsetof(struct capture_record_mark, message),
                                mark.message, &length);
  record->time = frame->time;
  record->duration = mark.duration > 0 ? (guint64)mark.duration : 0;
  record->thread = (guint32)thread;
  record->kind = mark.duration > 0 ? CAPTURE_RECORD_MARK_SPAN : CAPTURE_RECORD_MARK_INSTANT;
  record->category = (guint32)category;
  record->name = (guint32)name;
  record->length = length;
  status = capture_writer_record(self->import.writer, &record->record, frame->time);
  self->result->marks += status == 0;
  return status;
}

/* GLib's levels as syslog's. */
static guint32 get_severity(guint32 levels)
{
  if (levels & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
    return 3;
  if (levels & G_LOG_LEVEL_WARNING)
    return 4;
  return levels & (G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO) ? 6 : 7;
}

int syscap_add_line(SyscapConvert *self, const ProfileSyscapFrame *frame, guint32 severity, const char *name,
                    const char *text)
{
  g_autofree struct capture_record_log *record = NULL;
  gint64 domain, thread;
  guint32 length;
  int status;

  thread = frame->pid > 0 ? syscap_define_thread(self, frame, frame->pid) : 0;
  domain = thread < 0 ? thread : define_text(self, name);
  if (domain < 0)
    return (int)domain;
  record = (gpointer)new_record(CAPTURE_RECORD_LOG, offsetof(struct capture_record_log, text), text, &length);
  record->time = frame->time;
  record->thread = (guint32)thread;
  record->severity = severity;
  record->domain = (guint32)domain;
  record->length = length;
  status = capture_writer_record(self->import.writer, &record->record, frame->time);
  self->result->log_lines += status == 0;
  return status;
}

int syscap_take_log(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  ProfileSyscapLog log;

  return profile_syscap_read_log(frame, &log)
             ? syscap_add_line(self, frame, get_severity(log.severity), log.domain, log.message)
             : -EBADMSG;
}

void syscap_add_counters(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  guint32 n = profile_syscap_read_count(frame);
  SyscapCounter item = {.pid = frame->pid};

  for (; n > 0 && profile_syscap_read_counter(&frame->payload, &item.counter); n--) {
    SyscapCounter *kept = g_memdup2(&item, sizeof item);

    g_ptr_array_add(self->all_counters, kept);
    syscap_set(self->counters, frame->pid, item.counter.id, kept);
  }
  self->result->damaged += n > 0;
}

static gint64 define_counter(SyscapConvert *self, SyscapCounter *item)
{
  capture_writer *writer = self->import.writer;
  struct capture_record_counter record = {.record = {.size = sizeof record, .type = CAPTURE_RECORD_COUNTER}};
  gint64 process = 0, category, name, description;
  int status;

  if (item->defined.epoch == capture_writer_epoch(writer))
    return item->defined.id;
  if (item->pid > 0)
    process = profile_import_define_process(
        &self->import, profile_perf_machine_get_thread(self->machine, item->pid, item->pid)->process);
  category = process < 0 ? process : define_text(self, item->counter.category);
  name = category < 0 ? category : profile_import_define_string(&self->import, item->counter.name);
  description = name < 0 ? name : define_text(self, item->counter.description);
  if (description < 0)
    return description;
  record.id = capture_writer_next_id(writer, CAPTURE_RECORD_COUNTER);
  record.process = (guint32)process;
  record.category = (guint32)category;
  record.name = (guint32)name;
  record.description = (guint32)description;
  status = capture_writer_define(writer, &record.record);
  if (status < 0)
    return status;
  self->result->counters += item->defined.epoch == 0;
  item->defined = (SyscapDefined){record.id, capture_writer_epoch(writer)};
  return record.id;
}

static double get_value(const SyscapCounter *item, guint64 bits)
{
  double value;

  if (!item->counter.is_double)
    return (double)(gint64)bits;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int write_values(SyscapConvert *self, const ProfileSyscapValues *values, gint32 pid, guint64 time)
{
  guint64
      memory[(sizeof(struct capture_record_counts) + PROFILE_SYSCAP_VALUES * sizeof(struct capture_count)) /
             8];
  struct capture_record_counts *record = (gpointer)memory;
  guint16 n = 0;

  memset(memory, 0, sizeof memory);
  for (guint i = 0; i < PROFILE_SYSCAP_VALUES; i++) {
    SyscapCounter *item = values->ids[i] ? syscap_find(self, self->counters, pid, values->ids[i]) : NULL;
    gint64 id = item ? define_counter(self, item) : 0;

    if (id < 0)
      return (int)id;
    if (item)
      record->values[n++] =
          (struct capture_count){.counter = (guint32)id, .value = get_value(item, values->values[i])};
  }
  if (n == 0)
    return 0;
  record->record = (struct capture_record){.size = (guint32)(sizeof *record + n * sizeof record->values[0]),
                                           .type = CAPTURE_RECORD_COUNTS,
                                           .count = n};
  record->time = time;
  return capture_writer_record(self->import.writer, &record->record, time);
}

/* What was written of the frame already must not be written again. */
static int write_in_any_epoch(SyscapConvert *self, const ProfileSyscapValues *values, gint32 pid,
                              guint64 time)
{
  int status = write_values(self, values, pid, time);

  if (status != -ENOSPC)
    return status;
  status = capture_writer_next_epoch(self->import.writer);
  return status < 0 ? status : write_values(self, values, pid, time);
}

int syscap_take_values(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  guint32 n = profile_syscap_read_count(frame);
  ProfileSyscapValues values;
  int status = 0;

  for (; n > 0 && status == 0 && profile_syscap_read_values(&frame->payload, &values); n--)
    status = write_in_any_epoch(self, &values, frame->pid, frame->time);
  return status == 0 && n > 0 ? -EBADMSG : status;
}
