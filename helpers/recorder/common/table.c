/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/common/table.h"

#include <stdlib.h>

#include "helpers/common/memory.h"

#define ENTRIES_MIN 64

static size_t table_home(const struct recorder_table *table, uint64_t key)
{
  return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & table->mask;
}

void recorder_table_init(struct recorder_table *table)
{
  table->entries = recorder_allocate(ENTRIES_MIN, sizeof *table->entries);
  table->mask = ENTRIES_MIN - 1;
  table->count = 0;
}

void recorder_table_clear(struct recorder_table *table)
{
  free(table->entries);
  table->entries = NULL;
  table->count = 0;
}

/* Where the key stands, or the free entry where it would. */
static size_t table_locate(const struct recorder_table *table, uint64_t key)
{
  size_t at = table_home(table, key);
  while (table->entries[at].value != NULL && table->entries[at].key != key)
    at = (at + 1) & table->mask;
  return at;
}

void *recorder_table_find(const struct recorder_table *table, uint64_t key)
{
  return table->entries[table_locate(table, key)].value;
}

static void table_grow(struct recorder_table *table)
{
  struct recorder_table old = *table;
  table->mask = 2 * old.mask + 1;
  table->entries = recorder_allocate(table->mask + 1, sizeof *table->entries);
  for (size_t i = 0; i <= old.mask; i++)
    if (old.entries[i].value != NULL)
      table->entries[table_locate(table, old.entries[i].key)] = old.entries[i];
  free(old.entries);
}

void recorder_table_set(struct recorder_table *table, uint64_t key, void *value)
{
  if (2 * (table->count + 1) > table->mask)
    table_grow(table);
  struct recorder_table_entry *entry = &table->entries[table_locate(table, key)];
  if (entry->value == NULL)
    table->count++;
  entry->key = key;
  entry->value = value;
}

void recorder_table_remove(struct recorder_table *table, uint64_t key)
{
  size_t hole = table_locate(table, key);
  if (table->entries[hole].value == NULL)
    return;
  table->count--;
  /* Entries behind the hole move up, so that a search never ends before its key. */
  for (size_t at = (hole + 1) & table->mask; table->entries[at].value != NULL; at = (at + 1) & table->mask) {
    size_t distance = (at - table_home(table, table->entries[at].key)) & table->mask;
    if (distance >= ((at - hole) & table->mask)) {
      table->entries[hole] = table->entries[at];
      hole = at;
    }
  }
  table->entries[hole].value = NULL;
}
