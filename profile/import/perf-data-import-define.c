/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-import-private.h"

#include <errno.h>
#include <string.h>

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
  gint64 name = profile_import_define_string(&self->import, event->name);
  struct capture_record_event record = {
      .record = RECORD_HEADER(record, CAPTURE_RECORD_EVENT),
      .id = capture_writer_next_id(self->import.writer, CAPTURE_RECORD_EVENT),
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
  return name < 0 ? (int)name : capture_writer_define(self->import.writer, &record.record);
}

int profile_perf_import_define_kernel_symbol(ProfilePerfImport *self, const ProfilePerfKernelSymbol *symbol)
{
  struct capture_record_kernel_symbol record = symbol->record;
  gint64 name = profile_import_define_string(&self->import, symbol->name);

  record.name = (guint32)MAX(name, 0);
  return name < 0 ? (int)name : capture_writer_define(self->import.writer, &record.record);
}

int profile_perf_import_begin_epoch(ProfilePerfImport *self)
{
  int status = 0;

  for (guint i = 0; i < profile_perf_data_get_n_events(self->data) && status == 0; i++)
    status = define_event(self, profile_perf_data_get_event(self->data, i));
  for (guint i = 0; i < self->kernel_mappings->len && status == 0; i++)
    status = profile_import_define_mapping(&self->import, 0,
                                           &g_array_index(self->kernel_mappings, ProfilePerfMapping, i));
  for (guint i = 0; i < self->kernel_symbols->len && status == 0; i++)
    status = profile_perf_import_define_kernel_symbol(self, self->kernel_symbols->pdata[i]);
  return status;
}
