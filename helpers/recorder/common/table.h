/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table from a number to a pointer: process and thread identifiers, perf's event identifiers. */
#ifndef RECORDER_TABLE_H
#define RECORDER_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct recorder_table_entry {
  uint64_t key;
  void *value; /* NULL: the entry is free */
};

struct recorder_table {
  struct recorder_table_entry *entries;
  size_t mask; /* one less than the number of entries, a power of two */
  size_t count;
};

void recorder_table_init(struct recorder_table *table);
/* Frees the entries, not the values. */
void recorder_table_clear(struct recorder_table *table);
/* The value, or NULL. */
void *recorder_table_find(const struct recorder_table *table, uint64_t key);
/* Sets or replaces; value is not NULL. */
void recorder_table_set(struct recorder_table *table, uint64_t key, void *value);
void recorder_table_remove(struct recorder_table *table, uint64_t key);

#endif
