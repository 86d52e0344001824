/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tasks/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"

#define GRACE        UINT64_C(1000000000)
#define DOUBT_PERIOD UINT64_C(1000000000)
#define GRAVES_MIN   64
/* Ancestors that are kept for the sake of their children; keeps a line of processes that each fork one and
 * exit from growing for ever. */
#define ANCESTORS_MAX 16

static void process_forget(struct recorder_tasks *tasks, struct recorder_process *process)
{
  if (tasks->forget != NULL)
    tasks->forget(process, tasks->forget_data);
}

static void process_release(struct recorder_tasks *tasks, struct recorder_process *process)
{
  while (process != NULL && --process->references == 0) {
    struct recorder_process *parent = process->parent;
    process_forget(tasks, process);
    recorder_mappings_release(process->mappings, &tasks->binaries);
    recorder_frames_clear(&process->frames);
    free(process->command_line);
    free(process);
    process = parent;
  }
}

static void set_parent(struct recorder_tasks *tasks, struct recorder_process *process,
                       struct recorder_process *parent)
{
  process->parent = parent;
  parent->references++;
  struct recorder_process *ancestor = process;
  for (int i = 0; i < ANCESTORS_MAX && ancestor != NULL; i++)
    ancestor = ancestor->parent;
  if (ancestor != NULL && ancestor->parent != NULL) {
    process_release(tasks, ancestor->parent);
    ancestor->parent = NULL;
  }
}

/* Enters a generation; the one before it, if any, leaves the table. */
static struct recorder_process *process_enter(struct recorder_tasks *tasks, int32_t pid, uint32_t origin,
                                              uint64_t time)
{
  struct recorder_process *process = recorder_allocate(1, sizeof *process);
  struct recorder_process *before = recorder_table_find(&tasks->processes, (uint32_t)pid);
  process->references = 1;
  process->pid = pid;
  process->origin = origin;
  process->time = time;
  process->doubt = tasks->doubt;
  recorder_table_set(&tasks->processes, (uint32_t)pid, process);
  if (before != NULL)
    process_forget(tasks, before);
  process_release(tasks, before);
  return process;
}

/* No sample comes any more: keeps of the process only what its children may need. */
static void process_leave(struct recorder_tasks *tasks, struct recorder_process *process)
{
  process_forget(tasks, process);
  recorder_frames_clear(&process->frames);
  recorder_mappings_release(process->mappings, &tasks->binaries);
  process->mappings = NULL;
  if (recorder_table_find(&tasks->processes, (uint32_t)process->pid) == process) {
    recorder_table_remove(&tasks->processes, (uint32_t)process->pid);
    process_release(tasks, process);
  }
}

static void thread_unlink(struct recorder_tasks *tasks, struct recorder_thread *thread)
{
  struct recorder_process *process = thread->process;
  if (--process->n_threads == 0)
    process_leave(tasks, process);
  process_release(tasks, process);
}

static void thread_join(struct recorder_thread *thread, struct recorder_process *process)
{
  thread->process = process;
  process->references++;
  process->n_threads++;
}

static void thread_free(struct recorder_tasks *tasks, struct recorder_thread *thread)
{
  tasks->n_alive -= !thread->gone;
  thread_unlink(tasks, thread);
  free(thread->memo);
  free(thread);
}

static struct recorder_thread *thread_enter(struct recorder_tasks *tasks, struct recorder_process *process,
                                            int32_t tid, uint64_t time)
{
  struct recorder_thread *before = recorder_table_find(&tasks->threads, (uint32_t)tid);
  struct recorder_thread *thread = recorder_allocate(1, sizeof *thread);
  thread->tid = tid;
  thread->time = time;
  tasks->n_alive++;
  thread_join(thread, process);
  recorder_table_set(&tasks->threads, (uint32_t)tid, thread);
  /* One that went is freed with its grave. */
  if (before != NULL && !before->gone)
    thread_free(tasks, before);
  return thread;
}

struct scan {
  struct recorder_tasks *tasks;
  struct recorder_process *process;
  uint64_t time;
};

/* An event says how much of a file was mapped; what was mapped over its end since, data most of the time, is
 * told by no event. Under another key, /proc tells no build-id, it would be another binary. */
static bool is_known(const struct recorder_process *process, const struct recorder_map_line *line,
                     const struct recorder_binary_key *key)
{
  const struct recorder_mapping *mapping = recorder_mappings_find(process->mappings, line->start);
  return mapping != NULL && mapping->start == line->start && mapping->end >= line->end &&
         mapping->offset == line->offset && mapping->binary->key.path_length == key->path_length &&
         memcmp(mapping->binary->key.path, key->path, key->path_length) == 0;
}

static void scan_mapping(const struct recorder_map_line *line, void *data)
{
  struct scan *scan = data;
  struct recorder_binary_key key = {.device = line->device, .inode = line->inode};
  recorder_binary_key_set_path(&key, line->path, line->path_length);
  if (is_known(scan->process, line, &key))
    return;
  struct recorder_mapping mapping = {
      .time = scan->time,
      .start = line->start,
      .end = line->end,
      .offset = line->offset,
      .binary = recorder_binaries_take(&scan->tasks->binaries, &key),
      .protection = line->protection,
      .flags = line->flags,
  };
  recorder_mappings_add(&scan->process->mappings, &scan->tasks->binaries, &mapping);
}

static struct recorder_process *process_look_up(struct recorder_tasks *tasks, int32_t pid)
{
  struct recorder_process *process = process_enter(tasks, pid, CAPTURE_PROCESS_EXISTED, 0);
  if (pid == 0) {
    snprintf(process->name, sizeof process->name, "swapper");
    return process;
  }
  if (pid > 0) {
    recorder_proc_name(pid, pid, process->name);
    recorder_proc_maps(pid, scan_mapping, &(struct scan){tasks, process, 0});
  }
  return process;
}

void recorder_tasks_doubt(struct recorder_tasks *tasks, uint64_t time)
{
  /* A ring that overflows does so many times; looking at everything again each time would make it worse. */
  if (time - tasks->doubt_time < DOUBT_PERIOD)
    return;
  tasks->doubt++;
  tasks->doubt_time = time;
}

void recorder_tasks_look_again(struct recorder_tasks *tasks, struct recorder_process *process)
{
  process->doubt = tasks->doubt;
  if (process->pid <= 0)
    return;
  recorder_proc_maps(process->pid, scan_mapping, &(struct scan){tasks, process, tasks->doubt_time});
  process->serial++;
  process->mappings_epoch = 0;
  recorder_frames_forget(&process->frames);
}

struct recorder_thread *recorder_tasks_thread(struct recorder_tasks *tasks, int32_t pid, int32_t tid)
{
  struct recorder_thread *thread = recorder_table_find(&tasks->threads, (uint32_t)tid);
  if (thread != NULL && thread->process->pid == pid) {
    if (thread->process->doubt != tasks->doubt)
      recorder_tasks_look_again(tasks, thread->process);
    return thread;
  }
  struct recorder_process *process = recorder_table_find(&tasks->processes, (uint32_t)pid);
  if (process == NULL)
    process = process_look_up(tasks, pid);
  thread = thread_enter(tasks, process, tid, 0);
  if (tid == pid || recorder_proc_name(pid, tid, thread->name) < 0)
    memcpy(thread->name, process->name, sizeof thread->name);
  return thread;
}

static char *copy_text(const char *text)
{
  return text != NULL ? memcpy(recorder_allocate(strlen(text) + 1, 1), text, strlen(text)) : NULL;
}

static struct recorder_process *fork_process(struct recorder_tasks *tasks, struct recorder_process *parent,
                                             int32_t pid, uint64_t time)
{
  struct recorder_process *process = process_enter(tasks, pid, CAPTURE_PROCESS_FORKED, time);
  process->mappings = recorder_mappings_share(parent->mappings);
  process->command_line = copy_text(parent->command_line);
  process->command_line_known = parent->command_line_known;
  set_parent(tasks, process, parent);
  return process;
}

void recorder_tasks_fork(struct recorder_tasks *tasks, int32_t pid, int32_t tid, int32_t parent_pid,
                         int32_t parent_tid, uint64_t time)
{
  if (tid == parent_tid)
    return;
  struct recorder_thread *parent = recorder_tasks_thread(tasks, parent_pid, parent_tid);
  struct recorder_process *process = parent->process;
  if (pid != parent_pid)
    process = fork_process(tasks, process, pid, time);
  struct recorder_thread *thread = thread_enter(tasks, process, tid, time);
  memcpy(thread->name, parent->name, sizeof thread->name);
  if (pid != parent_pid)
    memcpy(process->name, parent->name, sizeof process->name);
}

void recorder_tasks_rename(struct recorder_tasks *tasks, int32_t pid, int32_t tid, const char *name,
                           uint64_t time)
{
  struct recorder_thread *thread = recorder_table_find(&tasks->threads, (uint32_t)tid);
  if (thread == NULL || thread->process->pid != pid)
    return;
  snprintf(thread->name, sizeof thread->name, "%s", name);
  thread->time = time;
  thread->epoch = 0;
  if (tid == pid)
    memcpy(thread->process->name, thread->name, sizeof thread->name);
}

static void dig_graves(struct recorder_tasks *tasks)
{
  size_t capacity = tasks->graves_capacity != 0 ? 2 * tasks->graves_capacity : GRAVES_MIN;
  struct recorder_grave *graves = recorder_allocate(capacity, sizeof *graves);
  for (size_t i = 0; i < tasks->graves_count; i++)
    graves[i] = tasks->graves[(tasks->graves_first + i) & (tasks->graves_capacity - 1)];
  free(tasks->graves);
  tasks->graves = graves;
  tasks->graves_capacity = capacity;
  tasks->graves_first = 0;
}

void recorder_tasks_exit(struct recorder_tasks *tasks, int32_t pid, int32_t tid, uint64_t time)
{
  struct recorder_thread *thread = recorder_table_find(&tasks->threads, (uint32_t)tid);
  if (thread == NULL || thread->gone || thread->process->pid != pid)
    return;
  thread->gone = true;
  tasks->n_alive--;
  if (tasks->graves_count == tasks->graves_capacity)
    dig_graves(tasks);
  size_t at = (tasks->graves_first + tasks->graves_count++) & (tasks->graves_capacity - 1);
  tasks->graves[at] = (struct recorder_grave){thread, time};
}

/* No other thread outlives an exec, but the one that executed took its leader's number: nothing tells that
 * its own is free. */
static void end_threads(struct recorder_tasks *tasks, const struct recorder_process *process, uint64_t time)
{
  for (size_t i = 0; process->n_threads != 0 && i <= tasks->threads.mask; i++) {
    const struct recorder_thread *thread = tasks->threads.entries[i].value;
    if (thread != NULL && thread->process == process)
      recorder_tasks_exit(tasks, process->pid, thread->tid, time);
  }
}

void recorder_tasks_exec(struct recorder_tasks *tasks, int32_t pid, int32_t tid, const char *name,
                         uint64_t time)
{
  struct recorder_process *before = recorder_table_find(&tasks->processes, (uint32_t)pid);
  struct recorder_thread *thread = recorder_table_find(&tasks->threads, (uint32_t)tid);
  if (before != NULL)
    before->references++;
  struct recorder_process *process = process_enter(tasks, pid, CAPTURE_PROCESS_EXECED, time);
  snprintf(process->name, sizeof process->name, "%s", name);
  if (before != NULL)
    set_parent(tasks, process, before);
  if (thread == NULL || thread->gone) {
    thread = thread_enter(tasks, process, tid, time);
  } else {
    thread_unlink(tasks, thread);
    thread_join(thread, process);
    if (thread->memo != NULL)
      recorder_memo_forget(thread->memo);
  }
  memcpy(thread->name, process->name, sizeof thread->name);
  thread->time = time;
  thread->epoch = 0;
  if (before != NULL) {
    end_threads(tasks, before, time);
    process_release(tasks, before);
  }
}

const struct recorder_mapping *recorder_tasks_map(struct recorder_tasks *tasks, int32_t pid,
                                                  const struct recorder_mapping *mapping,
                                                  struct recorder_process **ret_process)
{
  struct recorder_process *process = recorder_table_find(&tasks->processes, (uint32_t)pid);
  if (process == NULL) {
    recorder_binaries_release(&tasks->binaries, mapping->binary);
    return NULL;
  }
  recorder_frames_forget(&process->frames);
  process->serial++;
  *ret_process = process;
  return recorder_mappings_add(&process->mappings, &tasks->binaries, mapping);
}

static void bury_first(struct recorder_tasks *tasks)
{
  struct recorder_thread *thread = tasks->graves[tasks->graves_first].thread;
  tasks->graves_first = (tasks->graves_first + 1) & (tasks->graves_capacity - 1);
  tasks->graves_count--;
  if (recorder_table_find(&tasks->threads, (uint32_t)thread->tid) == thread)
    recorder_table_remove(&tasks->threads, (uint32_t)thread->tid);
  thread_free(tasks, thread);
}

void recorder_tasks_bury(struct recorder_tasks *tasks, uint64_t now)
{
  while (tasks->graves_count != 0 && now > tasks->graves[tasks->graves_first].time &&
         now - tasks->graves[tasks->graves_first].time > GRACE)
    bury_first(tasks);
}

void recorder_tasks_release(struct recorder_tasks *tasks, struct recorder_process *process)
{
  process_release(tasks, process);
}

void recorder_tasks_init(struct recorder_tasks *tasks)
{
  *tasks = (struct recorder_tasks){0};
  recorder_table_init(&tasks->processes);
  recorder_table_init(&tasks->threads);
  recorder_binaries_init(&tasks->binaries);
}

void recorder_tasks_clear(struct recorder_tasks *tasks)
{
  while (tasks->graves_count != 0)
    bury_first(tasks);
  for (size_t i = 0; i <= tasks->threads.mask; i++)
    if (tasks->threads.entries[i].value != NULL)
      thread_free(tasks, tasks->threads.entries[i].value);
  free(tasks->graves);
  recorder_table_clear(&tasks->threads);
  recorder_table_clear(&tasks->processes);
  recorder_binaries_clear(&tasks->binaries);
}
