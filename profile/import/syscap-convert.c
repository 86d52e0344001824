/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/syscap-convert.h"

#include <errno.h>
#include <gio/gio.h>

#include "profile/import/perf-data-queue.h"
#include "profile/import/syscap-convert-private.h"

/* Of all processes together: more than any such file leads to, less than memory. */
#define MAPPINGS_MAX (4 * 1024 * 1024)
#define COMM_MAX     15 /* of a process, as in the kernel */
#define INFORMATION  6  /* severity of a line */

static int take_map(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  ProfileSyscapMap map;
  ProfilePerfBinary binary = {.inode = 0};
  ProfilePerfMapping mapping = {.time = frame->time};
  ProfilePerfProcess *process;

  if (!profile_syscap_read_map(frame, &map) || *map.path == '\0')
    return -EBADMSG;
  binary.path = (char *)map.path;
  binary.inode = map.inode;
  binary.flags = profile_import_get_flags(map.path);
  binary.mapped_start = mapping.start = map.start;
  binary.mapped_end = mapping.end = map.end;
  mapping.offset = map.offset;
  for (const char *c = map.build_id;
       c && g_ascii_isxdigit(c[0]) && g_ascii_isxdigit(c[1]) && binary.build_id_size < sizeof binary.build_id;
       c += 2)
    binary.build_id[binary.build_id_size++] =
        (guint8)(g_ascii_xdigit_value(c[0]) << 4 | g_ascii_xdigit_value(c[1]));
  mapping.binary = profile_import_find_binary(&self->import, &binary);
  process = profile_perf_machine_map(self->machine, frame->pid, frame->pid, &mapping);
  if (!process)
    return -EBADMSG;
  if (process->epoch != capture_writer_epoch(self->import.writer))
    return 0;
  return profile_import_define_mapping(&self->import, process->id, &mapping);
}

/* What follows is not defined again for this: a process has one name in an epoch. */
static int take_process(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  const char *command = profile_bytes_take_line(&frame->payload);
  g_auto(GStrv) words = command ? g_strsplit(command, " ", 2) : NULL;
  g_autofree char *name = words && words[0] ? g_path_get_basename(words[0]) : NULL;

  if (!name)
    return -EBADMSG;
  if (strlen(name) > COMM_MAX)
    name[COMM_MAX] = '\0';
  profile_perf_machine_rename(self->machine, frame->pid, frame->pid, name, FALSE, frame->time);
  profile_perf_machine_set_command_line(self->machine, frame->pid, command);
  return 0;
}

static int take_task(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  gboolean fork = frame->type == PROFILE_SYSCAP_FORK;
  gint32 child = fork ? (gint32)profile_bytes_take_32(&frame->payload) : frame->pid;
  struct capture_record_task task = {
      .record = {.size = sizeof task, .type = fork ? CAPTURE_RECORD_FORK : CAPTURE_RECORD_EXIT},
      .time = frame->time,
      .pid = child,
      .tid = child,
      .parent_pid = frame->pid,
      .parent_tid = frame->pid,
  };

  if (frame->payload.failed)
    return -EBADMSG;
  if (fork && child != frame->pid)
    profile_perf_machine_fork(self->machine, child, child, frame->pid, frame->pid, TRUE, frame->time);
  return capture_writer_record(self->import.writer, &task.record, frame->time);
}

/* Of an import it is a fact about all of it. What a program says beside a recording is one of its lines. */
static int add_fact(SyscapConvert *self, const ProfileSyscapFrame *frame, const char *key, const char *value)
{
  if (!self->options->facts)
    return syscap_add_line(self, frame, INFORMATION, key, value);
  g_ptr_array_add(self->options->facts, g_strconcat("sysprof.", key, NULL));
  g_ptr_array_add(self->options->facts, g_strdup(value));
  return 0;
}

static int take_metadata(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  char id[41];
  const char *text;

  return profile_syscap_read_metadata(frame, id, &text) ? add_fact(self, frame, id, text) : -EBADMSG;
}

/* Where a file of the process's file system is outside of it. */
static int take_overlay(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  const char *source, *target;
  g_autofree char *key = NULL;

  if (!profile_syscap_read_overlay(frame, &source, &target))
    return -EBADMSG;
  key = g_strdup_printf("overlay.%d %s", frame->pid, target);
  return add_fact(self, frame, key, source);
}

static int syscap_convert_take(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  switch (frame->type) {
  case PROFILE_SYSCAP_SAMPLE:
  case PROFILE_SYSCAP_TRACE:
  case PROFILE_SYSCAP_ALLOCATION:
    return syscap_take_stack(self, frame);
  case PROFILE_SYSCAP_MAP:
    return take_map(self, frame);
  case PROFILE_SYSCAP_PROCESS:
    return take_process(self, frame);
  case PROFILE_SYSCAP_FORK:
  case PROFILE_SYSCAP_EXIT:
    return take_task(self, frame);
  case PROFILE_SYSCAP_COUNTER_SET:
    return syscap_take_values(self, frame);
  case PROFILE_SYSCAP_MARK:
    return syscap_take_mark(self, frame);
  case PROFILE_SYSCAP_LOG:
    return syscap_take_log(self, frame);
  case PROFILE_SYSCAP_METADATA:
    return take_metadata(self, frame);
  case PROFILE_SYSCAP_OVERLAY:
    return take_overlay(self, frame);
  default:
    return 0;
  }
}

/* Beside what others say of the same processes, the time of its first word tells which one of that pid is
 * meant. */
static void note_time(SyscapConvert *self, const ProfileSyscapFrame *frame)
{
  ProfilePerfProcess *process;

  if (!self->options->own_names || frame->pid <= 0)
    return;
  process = profile_perf_machine_get_thread(self->machine, frame->pid, frame->pid)->process;
  if (process->time == 0)
    process->time = frame->time;
}

/* -EBADMSG is this frame's trouble; so is -ENOSPC when even an empty epoch does not hold it. */
static gboolean syscap_convert_handle(const ProfilePerfQueueEntry *entry, gpointer data, GError **error)
{
  SyscapConvert *self = data;
  ProfileSyscapFrame frame;
  int status;

  profile_syscap_get(self->syscap, entry->record, &frame);
  ProfileSyscapFrame again = frame;
  note_time(self, &frame);
  status = syscap_convert_take(self, &frame);
  if (status == -ENOSPC) {
    status = capture_writer_next_epoch(self->import.writer);
    status = status < 0 ? status : syscap_convert_take(self, &again);
  }
  self->result->last_time = MAX(self->result->last_time, entry->time);
  self->result->damaged += status == -EBADMSG || status == -ENOSPC;
  if (status == 0 || status == -EBADMSG || status == -ENOSPC)
    return TRUE;
  self->status = status;
  g_set_error_literal(error, G_IO_ERROR, g_io_error_from_errno(-status), g_strerror(-status));
  return FALSE;
}

/* Names and counters hold wherever in the file they stand; the rest is put in order. */
static void syscap_convert_survey(SyscapConvert *self, ProfilePerfQueue *queue)
{
  ProfileSyscap rest = *self->syscap;
  ProfileSyscapFrame frame;

  while (profile_syscap_next(&rest, &frame)) {
    if (frame.type == PROFILE_SYSCAP_JITMAP)
      syscap_add_names(self, &frame);
    else if (frame.type == PROFILE_SYSCAP_COUNTER_DEFINE)
      syscap_add_counters(self, &frame);
    else if (frame.type == PROFILE_SYSCAP_FILE_CHUNK)
      syscap_add_chunk(self, &frame);
    else
      profile_perf_queue_add(queue, frame.time, frame.start);
  }
  self->result->is_cut = rest.bytes.at != rest.bytes.end;
}

int profile_syscap_convert(const ProfileSyscap *syscap, capture_writer *writer,
                           const ProfileSyscapOptions *options, ProfileSyscapResult *result)
{
  g_autofree SyscapConvert *self = g_new0(SyscapConvert, 1);
  ProfilePerfQueue queue = {0};

  *result = (ProfileSyscapResult){0};
  self->syscap = syscap;
  self->options = options;
  self->result = result;
  self->machine = profile_perf_machine_new(MAPPINGS_MAX);
  self->names = syscap_new_addresses();
  self->allocations = syscap_new_addresses();
  self->symbols = g_byte_array_new();
  self->counters = syscap_new_addresses();
  self->all_counters = g_ptr_array_new_with_free_func(g_free);
  profile_import_init(&self->import);
  self->import.writer = writer;
  self->import.nameless = options->own_names;
  syscap_convert_survey(self, &queue);
  profile_perf_queue_finish(&queue, syscap_convert_handle, self, NULL);
  profile_perf_queue_clear(&queue);
  syscap_write_symbols(self);
  profile_import_clear(&self->import);
  g_byte_array_unref(self->symbols);
  g_clear_pointer(&self->ranges, g_array_unref);
  g_hash_table_unref(self->counters);
  g_ptr_array_unref(self->all_counters);
  g_hash_table_unref(self->allocations);
  g_hash_table_unref(self->names);
  profile_perf_machine_free(self->machine);
  return self->status;
}
