/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-perf-data-import-private.h"

#include <errno.h>
#include <string.h>

/* How many ancestors are defined with a process that was sampled. */
#define ANCESTORS_MAX 32
#define STRING_MAX    4095

static gint64 define_string(ProfilePerfImport *self, const char *text)
{
  return capture_writer_string(self->writer, text, MIN(strlen(text), STRING_MAX));
}

#define RECORD_HEADER(what, record_type)                                                                     \
  {                                                                                                          \
    .size = sizeof(what), .type = (record_type)                                                              \
  }

static guint32 get_unit(const struct perf_event_attr *attr)
{
  if (attr->type == PERF_TYPE_SOFTWARE &&
      (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK))
    return CAPTURE_UNIT_NANOSECONDS;
  if (attr->type == PERF_TYPE_HARDWARE &&
      (attr->config == PERF_COUNT_HW_CPU_CYCLES || attr->config == PERF_COUNT_HW_REF_CPU_CYCLES))
    return CAPTURE_UNIT_CYCLES;
  return CAPTURE_UNIT_COUNT;
}

static int define_event(ProfilePerfImport *self, const ProfilePerfEvent *event)
{
  const struct perf_event_attr *attr = &event->attr;
  gint64 name = define_string(self, event->name);
  struct capture_record_event record = {
      .record = RECORD_HEADER(record, CAPTURE_RECORD_EVENT),
      .id = capture_writer_next_id(self->writer, CAPTURE_RECORD_EVENT),
      .name = (guint32)MAX(name, 0),
      .unit = get_unit(attr),
      .type = attr->type,
      .config = attr->config,
      .config1 = attr->config1,
      .config2 = attr->config2,
      .period = attr->freq ? 0 : attr->sample_period,
      .frequency = attr->freq ? attr->sample_freq : 0,
  };

  self->event_ids[event->index] = record.id;
  return name < 0 ? (int)name : capture_writer_define(self->writer, &record.record);
}

gint64 profile_perf_import_define_binary(ProfilePerfImport *self, guint32 index)
{
  ProfilePerfBinary *binary = self->binaries->pdata[index];
  struct capture_record_binary record = {.record = RECORD_HEADER(record, CAPTURE_RECORD_BINARY)};
  gint64 path;
  int status;

  if (binary->epoch == capture_writer_epoch(self->writer))
    return binary->id;
  path = define_string(self, binary->path);
  if (path < 0)
    return path;
  record.id = capture_writer_next_id(self->writer, CAPTURE_RECORD_BINARY);
  record.path = (guint32)path;
  record.device = binary->device;
  record.inode = binary->inode;
  record.inode_generation = binary->inode_generation;
  record.mapped_start = binary->mapped_start;
  record.mapped_end = binary->mapped_end;
  record.mapped_pid = binary->mapped_pid;
  record.flags = binary->flags;
  record.build_id_size = binary->build_id_size;
  memcpy(record.build_id, binary->build_id, sizeof record.build_id);
  status = capture_writer_define(self->writer, &record.record);
  if (status < 0)
    return status;
  binary->epoch = capture_writer_epoch(self->writer);
  return binary->id = record.id;
}

int profile_perf_import_define_mapping(ProfilePerfImport *self, guint32 process,
                                       const ProfilePerfMapping *mapping)
{
  gint64 binary = profile_perf_import_define_binary(self, mapping->binary);
  struct capture_record_mapping record = {
      .record = RECORD_HEADER(record, CAPTURE_RECORD_MAPPING),
      .process = process,
      .binary = (guint32)MAX(binary, 0),
      .start = mapping->start,
      .end = mapping->end,
      .offset = mapping->offset,
      .time = mapping->time,
      .protection = mapping->protection,
      .flags = mapping->flags,
  };

  return binary < 0 ? (int)binary : capture_writer_define(self->writer, &record.record);
}

static gint64 define_generation(ProfilePerfImport *self, ProfilePerfProcess *process)
{
  guint32 epoch = capture_writer_epoch(self->writer);
  gint64 name = define_string(self, process->name);
  struct capture_record_process record = {
      .record = RECORD_HEADER(record, CAPTURE_RECORD_PROCESS),
      .id = capture_writer_next_id(self->writer, CAPTURE_RECORD_PROCESS),
      .pid = process->pid,
      .parent = process->parent && process->parent->epoch == epoch ? process->parent->id : 0,
      .origin = process->origin,
      .name = (guint32)MAX(name, 0),
      .time = process->time,
  };
  int status = name < 0 ? (int)name : capture_writer_define(self->writer, &record.record);

  for (guint i = 0; i < process->maps->n && status == 0; i++)
    status = profile_perf_import_define_mapping(self, record.id, &process->maps->items[i]);
  if (status < 0)
    return status;
  process->epoch = epoch;
  return process->id = record.id;
}

gint64 profile_perf_import_define_process(ProfilePerfImport *self, ProfilePerfProcess *process)
{
  guint32 epoch = capture_writer_epoch(self->writer);
  ProfilePerfProcess *wanted[ANCESTORS_MAX];
  guint n = 0;

  for (ProfilePerfProcess *p = process; p && p->epoch != epoch && n < ANCESTORS_MAX; p = p->parent)
    wanted[n++] = p;
  while (n > 0) {
    gint64 id = define_generation(self, wanted[--n]);

    if (id < 0)
      return id;
  }
  return process->id;
}

gint64 profile_perf_import_define_thread(ProfilePerfImport *self, ProfilePerfThread *thread)
{
  struct capture_record_thread record = {.record = RECORD_HEADER(record, CAPTURE_RECORD_THREAD)};
  gint64 process, name;
  int status;

  if (thread->epoch == capture_writer_epoch(self->writer))
    return thread->id;
  process = profile_perf_import_define_process(self, thread->process);
  name = process < 0 ? process : define_string(self, thread->name);
  if (name < 0)
    return name;
  record.id = capture_writer_next_id(self->writer, CAPTURE_RECORD_THREAD);
  record.process = (guint32)process;
  record.tid = thread->tid;
  record.name = (guint32)name;
  record.time = thread->since;
  status = capture_writer_define(self->writer, &record.record);
  if (status < 0)
    return status;
  thread->epoch = capture_writer_epoch(self->writer);
  return thread->id = record.id;
}

int profile_perf_import_define_kernel_symbol(ProfilePerfImport *self, const ProfilePerfKernelSymbol *symbol)
{
  struct capture_record_kernel_symbol record = symbol->record;
  gint64 name = define_string(self, symbol->name);

  record.name = (guint32)MAX(name, 0);
  return name < 0 ? (int)name : capture_writer_define(self->writer, &record.record);
}

int profile_perf_import_begin_epoch(ProfilePerfImport *self)
{
  int status = 0;

  for (guint i = 0; i < profile_perf_data_get_n_events(self->data) && status == 0; i++)
    status = define_event(self, profile_perf_data_get_event(self->data, i));
  for (guint i = 0; i < self->kernel_mappings->len && status == 0; i++)
    status = profile_perf_import_define_mapping(self, 0,
                                                &g_array_index(self->kernel_mappings, ProfilePerfMapping, i));
  for (guint i = 0; i < self->kernel_symbols->len && status == 0; i++)
    status = profile_perf_import_define_kernel_symbol(self, self->kernel_symbols->pdata[i]);
  return status;
}
