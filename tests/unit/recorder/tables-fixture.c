/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tables-fixture.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "helpers/opener/opener-build-id.h"
#include "helpers/recorder/common/clock.h"
#include "unwind/unwind-compile.h"

/* However busy the machine is, what is known is then known at once. */
#define PATIENCE UINT64_C(60000000000)

void tables_create(struct tables_fixture *fixture, const char *cache, const char *reader)
{
  struct recorder_tables_options options = {.readers = 2, .cache = cache, .reader = reader};
  g_assert_cmpint(recorder_tables_create(&fixture->tables, &options), ==, 0);
  fixture->tables->ask_patience = PATIENCE;
}

void tables_recreate(struct tables_fixture *fixture, const char *cache, const char *reader)
{
  recorder_tables_free(fixture->tables);
  tables_create(fixture, cache, reader);
}

void tables_set_up(struct tables_fixture *fixture, gconstpointer data)
{
  fixture->directory = g_dir_make_tmp("capture tables-XXXXXX", NULL);
  g_assert_cmpint(chmod(fixture->directory, 0755), ==, 0);
  fixture->cache = g_build_filename(fixture->directory, "cache", NULL);
  fixture->reader =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers", "elf-reader", "capture-elf-reader", NULL);
  tables_create(fixture, fixture->cache, fixture->reader);
}

void tables_tear_down(struct tables_fixture *fixture, gconstpointer data)
{
  if (fixture->tables != NULL)
    recorder_tables_free(fixture->tables);
  files_remove_all(fixture->directory);
  g_free(fixture->directory);
  g_free(fixture->cache);
  g_free(fixture->reader);
}

char *tables_copy(struct tables_fixture *fixture, const char *source, const char *name)
{
  char *path = g_build_filename(fixture->directory, name, NULL);
  g_autofree char *bytes = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(source, &bytes, &size, NULL));
  g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
  g_assert_cmpint(chmod(path, 0755), ==, 0);
  return path;
}

struct tables_mapped tables_map(const char *path)
{
  struct tables_mapped mapped = {0};
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(fstat(fd, &status), ==, 0);
  mapped.size = 4096;
  mapped.memory = mmap(NULL, mapped.size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  g_assert_true(mapped.memory != MAP_FAILED);
  close(fd);
  recorder_binary_key_set_path(&mapped.key, path, strlen(path));
  mapped.key.device = (guint64)major(status.st_dev) << 32 | minor(status.st_dev);
  mapped.key.inode = status.st_ino;
  return mapped;
}

struct recorder_binary_key tables_key_by_build_id(const char *path)
{
  struct recorder_binary_key key = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  recorder_binary_key_set_path(&key, path, strlen(path));
  key.build_id_size = opener_build_id_read(fd, key.build_id);
  g_assert_cmpuint(key.build_id_size, ==, 20);
  close(fd);
  return key;
}

struct recorder_unwind_table *tables_request(struct tables_fixture *fixture,
                                             const struct tables_mapped *mapped)
{
  guint64 start = (guint64)(guintptr)mapped->memory;
  return recorder_tables_request(fixture->tables, &mapped->key, getpid(), start, start + mapped->size);
}

struct recorder_unwind_table *tables_request_path(struct tables_fixture *fixture,
                                                  const struct tables_mapped *mapped, pid_t pid)
{
  return recorder_tables_request(fixture->tables, &mapped->key, pid, 4096, 8192);
}

static void count(struct recorder_unwind_table *table, void *data)
{
  struct tables_fixture *fixture = data;
  g_assert_cmpint(table->state, !=, RECORDER_TABLE_PENDING);
  fixture->announced++;
}

void tables_wait(struct tables_fixture *fixture)
{
  recorder_tables_wait(fixture->tables, recorder_clock_now() + PATIENCE, count, fixture);
}

void tables_assert_ready(const struct recorder_unwind_table *table)
{
  g_assert_cmpint(table->error, ==, 0);
  g_assert_cmpint(table->state, ==, RECORDER_TABLE_READY);
  g_assert_true(unwind_table_is_valid(table->table, table->size, true));
  g_assert_cmpuint(table->table->n_rows, >, 0);
}

void tables_assert_none(const struct recorder_unwind_table *table, int error)
{
  g_assert_cmpint(table->state, ==, RECORDER_TABLE_NONE);
  g_assert_cmpint(table->error, ==, error);
  g_assert_null(table->table);
}

void tables_unmap(struct tables_mapped *mapped)
{
  munmap(mapped->memory, mapped->size);
}

void tables_add(const char *path, void (*test)(struct tables_fixture *, gconstpointer), gconstpointer data)
{
  g_test_add(path, struct tables_fixture, data, tables_set_up, test, tables_tear_down);
}
