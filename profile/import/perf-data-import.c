/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-import.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <string.h>

#include "profile/base/bytes.h"
#include "profile/capture/capture.h"
#include "profile/import/perf-data-import-private.h"

/* Mappings of all processes together: more than any file of perf's leads to, less than memory. */
#define MAPPINGS_LEAST  (4 * 1024 * 1024)
#define BYTES_A_MAPPING 4

static int next_epoch(ProfilePerfImport *self)
{
  int status = capture_writer_next_epoch(self->import.writer);

  memset(self->cache, 0, sizeof *self->cache << PROFILE_PERF_CACHE_BITS);
  return status < 0 ? status : profile_perf_import_begin_epoch(self);
}

/* What machine and lists know already need not be said again: the new epoch begins with it. */
static int after_definition(ProfilePerfImport *self, int status)
{
  return status == -ENOSPC ? next_epoch(self) : status;
}

static int write_record(ProfilePerfImport *self, const struct capture_record *record, guint64 time)
{
  return capture_writer_record(self->import.writer, record, time);
}

static int write_lost(ProfilePerfImport *self, const ProfilePerfRecord *record, guint64 samples,
                      guint64 records, guint32 reason)
{
  struct capture_record_lost lost = {
      .record = {.size = sizeof lost, .type = CAPTURE_RECORD_LOST},
      .time = record->time,
      .samples = samples,
      .records = records,
      .reason = reason,
      .cpu = CAPTURE_CPU_UNKNOWN,
      .event = record->event ? self->event_ids[record->event->index] : 0,
  };

  return write_record(self, &lost.record, record->time);
}

static int take_lost(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  ProfileBytes bytes = {record->data, record->data + record->length, FALSE};
  guint64 n;

  if (record->type == PERF_RECORD_LOST)
    profile_bytes_take(&bytes, 8);
  n = profile_bytes_take_64(&bytes);
  if (n == 0)
    return 0;
  self->result->lost += n;
  if (record->type == PERF_RECORD_LOST)
    return write_lost(self, record, 0, n, CAPTURE_LOST_RING);
  return write_lost(self, record, n, 0, CAPTURE_LOST_RING);
}

static int take_throttle(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  struct capture_record_throttle throttle = {
      .record = {.size = sizeof throttle, .type = CAPTURE_RECORD_THROTTLE},
      .time = record->time,
      .event = record->event ? self->event_ids[record->event->index] : 0,
      .cpu = CAPTURE_CPU_UNKNOWN,
      .on = record->type == PERF_RECORD_THROTTLE,
  };

  return write_record(self, &throttle.record, record->time);
}

static int take_task(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  ProfileBytes bytes = {record->data, record->data + record->length, FALSE};
  gboolean fork = record->type == PERF_RECORD_FORK;
  struct capture_record_task task = {
      .record = {.size = sizeof task, .type = fork ? CAPTURE_RECORD_FORK : CAPTURE_RECORD_EXIT},
      .time = record->time,
  };

  task.pid = (gint32)profile_bytes_take_32(&bytes);
  task.parent_pid = (gint32)profile_bytes_take_32(&bytes);
  task.tid = (gint32)profile_bytes_take_32(&bytes);
  task.parent_tid = (gint32)profile_bytes_take_32(&bytes);
  if (bytes.failed)
    return 0;
  if (fork)
    profile_perf_machine_fork(self->machine, task.pid, task.tid, task.parent_pid, task.parent_tid,
                              !(record->misc & PERF_RECORD_MISC_FORK_EXEC), record->time);
  /* Synthesized ones tell what existed, not what happened. */
  return record->time > 0 ? write_record(self, &task.record, record->time) : 0;
}

static void take_comm(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  ProfileBytes bytes = {record->data, record->data + record->length, FALSE};
  gint32 pid = (gint32)profile_bytes_take_32(&bytes);
  gint32 tid = (gint32)profile_bytes_take_32(&bytes);
  g_autofree char *name = profile_bytes_take_text(&bytes, bytes.end - bytes.at);

  if (!bytes.failed)
    profile_perf_machine_rename(self->machine, pid, tid, name,
                                (record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0, record->time);
}

static int take_kernel_symbol(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  ProfileBytes bytes = {record->data, record->data + record->length, FALSE};
  ProfilePerfKernelSymbol *symbol = g_new0(ProfilePerfKernelSymbol, 1);
  guint32 type_and_flags;

  symbol->record.record =
      (struct capture_record){.size = sizeof symbol->record, .type = CAPTURE_RECORD_KERNEL_SYMBOL};
  symbol->record.time = record->time;
  symbol->record.address = profile_bytes_take_64(&bytes);
  symbol->record.length = profile_bytes_take_32(&bytes);
  type_and_flags = profile_bytes_take_32(&bytes);
  symbol->record.type = type_and_flags & 0xffff;
  symbol->record.flags = type_and_flags >> 16 & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
  symbol->name = profile_bytes_take_text(&bytes, bytes.end - bytes.at);
  if (!symbol->name)
    symbol->name = g_strdup("");
  g_ptr_array_add(self->kernel_symbols, symbol);
  return self->import.writer ? profile_perf_import_define_kernel_symbol(self, symbol) : 0;
}

static void free_kernel_symbol(gpointer data)
{
  ProfilePerfKernelSymbol *symbol = data;

  g_free(symbol->name);
  g_free(symbol);
}

/* Kept only of what could not be walked to its end here: where the binaries are, it may be. */
static int write_user_stack(ProfilePerfImport *self, const ProfilePerfRecord *record,
                            const ProfilePerfSample *sample, guint32 thread)
{
  gsize registers = 8 * (gsize)sample->n_registers;
  gsize size =
      sizeof(struct capture_record_user_stack) + registers + (((gsize)sample->stack_length + 7) & ~(gsize)7);
  g_autofree struct capture_record_user_stack *stack = g_malloc0(size);

  stack->record = (struct capture_record){
      .size = (guint32)size, .type = CAPTURE_RECORD_USER_STACK, .count = (guint16)sample->n_registers};
  stack->time = record->time;
  stack->event = self->event_ids[record->event->index];
  stack->thread = thread;
  stack->abi = sample->registers_abi;
  stack->mask = sample->registers_mask;
  stack->stack_length = sample->stack_length;
  if (registers > 0)
    memcpy(stack->registers, sample->registers, registers);
  if (sample->stack_length > 0)
    memcpy((guint8 *)stack->registers + registers, sample->stack, sample->stack_length);
  return write_record(self, &stack->record, record->time);
}

static int write_sample(ProfilePerfImport *self, const ProfilePerfRecord *record,
                        const ProfilePerfSample *sample)
{
  ProfilePerfThread *thread = profile_perf_machine_get_thread(self->machine, sample->pid, sample->tid);
  guint16 mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
  struct capture_writer_sample entry = {
      .time = record->time,
      .event = self->event_ids[record->event->index],
      .cpu = (guint16)MIN(sample->cpu, CAPTURE_CPU_UNKNOWN),
      .mode = (guint8)(mode <= CAPTURE_MODE_GUEST_USER ? mode : CAPTURE_MODE_UNKNOWN),
      .weight = sample->period,
  };
  gint64 id = profile_import_define_thread(&self->import, thread);
  gint64 leaf =
      id < 0 ? id : profile_perf_import_define_stack(self, record, sample, thread->process, &entry.outcome);
  int status;

  if (leaf < 0)
    return (int)leaf;
  entry.thread = (guint32)id;
  entry.leaf = (guint32)leaf;
  status = capture_writer_sample(self->import.writer, &entry);
  if (status < 0 || (entry.outcome & ~CAPTURE_OUTCOME_BY_FRAME_POINTERS) == CAPTURE_OUTCOME_COMPLETE ||
      sample->registers_abi == PERF_SAMPLE_REGS_ABI_NONE)
    return status;
  return write_user_stack(self, record, sample, (guint32)id);
}

static int take_sample(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  ProfilePerfSample sample;
  int status;

  if (!record->event || !profile_perf_sample_parse(record, &sample)) {
    self->result->damaged++;
    return write_lost(self, record, 1, 0, CAPTURE_LOST_DAMAGED);
  }
  status = write_sample(self, record, &sample);
  if (status == -ENOSPC) {
    status = next_epoch(self);
    if (status == 0)
      status = write_sample(self, record, &sample);
  }
  self->result->samples++;
  self->last_time = MAX(self->last_time, record->time);
  return status;
}

/* The capture begins with the first record that has a time, or that says something without one. */
static int open_if_needed(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  switch (record->type) {
  case PERF_RECORD_MMAP:
  case PERF_RECORD_MMAP2:
  case PERF_RECORD_COMM:
  case PERF_RECORD_FORK:
  case PERF_RECORD_EXIT:
  case PERF_RECORD_KSYMBOL:
  case PERF_RECORD_BPF_EVENT:
  case PERF_RECORD_NAMESPACES:
  case PERF_RECORD_CGROUP:
    if (record->time == 0)
      return 0;
  }
  return self->import.writer ? 0 : profile_perf_import_open(self, record->time);
}

static int perf_data_import_take(ProfilePerfImport *self, const ProfilePerfRecord *record)
{
  switch (record->type) {
  case PERF_RECORD_SAMPLE:
    return take_sample(self, record);
  case PERF_RECORD_MMAP:
  case PERF_RECORD_MMAP2:
    return after_definition(self, profile_perf_import_map(self, record));
  case PERF_RECORD_COMM:
    take_comm(self, record);
    return 0;
  case PERF_RECORD_FORK:
  case PERF_RECORD_EXIT:
    return take_task(self, record);
  case PERF_RECORD_LOST:
  case PERF_RECORD_LOST_SAMPLES:
    return take_lost(self, record);
  case PERF_RECORD_THROTTLE:
  case PERF_RECORD_UNTHROTTLE:
    return take_throttle(self, record);
  case PERF_RECORD_KSYMBOL:
    return after_definition(self, take_kernel_symbol(self, record));
  default:
    return 0;
  }
}

static void set_error(const ProfilePerfImport *self, int status, GError **error)
{
  const char *name = profile_perf_data_get_name(self->data);

  if (status == -E2BIG)
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED,
                _("“%s” is damaged: a process has more mappings than is possible."), name);
  else
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(-status), _("The capture could not be written: %s."),
                g_strerror(-status));
}

static gboolean perf_data_import_handle(const ProfilePerfRecord *record, gpointer data, GError **error)
{
  ProfilePerfImport *self = data;
  int status = open_if_needed(self, record);

  if (status == 0)
    status = perf_data_import_take(self, record);
  if (status < 0)
    set_error(self, status, error);
  return status == 0;
}

static gboolean perf_data_import_convert(ProfilePerfImport *self, GError **error)
{
  int status = 0;

  if (!profile_perf_data_foreach(self->data, perf_data_import_handle, self, &self->result->warning, error))
    return FALSE;
  if (!self->import.writer)
    status = profile_perf_import_open(self, 0);
  if (status == 0)
    status = profile_perf_import_close(self);
  if (status < 0)
    set_error(self, status, error);
  return status == 0;
}

static void perf_data_import_init(ProfilePerfImport *self)
{
  self->machine = profile_perf_machine_new(
      MAPPINGS_LEAST + (gint64)(profile_perf_data_get_size(self->data) / BYTES_A_MAPPING));
  profile_import_init(&self->import);
  self->kernel_mappings = g_array_new(FALSE, FALSE, sizeof(ProfilePerfMapping));
  self->kernel_symbols = g_ptr_array_new_with_free_func(free_kernel_symbol);
  self->event_ids = g_new0(guint32, profile_perf_data_get_n_events(self->data));
  self->cache = g_new0(ProfilePerfCachedFrame, 1 << PROFILE_PERF_CACHE_BITS);
}

static void perf_data_import_clear(ProfilePerfImport *self)
{
  if (self->import.writer)
    capture_writer_destroy(self->import.writer);
  if (self->sink)
    capture_file_sink_free(self->sink);
  if (self->file)
    capture_file_free(self->file);
  profile_perf_machine_free(self->machine);
  profile_import_clear(&self->import);
  g_array_unref(self->kernel_mappings);
  g_ptr_array_unref(self->kernel_symbols);
  g_free(self->event_ids);
  g_free(self->cache);
  g_clear_pointer(&self->unwinder, profile_unwinder_free);
}

gboolean profile_perf_import(ProfilePerfData *data, int fd, const ProfileImportOptions *options,
                             ProfileImportResult *ret_result, GError **error)
{
  static const ProfileImportOptions none;
  ProfileImportResult result = {0};
  g_autofree ProfilePerfImport *self = g_new0(ProfilePerfImport, 1);
  gboolean done;

  self->data = data;
  self->fd = fd;
  self->options = options ? options : &none;
  self->result = &result;
  perf_data_import_init(self);
  done = perf_data_import_convert(self, error);
  perf_data_import_clear(self);
  if (done)
    *ret_result = result;
  else
    g_free(result.warning);
  return done;
}
