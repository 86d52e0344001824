/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of tables share: a directory, a cache, tables, and files that are mapped. */
#ifndef TABLES_FIXTURE_H
#define TABLES_FIXTURE_H

#include <glib.h>

#include "files-fixture.h"
#include "helpers/recorder/tables/tables-private.h"

struct tables_fixture {
  char *directory; /* which everybody may enter */
  char *cache;
  char *reader;
  struct recorder_tables *tables;
  guint announced;
};

/* A file mapped into this process, or into the one that maps it. */
struct tables_mapped {
  void *memory;
  gsize size;
  struct recorder_binary_key key;
};

void tables_set_up(struct tables_fixture *fixture, gconstpointer data);
void tables_tear_down(struct tables_fixture *fixture, gconstpointer data);
/* Adds a test between the two. */
void tables_add(const char *path, void (*test)(struct tables_fixture *, gconstpointer), gconstpointer data);
void tables_create(struct tables_fixture *fixture, const char *cache, const char *reader);
/* Frees the tables first. */
void tables_recreate(struct tables_fixture *fixture, const char *cache, const char *reader);
/* Until nothing is pending; counts what was announced. */
void tables_wait(struct tables_fixture *fixture);
/* Copies a file into the directory; returns its path. */
char *tables_copy(struct tables_fixture *fixture, const char *source, const char *name);
/* Maps the file, with the key that a recorder has for it: device and inode, as /proc says them. The path
 * stays the caller's. */
struct tables_mapped tables_map(const char *path);
void tables_unmap(struct tables_mapped *mapped);
/* The same binary, as the kernel tells it by its build-id. */
struct recorder_binary_key tables_key_by_build_id(const char *path);
struct recorder_unwind_table *tables_request(struct tables_fixture *fixture,
                                             const struct tables_mapped *mapped);
/* By path alone: nothing is mapped there. */
struct recorder_unwind_table *tables_request_path(struct tables_fixture *fixture,
                                                  const struct tables_mapped *mapped, pid_t pid);
void tables_assert_ready(const struct recorder_unwind_table *table);
void tables_assert_none(const struct recorder_unwind_table *table, int error);

#endif
