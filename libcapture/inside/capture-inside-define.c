/* SPDX-License-Identifier: BSD-2-Clause */
/* An epoch's definitions of what the program has handles for. */
#include "libcapture/inside/capture-inside-private.h"

static uint32_t next_id(_Atomic uint32_t *last)
{
  return 1 + atomic_fetch_add_explicit(last, 1, memory_order_relaxed);
}

static uint32_t define_text(capture *c, struct capture_windows *w, struct capture_name *name)
{
  const struct capture_record_string *fixed;
  uint32_t size = capture_inside_padded((uint32_t)sizeof *fixed + name->length + 1);
  struct capture_record_string *record = capture_inside_dictionary(c, w, size);
  uint32_t id;

  if (!record)
    return 0;
  id = next_id(&w->tables->strings);
  record->record = (struct capture_record){.size = size, .type = CAPTURE_RECORD_STRING};
  record->id = id;
  record->length = name->length;
  memcpy(record->bytes, c->names.arena + name->text, name->length);
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&name->definition, w->epoch, id);
}

static uint32_t text_id(capture *c, struct capture_windows *w, uint32_t handle)
{
  struct capture_name *name = capture_names_get(&c->names, handle);
  uint32_t id;

  if (!name || name->length == CAPTURE_NAME_FUNCTION)
    return 0;
  id = capture_definition_find(&name->definition, w->epoch);
  return id ? id : define_text(c, w, name);
}

static uint32_t define_function(capture *c, struct capture_windows *w, struct capture_name *function)
{
  uint32_t name = text_id(c, w, function->text);
  uint32_t file = text_id(c, w, function->file);
  struct capture_record_function *record;
  uint32_t id;

  if ((function->text && !name) || (function->file && !file))
    return 0;
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return 0;
  id = next_id(&w->tables->strings);
  *record =
      (struct capture_record_function){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_FUNCTION},
                                       .id = id,
                                       .name = name,
                                       .file = file,
                                       .line = function->line};
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&function->definition, w->epoch, id);
}

uint32_t capture_inside_name(capture *c, struct capture_windows *w, uint32_t handle)
{
  struct capture_name *name = capture_names_get(&c->names, handle);
  uint32_t id;

  if (!name)
    return 0;
  id = capture_definition_find(&name->definition, w->epoch);
  if (id)
    return id;
  return name->length == CAPTURE_NAME_FUNCTION ? define_function(c, w, name) : define_text(c, w, name);
}

bool capture_inside_text(capture *c, struct capture_windows *w, uint32_t handle, uint32_t *ret_id)
{
  struct capture_name *name = capture_names_get(&c->names, handle);

  *ret_id = 0;
  if (!name)
    return true;
  *ret_id = text_id(c, w, name->length == CAPTURE_NAME_FUNCTION ? name->text : handle);
  return *ret_id != 0;
}

uint32_t capture_inside_process_id(capture *c, struct capture_windows *w)
{
  uint32_t id = capture_definition_find(&c->process, w->epoch);
  struct capture_record_process *record;
  uint32_t name, command_line;

  if (id)
    return id;
  if (!capture_inside_text(c, w, c->process_name, &name) ||
      !capture_inside_text(c, w, c->command_line, &command_line))
    return 0;
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return 0;
  id = next_id(&w->tables->processes);
  *record =
      (struct capture_record_process){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_PROCESS},
                                      .id = id,
                                      .pid = c->told_pid,
                                      .origin = c->process_origin,
                                      .name = name,
                                      .command_line = command_line,
                                      .time = c->process_time};
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&c->process, w->epoch, id);
}

uint32_t capture_inside_thread_id(capture *c, struct capture_windows *w, struct capture_thread *thread)
{
  uint32_t id = thread ? capture_definition_find(&thread->definition, w->epoch) : 0;
  struct capture_record_thread *record;
  uint32_t name, process;

  if (id || !thread)
    return id;
  process = capture_inside_process_id(c, w);
  if (!process || !capture_inside_text(c, w, atomic_load(&thread->name), &name))
    return 0;
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return 0;
  id = next_id(&w->tables->threads);
  *record = (struct capture_record_thread){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_THREAD},
                                           .id = id,
                                           .process = process,
                                           .tid = atomic_load(&thread->told_tid),
                                           .name = name,
                                           .time = atomic_load(&thread->time)};
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&thread->definition, w->epoch, id);
}

uint32_t capture_inside_event_id(capture *c, struct capture_windows *w, uint32_t handle)
{
  struct capture_inside_event *event = &c->events[handle];
  uint32_t id = capture_definition_find(&event->definition, w->epoch);
  struct capture_record_event *record;
  uint32_t name;

  if (id)
    return id;
  if (!capture_inside_text(c, w, event->name, &name))
    return 0;
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return 0;
  id = next_id(&w->tables->events);
  *record = (struct capture_record_event){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_EVENT},
                                          .id = id,
                                          .name = name,
                                          .unit = event->unit,
                                          .period = event->period};
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&event->definition, w->epoch, id);
}

uint32_t capture_inside_counter_id(capture *c, struct capture_windows *w, uint32_t handle)
{
  struct capture_inside_counter *counter = &c->counters[handle];
  uint32_t id = capture_definition_find(&counter->definition, w->epoch);
  uint32_t texts[] = {counter->category, counter->name, counter->description, counter->unit};
  struct capture_record_counter *record;
  uint32_t process;

  if (id)
    return id;
  process = capture_inside_process_id(c, w);
  for (uint32_t i = 0; i < 4; i++) {
    if (!process || !capture_inside_text(c, w, texts[i], &texts[i]))
      return 0;
  }
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return 0;
  id = next_id(&w->tables->counters);
  *record =
      (struct capture_record_counter){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_COUNTER},
                                      .id = id,
                                      .process = process,
                                      .category = texts[0],
                                      .name = texts[1],
                                      .description = texts[2],
                                      .unit = texts[3],
                                      .flags = counter->kind};
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&counter->definition, w->epoch, id);
}
