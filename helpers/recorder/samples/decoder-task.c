/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records about processes, threads, mappings and kernel symbols. */
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "helpers/recorder/samples/decoder.h"

#define RECORD(kind, type_)                                                                                  \
  {                                                                                                          \
    .size = sizeof(kind), .type = (type_)                                                                    \
  }

struct comm {
  struct perf_event_header header;
  int32_t pid;
  int32_t tid;
  char name[];
};

struct task {
  struct perf_event_header header;
  int32_t pid;
  int32_t parent_pid;
  int32_t tid;
  int32_t parent_tid;
  uint64_t time;
};

struct mmap2 {
  struct perf_event_header header;
  int32_t pid;
  int32_t tid;
  uint64_t start;
  uint64_t length;
  uint64_t offset;
  union {
    struct {
      uint32_t major;
      uint32_t minor;
      uint64_t inode;
      uint64_t inode_generation;
    };
    struct {
      uint8_t build_id_size;
      uint8_t reserved[3];
      uint8_t build_id[CAPTURE_BUILD_ID_MAX];
    };
  };
  uint32_t protection;
  uint32_t flags;
  char path[];
};

struct ksymbol {
  struct perf_event_header header;
  uint64_t address;
  uint32_t length;
  uint16_t type;
  uint16_t flags;
  char name[];
};

/* The length of the text that ends the record's fixed part of `fixed` bytes; -1 when the record is too short.
 */
static ssize_t text_length(const struct perf_event_header *record, size_t fixed)
{
  if (record->size < fixed + sizeof(struct recorder_trailer))
    return -1;
  return (ssize_t)strnlen((const char *)record + fixed,
                          record->size - fixed - sizeof(struct recorder_trailer));
}

static bool has_text(const struct perf_event_header *record, size_t fixed)
{
  ssize_t length = text_length(record, fixed);
  return length >= 0 && fixed + (size_t)length + sizeof(struct recorder_trailer) < record->size;
}

static bool decoder_task_comm(struct recorder_decoder *decoder, uint64_t time,
                              const struct perf_event_header *record)
{
  const struct comm *change = (const struct comm *)record;
  if (!has_text(record, sizeof *change))
    return false;
  if ((record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
    recorder_tasks_exec(&decoder->tasks, change->pid, change->tid, change->name, time);
  else
    recorder_tasks_rename(&decoder->tasks, change->pid, change->tid, change->name, time);
  return true;
}

/* A child begins with what is known of its parent. */
static void follow_fork(struct recorder_decoder *decoder, const struct task *change)
{
  struct recorder_process *process = recorder_table_find(&decoder->tasks.processes, (uint32_t)change->pid);
  if (decoder->unwinder != NULL && change->pid != change->parent_pid && process != NULL &&
      process->parent != NULL && process->parent->unwound.layout != NULL)
    recorder_unwinder_update(decoder->unwinder, process, decoder->eager);
}

static bool decode_task(struct recorder_decoder *decoder, struct recorder_ring *ring,
                        const struct perf_event_header *record)
{
  const struct task *change = (const struct task *)record;
  if (record->size < sizeof *change + sizeof(struct recorder_trailer))
    return false;
  bool is_fork = record->type == PERF_RECORD_FORK;
  if (is_fork) {
    recorder_tasks_fork(&decoder->tasks, change->pid, change->tid, change->parent_pid, change->parent_tid,
                        ring->time);
    follow_fork(decoder, change);
  } else {
    recorder_tasks_exit(&decoder->tasks, change->pid, change->tid, ring->time);
    ring->exited_pid = change->pid;
    ring->exited_tid = change->tid;
  }
  struct capture_record_task written = {
      .record = RECORD(struct capture_record_task, is_fork ? CAPTURE_RECORD_FORK : CAPTURE_RECORD_EXIT),
      .time = ring->time,
      .pid = change->pid,
      .tid = change->tid,
      .parent_pid = change->parent_pid,
      .parent_tid = change->parent_tid,
  };
  recorder_output_record(decoder->output, &written.record, ring->time);
  return true;
}

static void key_of(struct recorder_binary_key *key, const struct mmap2 *map, size_t path_length)
{
  *key = (struct recorder_binary_key){0};
  if ((map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) == 0) {
    key->device = (uint64_t)map->major << 32 | map->minor;
    key->inode = map->inode;
    key->inode_generation = map->inode_generation;
  } else if (map->build_id_size <= CAPTURE_BUILD_ID_MAX) {
    key->build_id_size = map->build_id_size;
    memcpy(key->build_id, map->build_id, map->build_id_size);
  }
  recorder_binary_key_set_path(key, map->path, path_length);
}

static bool decoder_task_mmap2(struct recorder_decoder *decoder, uint64_t time,
                               const struct perf_event_header *record)
{
  const struct mmap2 *map = (const struct mmap2 *)record;
  struct recorder_binary_key key;
  struct recorder_process *process;
  uint64_t end;
  if (!has_text(record, sizeof *map) || __builtin_add_overflow(map->start, map->length, &end) ||
      map->length == 0)
    return false;
  if ((map->protection & PROT_EXEC) == 0)
    return true;
  key_of(&key, map, (size_t)text_length(record, sizeof *map));
  struct recorder_mapping mapping = {
      .start = map->start,
      .end = end,
      .offset = map->offset,
      .time = time,
      .binary = recorder_binaries_take(&decoder->tasks.binaries, &key),
      .protection = map->protection,
      .flags = map->flags,
  };
  const struct recorder_mapping *added = recorder_tasks_map(&decoder->tasks, map->pid, &mapping, &process);
  if (added != NULL && decoder->unwinder != NULL && (decoder->eager || process->unwound.layout != NULL))
    recorder_unwinder_update(decoder->unwinder, process, decoder->eager);
  /* What cannot be written now is written again with all others, at the next sample. */
  if (added != NULL && process->mappings_epoch == decoder->output->epoch &&
      recorder_output_mapping(decoder->output, process, added) < 0)
    process->mappings_epoch = 0;
  return true;
}

static bool decoder_task_ksymbol(struct recorder_decoder *decoder, uint64_t time,
                                 const struct perf_event_header *record)
{
  const struct ksymbol *symbol = (const struct ksymbol *)record;
  if (!has_text(record, sizeof *symbol))
    return false;
  struct capture_record_kernel_symbol written = {
      .record = RECORD(struct capture_record_kernel_symbol, CAPTURE_RECORD_KERNEL_SYMBOL),
      .address = symbol->address,
      .time = time,
      .length = symbol->length,
      .type = symbol->type,
      .flags = symbol->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
  };
  recorder_kernel_add_symbol(&decoder->kernel, &written, symbol->name);
  return true;
}

/* In target mode two events may tell of one thing: see recorder_decoder_believes. */
static bool is_believed(struct recorder_decoder *decoder, const struct perf_event_header *record)
{
  const struct recorder_trailer *trailer = recorder_trailer(record);
  if ((decoder->source->flags & RECORDER_SYSTEM_WIDE) != 0 || trailer->tid <= 0)
    return true;
  const struct recorder_descriptor *descriptor = recorder_source_find(decoder->source, trailer->id);
  if (descriptor == NULL)
    return false;
  struct recorder_thread *thread = recorder_tasks_thread(&decoder->tasks, trailer->pid, trailer->tid);
  return recorder_decoder_believes(decoder, thread, descriptor->tid);
}

void recorder_decoder_task(struct recorder_decoder *decoder, struct recorder_ring *ring,
                           const struct perf_event_header *record)
{
  if (!is_believed(decoder, record))
    return;
  bool understood = record->type == PERF_RECORD_COMM      ? decoder_task_comm(decoder, ring->time, record)
                    : record->type == PERF_RECORD_MMAP2   ? decoder_task_mmap2(decoder, ring->time, record)
                    : record->type == PERF_RECORD_KSYMBOL ? decoder_task_ksymbol(decoder, ring->time, record)
                                                          : decode_task(decoder, ring, record);
  if (!understood)
    recorder_output_damaged(decoder->output);
}
