/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/stream/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/common/clock.h"
#include "helpers/recorder/stream/names.h"

#define RECORD(kind, type_)                                                                                  \
  {                                                                                                          \
    .size = sizeof(kind), .type = (type_)                                                                    \
  }
#define COMMAND_LINE_MAX 4095
#define MESSAGE_MAX      256

int recorder_output_init(struct recorder_output *output, const struct recorder_configure *configure,
                         const struct recorder_event_type *events,
                         const struct capture_writer_options *writer_options)
{
  *output = (struct recorder_output){
      .command_lines = (configure->flags & RECORDER_NO_COMMAND_LINES) == 0,
      .events = events,
  };
  struct capture_pool_options options = {
      .size = sizeof options,
      .window_size = configure->window_size,
      .window_count = configure->window_count,
  };
  int result = capture_pool_create(&output->pool, &options);
  if (result < 0)
    return result;
  output->window_count = capture_pool_free_windows(output->pool);
  capture_sink_init_pool(&output->sink, output->pool);
  result = capture_writer_create(&output->writer, &output->sink, writer_options);
  if (result < 0)
    capture_pool_destroy(output->pool);
  else
    output->epoch = capture_writer_epoch(output->writer);
  return result;
}

void recorder_output_clear(struct recorder_output *output)
{
  capture_writer_destroy(output->writer);
  capture_pool_destroy(output->pool);
}

/* The identifier of an interned string; "" is 0. */
static int output_string(struct recorder_output *output, const char *text, uint32_t *ret)
{
  size_t length = strlen(text);
  if (length > COMMAND_LINE_MAX)
    length = COMMAND_LINE_MAX;
  int64_t id = length != 0 ? capture_writer_string(output->writer, text, length) : 0;
  if (id < 0)
    return (int)id;
  *ret = (uint32_t)id;
  return 0;
}

static int define_binary(struct recorder_output *output, const struct recorder_process *process,
                         const struct recorder_mapping *mapping)
{
  struct recorder_binary *binary = mapping->binary;
  if (output->names != NULL && process != NULL)
    recorder_names_see(output->names, process->pid, mapping);
  if (binary->epoch == output->epoch)
    return 0;
  struct capture_record_binary record = {
      .record = RECORD(struct capture_record_binary, CAPTURE_RECORD_BINARY),
      .device = binary->key.device,
      .inode = binary->key.inode,
      .inode_generation = binary->key.inode_generation,
      .mapped_start = mapping->start,
      .mapped_end = mapping->end,
      .mapped_pid = process != NULL ? process->pid : 0,
      .flags = binary->key.flags,
      .build_id_size = binary->key.build_id_size,
  };
  memcpy(record.build_id, binary->key.build_id, sizeof record.build_id);
  int result = output_string(output, binary->key.path, &record.path);
  if (result < 0)
    return result;
  record.id = capture_writer_next_id(output->writer, CAPTURE_RECORD_BINARY);
  result = capture_writer_define(output->writer, &record.record);
  if (result < 0)
    return result;
  binary->id = record.id;
  binary->epoch = output->epoch;
  if (output->names != NULL)
    recorder_names_define(output->names, binary);
  return 0;
}

int recorder_output_mapping(struct recorder_output *output, const struct recorder_process *process,
                            const struct recorder_mapping *mapping)
{
  int result = define_binary(output, process, mapping);
  if (result < 0)
    return result;
  struct capture_record_mapping record = {
      .record = RECORD(struct capture_record_mapping, CAPTURE_RECORD_MAPPING),
      .process = process != NULL ? process->id : 0,
      .binary = mapping->binary->id,
      .start = mapping->start,
      .end = mapping->end,
      .offset = mapping->offset,
      .time = mapping->time,
      .protection = mapping->protection,
      .flags = mapping->flags,
  };
  return capture_writer_define(output->writer, &record.record);
}

/* The arguments can be read only while the process lives, so they are read once. By then it may have executed
 * another program, which its name shows. */
static void know_command_line(struct recorder_output *output, struct recorder_process *process)
{
  if (!output->command_lines || process->command_line_known || process->pid <= 0)
    return;
  char text[COMMAND_LINE_MAX + 1], name[RECORDER_NAME_MAX];
  int length = recorder_proc_command_line(process->pid, text, sizeof text);
  process->command_line_known = true;
  if (length <= 0 || recorder_proc_name(process->pid, process->pid, name) < 0 ||
      strcmp(name, process->name) != 0)
    return;
  process->command_line = recorder_allocate((size_t)length + 1, 1);
  memcpy(process->command_line, text, (size_t)length);
}

static int define_process(struct recorder_output *output, struct recorder_process *process)
{
  struct capture_record_process record = {
      .record = RECORD(struct capture_record_process, CAPTURE_RECORD_PROCESS),
      .pid = process->pid,
      .parent = process->parent != NULL && process->parent->epoch == output->epoch ? process->parent->id : 0,
      .origin = process->origin,
      .time = process->time,
  };
  int result = output_string(output, process->name, &record.name);
  if (result == 0 && process->command_line != NULL)
    result = output_string(output, process->command_line, &record.command_line);
  if (result < 0)
    return result;
  record.id = capture_writer_next_id(output->writer, CAPTURE_RECORD_PROCESS);
  result = capture_writer_define(output->writer, &record.record);
  if (result < 0)
    return result;
  process->id = record.id;
  process->epoch = output->epoch;
  return 0;
}

/* Ancestors first, so that each can name its parent; their mappings wait until they are sampled themselves.
 */
static int define_lineage(struct recorder_output *output, struct recorder_process *process)
{
  while (process->epoch != output->epoch) {
    struct recorder_process *eldest = process;
    while (eldest->parent != NULL && eldest->parent->epoch != output->epoch)
      eldest = eldest->parent;
    int result = define_process(output, eldest);
    if (result < 0)
      return result;
  }
  return 0;
}

int recorder_output_process(struct recorder_output *output, struct recorder_process *process)
{
  if (process->mappings_epoch == output->epoch)
    return 0;
  if (process->epoch != output->epoch)
    know_command_line(output, process);
  int result = define_lineage(output, process);
  const struct recorder_mappings *mappings = process->mappings;
  for (uint32_t i = 0; result == 0 && mappings != NULL && i < mappings->count; i++)
    result = recorder_output_mapping(output, process, &mappings->items[i]);
  if (result == 0)
    process->mappings_epoch = output->epoch;
  return result;
}

int recorder_output_thread(struct recorder_output *output, struct recorder_thread *thread)
{
  int result = recorder_output_process(output, thread->process);
  if (result < 0 || thread->epoch == output->epoch)
    return result;
  struct capture_record_thread record = {
      .record = RECORD(struct capture_record_thread, CAPTURE_RECORD_THREAD),
      .process = thread->process->id,
      .tid = thread->tid,
      .time = thread->time,
  };
  result = output_string(output, thread->name, &record.name);
  if (result < 0)
    return result;
  record.id = capture_writer_next_id(output->writer, CAPTURE_RECORD_THREAD);
  result = capture_writer_define(output->writer, &record.record);
  if (result < 0)
    return result;
  thread->id = record.id;
  thread->epoch = output->epoch;
  return 0;
}

static int define_event(struct recorder_output *output, uint32_t index)
{
  const struct recorder_event_type *event = &output->events[index];
  struct capture_record_event record = {
      .record = RECORD(struct capture_record_event, CAPTURE_RECORD_EVENT),
      .unit = event->unit,
      .detail = event->off_cpu ? CAPTURE_DETAIL_OFF_CPU : CAPTURE_DETAIL_NONE,
      .type = event->type,
      .config = event->config,
      .config1 = event->config1,
      .config2 = event->config2,
      .period = event->frequency == 0 ? event->period : 0,
      .frequency = event->frequency,
  };
  int result = output_string(output, event->name, &record.name);
  if (result < 0)
    return result;
  record.id = capture_writer_next_id(output->writer, CAPTURE_RECORD_EVENT);
  result = capture_writer_define(output->writer, &record.record);
  if (result == 0)
    output->event_ids[index] = record.id;
  return result;
}

int recorder_output_events(struct recorder_output *output)
{
  if (output->events_epoch == output->epoch)
    return 0;
  for (uint32_t i = 0; i < RECORDER_EVENTS_MAX && output->events[i].name[0] != '\0'; i++) {
    int result = define_event(output, i);
    if (result < 0)
      return result;
  }
  output->events_epoch = output->epoch;
  return 0;
}

int recorder_output_next_epoch(struct recorder_output *output)
{
  if (output->names != NULL)
    recorder_names_collect(output->names, output->writer);
  int result = capture_writer_next_epoch(output->writer);
  output->epoch = capture_writer_epoch(output->writer);
  return result;
}

void recorder_output_record(struct recorder_output *output, const struct capture_record *record,
                            uint64_t time)
{
  if (capture_writer_record(output->writer, record, time) == 0)
    return;
  output->dropped_records++;
  output->lost++;
}

void recorder_output_say(struct recorder_output *output, const char *format, ...)
{
  union {
    struct capture_record_message record;
    char bytes[sizeof(struct capture_record_message) + MESSAGE_MAX];
  } message = {.bytes = ""};
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(message.bytes + sizeof message.record, MESSAGE_MAX, format, arguments);
  va_end(arguments);
  length = length < MESSAGE_MAX ? length : MESSAGE_MAX - 1;
  message.record.record.type = CAPTURE_RECORD_MESSAGE;
  message.record.record.size = (uint32_t)((sizeof message.record + (size_t)length + 8) & ~(size_t)7);
  message.record.time = recorder_clock_now();
  message.record.severity = 4;
  message.record.length = (uint32_t)length;
  recorder_output_record(output, &message.record.record, message.record.time);
}

void recorder_output_damaged(struct recorder_output *output)
{
  output->damaged++;
  output->lost++;
}

static int write_lost(struct recorder_output *output, uint64_t time, uint64_t samples, uint64_t records,
                      uint32_t reason, uint32_t cpu, uint32_t event)
{
  struct capture_record_lost record = {
      .record = RECORD(struct capture_record_lost, CAPTURE_RECORD_LOST),
      .time = time,
      .samples = samples,
      .records = records,
      .reason = reason,
      .cpu = cpu,
      .event = event,
  };
  return capture_writer_record(output->writer, &record.record, time);
}

void recorder_output_lost(struct recorder_output *output, uint64_t time, uint64_t samples, uint64_t records,
                          uint32_t cpu, uint32_t event)
{
  output->lost += samples + records;
  if (write_lost(output, time, samples, records, CAPTURE_LOST_RING, cpu, event) == 0)
    return;
  output->dropped += samples;
  output->dropped_records += records;
}

bool recorder_output_owes(const struct recorder_output *output)
{
  return output->dropped != 0 || output->dropped_records != 0 || output->damaged != 0;
}

void recorder_output_commit(struct recorder_output *output, uint64_t time)
{
  if ((output->dropped != 0 || output->dropped_records != 0) &&
      write_lost(output, time, output->dropped, output->dropped_records, CAPTURE_LOST_WINDOWS,
                 CAPTURE_CPU_UNKNOWN, 0) == 0)
    output->dropped = output->dropped_records = 0;
  if (output->damaged != 0 &&
      write_lost(output, time, output->damaged, 0, CAPTURE_LOST_DAMAGED, CAPTURE_CPU_UNKNOWN, 0) == 0)
    output->damaged = 0;
  capture_writer_commit(output->writer);
}
