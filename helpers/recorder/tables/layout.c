/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/tables/unwinder-private.h"
#include "unwind/unwind-compile.h"

struct walk_mapping *recorder_layout_entry(const struct recorder_layout *layout, uint32_t index)
{
  return (struct walk_mapping *)(void *)(layout->unwinder->area.bytes + layout->at) + index;
}

static struct walk_language *layout_language(const struct recorder_layout *layout)
{
  return (struct walk_language *)(void *)recorder_layout_entry(layout, layout->count);
}

static uint32_t layout_size(uint32_t count)
{
  return count * (uint32_t)sizeof(struct walk_mapping) + (uint32_t)sizeof(struct walk_language);
}

/* Programs may be looking: what the kind promises stands there before the kind does. */
static void set_kind(struct walk_mapping *entry, enum walk_mapping_kind kind)
{
  __atomic_store_n(&entry->kind, (uint32_t)kind, __ATOMIC_RELEASE);
}

/* A table that would leave no room for others never comes in. */
static bool is_too_large(const struct recorder_unwinder *unwinder, const struct recorder_unwind_table *table)
{
  return table->size > unwinder->area.size / 4 * 3;
}

/* Brings the table into the area; at the cost of others only when it is missed. */
static struct recorder_placed *layout_place(struct recorder_unwinder *unwinder,
                                            struct recorder_unwind_table *table, bool missed)
{
  if (table->user != NULL || table->table == NULL || is_too_large(unwinder, table))
    return table->user;
  uint32_t size = (uint32_t)table->size;
  uint32_t at = missed ? recorder_unwinder_take(unwinder, size) : recorder_area_take(&unwinder->area, size);
  if (at == 0)
    return NULL;
  struct recorder_placed *placed = recorder_allocate(1, sizeof *placed);
  *placed = (struct recorder_placed){table, at, size, unwinder->clock};
  memcpy(unwinder->area.bytes + at, table->table, table->size);
  table->user = placed;
  recorder_pointers_add(&unwinder->placed, placed);
  recorder_tables_drop(unwinder->tables, table);
  return placed;
}

/* Whether the process writes a jitdump, which has the machine code besides the names. */
static bool has_jitdump(const struct recorder_layout *layout)
{
  for (uint32_t i = 0; i < layout->count; i++) {
    const struct recorder_binary_key *key = &layout->mappings->items[i].binary->key;
    const char *slash = strrchr(key->path, '/');
    if (slash != NULL && fnmatch("/jit-[0-9]*.dump", slash, 0) == 0)
      return true;
  }
  return false;
}

/* V8 has a part of its binary mapped a second time, where it makes code: the bias is that of the first. */
static bool is_largest(const struct recorder_layout *layout, const struct walk_mapping *entry)
{
  for (uint32_t i = 0; i < layout->count; i++) {
    const struct walk_mapping *other = recorder_layout_entry(layout, i);
    if (other->kind == WALK_MAPPING_TABLE && other->table == entry->table && other->bias != entry->bias &&
        other->end - other->start > entry->end - entry->start)
      return false;
  }
  return true;
}

static void set_table(struct recorder_layout *layout, struct walk_mapping *entry, uint64_t offset,
                      const struct recorder_placed *placed)
{
  const void *table = layout->unwinder->area.bytes + placed->at;
  if (!unwind_table_bias(table, entry->start, offset, &entry->bias)) {
    set_kind(entry, WALK_MAPPING_FRAME_POINTERS);
    return;
  }
  entry->table = placed->at;
  set_kind(entry, WALK_MAPPING_TABLE);
  uint32_t runtime_at = ((const struct unwind_table *)table)->runtime_at;
  if (runtime_at == 0 || !is_largest(layout, entry))
    return;
  const struct unwind_runtime *runtime = (const void *)((const char *)table + runtime_at);
  if (runtime->kind == UNWIND_RUNTIME_V8 && has_jitdump(layout))
    return;
  struct walk_language *language = layout_language(layout);
  language->bias = entry->bias;
  __atomic_store_n(&language->runtime, placed->at + runtime_at, __ATOMIC_RELEASE);
  layout->runtime = runtime->kind;
}

/* Whether it might be had through another process. */
static bool is_lacking_for_now(const struct recorder_unwind_table *table)
{
  return table->state == RECORDER_TABLE_NONE && table->error != ENODATA && table->error != ENOEXEC &&
         table->error != EBADMSG && table->error != EFBIG;
}

static void layout_settle(struct recorder_layout *layout, uint32_t index, bool missed)
{
  const struct recorder_mapping *mapping = &layout->mappings->items[index];
  struct walk_mapping *entry = recorder_layout_entry(layout, index);
  struct recorder_unwind_table *table = mapping->binary->table;
  struct recorder_placed *placed;
  if ((mapping->binary->key.flags & CAPTURE_BINARY_SPECIAL) != 0 ||
      (table != NULL && table->state == RECORDER_TABLE_NONE))
    set_kind(entry, WALK_MAPPING_FRAME_POINTERS);
  else if (table != NULL && table->state == RECORDER_TABLE_READY &&
           (placed = layout_place(layout->unwinder, table, missed)) != NULL)
    set_table(layout, entry, mapping->offset, placed);
  else if (table != NULL && table->state == RECORDER_TABLE_READY && is_too_large(layout->unwinder, table))
    set_kind(entry, WALK_MAPPING_FRAME_POINTERS);
  else
    set_kind(entry, WALK_MAPPING_PENDING);
}

static void layout_fill(struct recorder_layout *layout)
{
  *layout_language(layout) = (struct walk_language){0};
  for (uint32_t i = 0; i < layout->count; i++) {
    const struct recorder_mapping *mapping = &layout->mappings->items[i];
    const struct recorder_unwind_table *table = mapping->binary->table;
    *recorder_layout_entry(layout, i) =
        (struct walk_mapping){.start = mapping->start, .end = mapping->end, .kind = WALK_MAPPING_PENDING};
    if (table == NULL || !is_lacking_for_now(table))
      layout_settle(layout, i, false);
  }
}

struct recorder_layout *recorder_layout_new(struct recorder_unwinder *unwinder,
                                            struct recorder_mappings *mappings)
{
  struct recorder_layout *layout = recorder_allocate(1, sizeof *layout);
  uint32_t count = mappings == NULL                      ? 0
                   : mappings->count < WALK_MAPPINGS_MAX ? mappings->count
                                                         : WALK_MAPPINGS_MAX;
  *layout = (struct recorder_layout){
      .references = 1,
      .serial = ++unwinder->serial,
      .unwinder = unwinder,
      .mappings = recorder_mappings_share(mappings),
      .next = unwinder->layouts,
  };
  if (layout->next != NULL)
    layout->next->previous = layout;
  unwinder->layouts = layout;
  if (count != 0)
    layout->at = recorder_unwinder_take(unwinder, layout_size(count));
  if (layout->at != 0) {
    layout->count = count;
    layout_fill(layout);
  }
  return layout;
}

void recorder_layout_release(struct recorder_layout *layout)
{
  if (layout == NULL || --layout->references != 0)
    return;
  struct recorder_unwinder *unwinder = layout->unwinder;
  if (layout->previous != NULL)
    layout->previous->next = layout->next;
  else
    unwinder->layouts = layout->next;
  if (layout->next != NULL)
    layout->next->previous = layout->previous;
  if (layout->at != 0)
    recorder_area_give(&unwinder->area, layout->at, layout_size(layout->count));
  recorder_mappings_release(layout->mappings, unwinder->binaries);
  free(layout);
}

struct recorder_mappings *recorder_layout_mappings(const struct recorder_layout *layout)
{
  return layout->mappings;
}

uint32_t recorder_layout_find(const struct recorder_layout *layout, uint64_t address)
{
  const struct recorder_mapping *mapping = recorder_mappings_find(layout->mappings, address);
  uint32_t index = mapping != NULL ? (uint32_t)(mapping - layout->mappings->items) : layout->count;
  return index < layout->count ? index : layout->count;
}

/* A table that left the area is fetched again. */
static bool is_wanted(const struct recorder_mapping *mapping)
{
  const struct recorder_unwind_table *table = mapping->binary->table;
  return (mapping->binary->key.flags & CAPTURE_BINARY_SPECIAL) == 0 &&
         (table == NULL || is_lacking_for_now(table) ||
          (table->state == RECORDER_TABLE_READY && table->user == NULL && table->table == NULL));
}

static void set_binary_table(struct recorder_binary *binary, struct recorder_unwind_table *table)
{
  table->holders++;
  if (binary->table != NULL)
    binary->table->holders--;
  binary->table = table;
}

static void layout_request(struct recorder_layout *layout, int32_t pid, uint32_t index, bool missed)
{
  struct recorder_mapping *mapping = &layout->mappings->items[index];
  if (is_wanted(mapping))
    set_binary_table(mapping->binary, recorder_tables_request(layout->unwinder->tables, &mapping->binary->key,
                                                              pid, mapping->start, mapping->end));
  layout_settle(layout, index, missed);
}

void recorder_layout_request(struct recorder_layout *layout, int32_t pid, uint32_t index)
{
  layout_request(layout, pid, index, true);
}

void recorder_layout_request_all(struct recorder_layout *layout, int32_t pid)
{
  for (uint32_t i = 0; i < layout->count; i++)
    if (recorder_layout_entry(layout, i)->kind == WALK_MAPPING_PENDING)
      layout_request(layout, pid, i, false);
}

void recorder_layout_settle(struct recorder_layout *layout)
{
  for (uint32_t i = 0; i < layout->count; i++)
    if (recorder_layout_entry(layout, i)->kind == WALK_MAPPING_PENDING)
      layout_settle(layout, i, false);
}

void recorder_layout_give_up(struct recorder_layout *layout, const struct recorder_placed *placed)
{
  if (layout->count != 0 && layout_language(layout)->runtime - placed->at < placed->size)
    __atomic_store_n(&layout_language(layout)->runtime, 0, __ATOMIC_RELEASE);
  for (uint32_t i = 0; i < layout->count; i++) {
    struct walk_mapping *entry = recorder_layout_entry(layout, i);
    if (entry->kind == WALK_MAPPING_TABLE && entry->table == placed->at)
      set_kind(entry, WALK_MAPPING_PENDING);
  }
}
