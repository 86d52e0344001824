/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tables/unwinder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/common/machine.h"
#include "helpers/recorder/tables/unwinder-private.h"
#include "unwind/walk/unwind-walk.h"

#define AREA_SIZE_DEFAULT (64u << 20)
/* How many tables one walk may bring back into a full area before it has to wait. */
#define FETCHES_MAX 64

void recorder_pointers_add(struct recorder_pointers *pointers, void *item)
{
  if (pointers->count == pointers->capacity) {
    pointers->capacity = pointers->capacity != 0 ? 2 * pointers->capacity : 64;
    pointers->items = recorder_reallocate(pointers->items, pointers->capacity, sizeof *pointers->items);
  }
  pointers->items[pointers->count++] = item;
}

void recorder_pointers_remove(struct recorder_pointers *pointers, uint32_t index)
{
  pointers->items[index] = pointers->items[--pointers->count];
}

/* No mapping leads to it any more, so no layout does. */
static void give_up_forgotten(struct recorder_unwind_table *table, void *data)
{
  struct recorder_unwinder *unwinder = data;
  struct recorder_placed *placed = table->user;
  for (uint32_t i = 0; i < unwinder->placed.count; i++) {
    if (unwinder->placed.items[i] == placed) {
      recorder_area_give(&unwinder->area, placed->at, placed->size);
      recorder_pointers_remove(&unwinder->placed, i);
      break;
    }
  }
  free(placed);
}

int recorder_unwinder_create(struct recorder_unwinder **ret, const struct recorder_unwinder_options *options)
{
  struct recorder_unwinder *unwinder = recorder_allocate(1, sizeof *unwinder);
  size_t size = options->area_size != 0 ? options->area_size : AREA_SIZE_DEFAULT;
  void *bytes = options->bpf != NULL ? recorder_bpf_area(options->bpf, &size) : NULL;
  unwinder->bpf = options->bpf;
  unwinder->binaries = options->binaries;
  int result = recorder_area_init(&unwinder->area, bytes, (uint32_t)size);
  if (result == 0) {
    /* Those who open files for the tables have no business in it. */
    madvise(unwinder->area.bytes, unwinder->area.size, MADV_DONTFORK);
    struct recorder_tables_options tables = options->tables;
    tables.forget = give_up_forgotten;
    tables.data = unwinder;
    result = recorder_tables_create(&unwinder->tables, &tables);
    if (result < 0)
      recorder_area_clear(&unwinder->area);
  }
  if (result < 0)
    free(unwinder);
  else
    *ret = unwinder;
  return result;
}

void recorder_unwinder_free(struct recorder_unwinder *unwinder)
{
  for (uint32_t i = 0; i < unwinder->placed.count; i++)
    free(unwinder->placed.items[i]);
  recorder_tables_free(unwinder->tables);
  recorder_area_clear(&unwinder->area);
  free(unwinder->placed.items);
  free(unwinder->published.items);
  free(unwinder->changed.items);
  free(unwinder);
}

/* Takes the process out of one of the lists, in which *place is where it stands, plus one. */
static void unwinder_unlist(struct recorder_pointers *list, uint32_t *place, size_t place_offset)
{
  if (*place == 0)
    return;
  uint32_t index = *place - 1;
  recorder_pointers_remove(list, index);
  if (index < list->count)
    *(uint32_t *)(void *)((uint8_t *)list->items[index] + place_offset) = index + 1;
  *place = 0;
}

#define UNLIST(unwinder, list, process)                                                                      \
  unwinder_unlist(&(unwinder)->list, &(process)->unwound.list,                                               \
                  offsetof(struct recorder_process, unwound.list))

void recorder_unwinder_withdraw(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  if (process->unwound.published == 0)
    return;
  if (unwinder->bpf != NULL)
    recorder_bpf_remove_process(unwinder->bpf, process->pid);
  UNLIST(unwinder, published, process);
}

void recorder_unwinder_forget(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  recorder_unwinder_withdraw(unwinder, process);
  UNLIST(unwinder, changed, process);
  recorder_layout_release(process->unwound.layout);
  process->unwound.layout = NULL;
}

/* A table leaves the area: first no mapping may lead to it. */
static void give_up_table(struct recorder_unwinder *unwinder, uint32_t index)
{
  struct recorder_placed *placed = unwinder->placed.items[index];
  for (struct recorder_layout *layout = unwinder->layouts; layout != NULL; layout = layout->next)
    recorder_layout_give_up(layout, placed);
  recorder_area_give(&unwinder->area, placed->at, placed->size);
  recorder_pointers_remove(&unwinder->placed, index);
  placed->table->user = NULL;
  free(placed);
}

static void give_up_process(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  recorder_unwinder_withdraw(unwinder, process);
  recorder_layout_release(process->unwound.layout);
  process->unwound.layout = NULL;
}

/* The process that programs know and that was sampled least recently; NULL: none but the latest. */
static struct recorder_process *idle_process(const struct recorder_unwinder *unwinder)
{
  struct recorder_process *idle = NULL;
  for (uint32_t i = 0; i < unwinder->published.count; i++) {
    struct recorder_process *process = unwinder->published.items[i];
    if (process->unwound.used < (idle != NULL ? idle->unwound.used : unwinder->clock))
      idle = process;
  }
  return idle;
}

/* Gives up what was used least recently; false when all is in use. */
static bool make_room(struct recorder_unwinder *unwinder)
{
  struct recorder_process *idle = idle_process(unwinder);
  uint64_t used = idle != NULL ? idle->unwound.used : unwinder->clock;
  uint32_t table = unwinder->placed.count;
  for (uint32_t i = 0; i < unwinder->placed.count; i++) {
    const struct recorder_placed *placed = unwinder->placed.items[i];
    if (placed->used < used) {
      used = placed->used;
      table = i;
    }
  }
  if (table != unwinder->placed.count)
    give_up_table(unwinder, table);
  else if (idle != NULL)
    give_up_process(unwinder, idle);
  else
    return false;
  return true;
}

uint32_t recorder_unwinder_take(struct recorder_unwinder *unwinder, uint32_t size)
{
  uint32_t at = 0;
  if (size > unwinder->area.size)
    return 0;
  do
    while (recorder_area_room(&unwinder->area) < size)
      if (!make_room(unwinder))
        return 0;
  while ((at = recorder_area_take(&unwinder->area, size)) == 0 && make_room(unwinder));
  return at;
}

static void note_change(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  if (process->unwound.changed != 0)
    return;
  recorder_pointers_add(&unwinder->changed, process);
  process->unwound.changed = unwinder->changed.count;
}

void recorder_unwinder_missed(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  note_change(unwinder, process);
}

void recorder_unwinder_looked(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  process->unwound.looked = true;
  note_change(unwinder, process);
}

void recorder_unwinder_update(struct recorder_unwinder *unwinder, struct recorder_process *process,
                              bool eagerly)
{
  struct recorder_unwound *unwound = &process->unwound;
  bool current = unwound->layout != NULL && unwound->layout->mappings == process->mappings &&
                 unwound->published != 0 && unwound->eager == eagerly &&
                 unwound->runtime == unwound->layout->runtime;
  unwound->eager = eagerly;
  if (!current)
    note_change(unwinder, process);
}

/* A child that has changed nothing shares its parent's. */
static struct recorder_layout *make_layout(struct recorder_unwinder *unwinder,
                                           const struct recorder_process *process)
{
  const struct recorder_process *parent = process->parent;
  if (parent == NULL || parent->unwound.layout == NULL ||
      parent->unwound.layout->mappings != process->mappings)
    return recorder_layout_new(unwinder, process->mappings);
  parent->unwound.layout->references++;
  return parent->unwound.layout;
}

/* What the walk of a language's frames needs to know of the process besides. */
static void tell_runtime(struct recorder_unwinder *unwinder, struct recorder_process *process,
                         struct walk_process *told)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%" PRId32 "/ns/pid", process->pid);
  if (stat(path, &status) < 0 && stat("/proc/self/ns/pid", &status) < 0)
    return;
  if (process->unwound.generation == 0)
    process->unwound.generation = ++unwinder->generation;
  told->generation = process->unwound.generation;
  told->namespace_device = status.st_dev;
  told->namespace_inode = status.st_ino;
  told->runtime = process->unwound.runtime;
  if (unwinder->bpf != NULL)
    recorder_bpf_want_runtime(unwinder->bpf, told->runtime);
}

/* Lets programs know the process; when they know too many, the one that was sampled least recently goes. */
static void unwinder_tell(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  const struct recorder_layout *layout = process->unwound.layout;
  process->unwound.runtime = layout->runtime;
  struct walk_process told = {
      .mappings = layout->at,
      .n_mappings = layout->count,
      .flags = process->unwound.looked ? WALK_PROCESS_FRAME_POINTERS : 0,
      .serial = layout->serial,
  };
  if (layout->runtime != UNWIND_RUNTIME_NONE)
    tell_runtime(unwinder, process, &told);
  int result;
  while (unwinder->bpf != NULL &&
         (result = recorder_bpf_set_process(unwinder->bpf, process->pid, &told, unwinder->reached)) < 0) {
    struct recorder_process *idle = idle_process(unwinder);
    if (result == -ESTALE)
      UNLIST(unwinder, published, process);
    if (result == -ESTALE || idle == NULL)
      return;
    recorder_unwinder_withdraw(unwinder, idle);
  }
  if (process->unwound.published != 0)
    return;
  recorder_pointers_add(&unwinder->published, process);
  process->unwound.published = unwinder->published.count;
}

/* Brings what is known of the process in the area, and what programs know, up to date. */
static void unwinder_refresh(struct recorder_unwinder *unwinder, struct recorder_process *process)
{
  struct recorder_layout *before = process->unwound.layout;
  UNLIST(unwinder, changed, process);
  process->unwound.used = unwinder->clock; /* nothing gives it up meanwhile */
  if (before == NULL || before->mappings != process->mappings)
    process->unwound.layout = make_layout(unwinder, process);
  if (process->unwound.eager)
    recorder_layout_request_all(process->unwound.layout, process->pid);
  unwinder_tell(unwinder, process);
  if (process->unwound.layout != before)
    recorder_layout_release(before);
}

void recorder_unwinder_reach(struct recorder_unwinder *unwinder, uint64_t time)
{
  unwinder->reached = time;
}

void recorder_unwinder_publish(struct recorder_unwinder *unwinder)
{
  while (unwinder->changed.count != 0)
    unwinder_refresh(unwinder, unwinder->changed.items[unwinder->changed.count - 1]);
}

struct recorder_layout *recorder_unwinder_layout(struct recorder_unwinder *unwinder,
                                                 struct recorder_process *process)
{
  struct recorder_layout *layout = process->unwound.layout;
  if (layout == NULL || layout->mappings != process->mappings || process->unwound.changed != 0) {
    unwinder_refresh(unwinder, process);
    layout = process->unwound.layout;
  }
  layout->references++;
  return layout;
}

static void touch_table(struct recorder_unwinder *unwinder, const struct recorder_mapping *mapping)
{
  if (mapping == NULL || mapping->binary->table == NULL)
    return;
  struct recorder_placed *placed = mapping->binary->table->user;
  if (placed != NULL)
    placed->used = unwinder->clock;
}

void recorder_unwinder_touch(struct recorder_unwinder *unwinder, struct recorder_process *process,
                             const uint64_t *frames, uint32_t count)
{
  process->unwound.used = ++unwinder->clock;
  for (uint32_t i = 0; i < count; i++)
    touch_table(unwinder, recorder_mappings_find(process->mappings, frames[i]));
}

/* Requests what the stack may need: each table that an address on it, or one that only looks like one, is of.
 * So a stack through many binaries waits for them once, not for one after the other. */
static void request_stack(struct recorder_layout *layout, int32_t pid,
                          const struct recorder_unwinder_start *start)
{
  for (size_t at = 0; at + sizeof(uint64_t) <= start->size; at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, start->bytes + at, sizeof word);
    uint32_t index = recorder_layout_find(layout, word);
    if (index != layout->count && recorder_layout_entry(layout, index)->kind == WALK_MAPPING_PENDING &&
        layout->mappings->items[index].binary->table == NULL)
      recorder_layout_request(layout, pid, index);
  }
}

/* What a walk misses that came as far as `address`. */
static enum recorder_unwinder_answer unwinder_fetch(struct recorder_layout *layout, int32_t pid,
                                                    uint64_t address,
                                                    const struct recorder_unwinder_start *start)
{
  uint32_t index = recorder_layout_find(layout, address);
  if (index == layout->count)
    index = recorder_layout_find(layout, address - 1);
  if (index == layout->count)
    return layout->at != 0 || layout->mappings == NULL ? RECORDER_UNWIND_OUTSIDE : RECORDER_UNWIND_LATER;
  struct walk_mapping *entry = recorder_layout_entry(layout, index);
  const struct recorder_binary *binary = layout->mappings->items[index].binary;
  if (entry->kind != WALK_MAPPING_PENDING)
    return RECORDER_UNWIND_OUTSIDE; /* its caller is */
  bool first = binary->table == NULL;
  recorder_layout_request(layout, pid, index);
  if (first)
    request_stack(layout, pid, start);
  layout->unwinder->awaited = binary;
  return entry->kind == WALK_MAPPING_PENDING ? RECORDER_UNWIND_LATER : RECORDER_UNWOUND;
}

enum recorder_unwinder_answer
recorder_unwinder_walk(struct recorder_unwinder *unwinder, const struct recorder_process *process,
                       struct recorder_layout *layout, const struct recorder_unwinder_start *start,
                       uint64_t *frames, uint32_t max, uint32_t *ret_count, enum walk_end *ret_end)
{
  const struct unwind_area area = {unwinder->area.bytes, unwinder->area.size};
  const struct walk_process walked = {
      .mappings = layout->at,
      .n_mappings = layout->count,
      .flags = process->unwound.looked ? WALK_PROCESS_FRAME_POINTERS | WALK_PROCESS_CERTAIN : 0,
  };
  const struct unwind_piece piece = {start->stack, start->bytes, start->size};
  const struct unwind_memory memory = {.pieces = &piece, .n_pieces = 1};
  const struct unwind_start begin = {&walked, &start->registers, RECORDER_MACHINE, start->in_kernel};
  enum recorder_unwinder_answer answer = RECORDER_UNWOUND;
  unwinder->clock++;
  unwinder->awaited = NULL;
  for (uint32_t i = 0; i < FETCHES_MAX && answer == RECORDER_UNWOUND; i++) {
    *ret_count = unwind_walk(&area, &begin, &memory, frames, max, ret_end);
    for (uint32_t frame = 0; frame < *ret_count; frame++)
      touch_table(unwinder, recorder_mappings_find(layout->mappings, frames[frame]));
    if (*ret_end != WALK_MISSED)
      return RECORDER_UNWOUND;
    answer = unwinder_fetch(layout, process->pid, frames[*ret_count - 1], start);
  }
  return answer == RECORDER_UNWOUND ? RECORDER_UNWIND_LATER : answer;
}

const struct recorder_binary *recorder_unwinder_awaited(const struct recorder_unwinder *unwinder)
{
  return unwinder->awaited;
}

void recorder_unwinder_count_bounds(const struct recorder_unwinder *unwinder, uint64_t *ret_forgotten,
                                    uint64_t *ret_refused)
{
  recorder_tables_count_bounds(unwinder->tables, ret_forgotten, ret_refused);
}

uint32_t recorder_unwinder_poll(struct recorder_unwinder *unwinder, struct pollfd *fds)
{
  return recorder_tables_poll(unwinder->tables, fds);
}

static void table_came(struct recorder_unwind_table *table, void *data)
{
  struct recorder_unwinder *unwinder = data;
  unwinder->tables_came = true;
}

/* Programs are to know of runtimes whose tables came. */
static void note_runtimes(struct recorder_unwinder *unwinder)
{
  for (uint32_t i = 0; i < unwinder->published.count; i++) {
    struct recorder_process *process = unwinder->published.items[i];
    if (process->unwound.layout != NULL && process->unwound.layout->runtime != process->unwound.runtime)
      note_change(unwinder, process);
  }
}

bool recorder_unwinder_serve(struct recorder_unwinder *unwinder)
{
  if (unwinder->bpf != NULL)
    recorder_bpf_serve(unwinder->bpf);
  unwinder->tables_came = false;
  recorder_tables_serve(unwinder->tables, table_came, unwinder);
  struct recorder_layout *layout = unwinder->tables_came ? unwinder->layouts : NULL;
  while (layout != NULL) {
    layout->references++; /* making room for its tables may end others, but not this one */
    recorder_layout_settle(layout);
    struct recorder_layout *next = layout->next;
    recorder_layout_release(layout);
    layout = next;
  }
  if (unwinder->tables_came)
    note_runtimes(unwinder);
  return unwinder->tables_came;
}
