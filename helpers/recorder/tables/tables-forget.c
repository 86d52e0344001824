/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What recorder_tables forgets, so that it does not grow with every file that was ever mapped. */
#include <stdlib.h>

#include "helpers/recorder/tables/tables-private.h"

/* More than a machine at work has mapped at a time: some ten megabytes. */
#define ITEMS_MAX 8192u
#define NAMES_MAX 16384u

/* Somebody may come back to it, or something is under way with it. */
static bool is_needed(const struct recorder_tables *tables, const struct item *item)
{
  return item->table.holders != 0 || item->table.state == 0 || item->table.state == RECORDER_TABLE_PENDING ||
         item->is_settled || (item->table.user != NULL && tables->forget == NULL);
}

/* Unless `all`, what was asked for since the last time has another chance. */
static void choose_items(struct recorder_tables *tables, bool all)
{
  for (struct item *item = tables->all; item != NULL; item = item->next_all) {
    item->is_leaving = (all || !item->was_used) && !is_needed(tables, item);
    item->was_used = false;
  }
}

/* Names are nothing but a short way to items: those of items that leave must go, and any other may. */
static void forget_names(struct recorder_tables *tables, bool all)
{
  struct recorder_table old = tables->names;
  recorder_table_init(&tables->names);
  tables->n_names = 0;
  for (size_t i = 0; i <= old.mask; i++) {
    for (struct name *name = old.entries[i].value, *next; name != NULL; name = next) {
      next = name->next;
      if (name->item->is_leaving || all || !name->was_used) {
        free(name);
        continue;
      }
      name->was_used = false;
      name->next = recorder_table_find(&tables->names, old.entries[i].key);
      recorder_table_set(&tables->names, old.entries[i].key, name);
      tables->n_names++;
    }
  }
  recorder_table_clear(&old);
}

static void forget_identities(struct recorder_tables *tables)
{
  struct recorder_table old = tables->identities;
  recorder_table_init(&tables->identities);
  for (size_t i = 0; i <= old.mask; i++) {
    for (struct item *item = old.entries[i].value, *next; item != NULL; item = next) {
      next = item->next_same;
      if (item->is_leaving)
        continue;
      item->next_same = recorder_table_find(&tables->identities, old.entries[i].key);
      recorder_table_set(&tables->identities, old.entries[i].key, item);
    }
  }
  recorder_table_clear(&old);
}

static void forget_items(struct recorder_tables *tables)
{
  for (struct item **place = &tables->all, *item; (item = *place) != NULL;) {
    if (!item->is_leaving) {
      place = &item->next_all;
      continue;
    }
    *place = item->next_all;
    if (item->table.user != NULL)
      tables->forget(&item->table, tables->forget_data);
    recorder_tables_free_item(item);
    tables->n_items--;
    tables->n_forgotten++;
  }
}

static void tables_forget(struct recorder_tables *tables, bool all)
{
  choose_items(tables, all);
  forget_names(tables, all);
  forget_identities(tables);
  forget_items(tables);
}

static uint32_t next_limit(uint32_t left, uint32_t usual)
{
  return left > usual / 2 ? 2 * left : usual;
}

void recorder_tables_make_room(struct recorder_tables *tables)
{
  if (tables->n_items < tables->items_limit && tables->n_names < tables->names_limit)
    return;
  tables_forget(tables, false);
  if (tables->n_items > ITEMS_MAX / 2 || tables->n_names > NAMES_MAX / 2)
    tables_forget(tables, true);
  /* What is left is mapped. To look through all of it with each one more would take too long. */
  tables->items_limit = next_limit(tables->n_items, ITEMS_MAX);
  tables->names_limit = next_limit(tables->n_names, NAMES_MAX);
}
