/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unwind tables on disk: what is kept, what is believed, and what goes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "files-fixture.h"
#include "helpers/common/image.h"
#include "helpers/opener/opener-cache.h"
#include "unwind/unwind-compile.h"

#define SOMEBODY_ELSE 12345
#define ID            "0123456789abcdef"
#define NAME          ID ".unwind" G_STRINGIFY(UNWIND_TABLE_VERSION)

struct fixture {
  char *directory;
  struct opener_cache cache;
  struct unwind_image image;
};

static void open_with(struct fixture *fixture, guint64 limit)
{
  opener_cache_close(&fixture->cache);
  g_assert_cmpint(opener_cache_open(&fixture->cache, fixture->directory, limit), ==, 0);
}

static void set_up(struct fixture *fixture, gconstpointer data)
{
  g_autoptr(GMappedFile) file = g_mapped_file_new(files_library(), FALSE, NULL);
  g_autofree char *parent = g_dir_make_tmp("capture-cache-XXXXXX", NULL);
  fixture->directory = g_build_filename(parent, "below", "unwind", NULL);
  fixture->cache.directory = -1;
  g_assert_cmpint(
      unwind_compile(g_mapped_file_get_contents(file), g_mapped_file_get_length(file), &fixture->image), ==,
      0);
  open_with(fixture, 0);
}

static void tear_down(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *below = g_path_get_dirname(fixture->directory);
  g_autofree char *parent = g_path_get_dirname(below);
  opener_cache_close(&fixture->cache);
  unwind_image_clear(&fixture->image);
  files_remove_all(fixture->directory);
  g_assert_cmpint(g_rmdir(below), ==, 0);
  g_assert_cmpint(g_rmdir(parent), ==, 0);
  g_free(fixture->directory);
}

static char *path_of(struct fixture *fixture, const char *name)
{
  return g_build_filename(fixture->directory, name, NULL);
}

static int store(struct fixture *fixture, const char *identity)
{
  return opener_cache_store(&fixture->cache, identity, fixture->image.table, fixture->image.table->size);
}

static enum opener_cache_answer find(struct fixture *fixture, const char *identity)
{
  int fd = -1, error = 0;
  guint64 size = 0;
  enum opener_cache_answer answer = opener_cache_find(&fixture->cache, identity, &fd, &size, &error);
  if (answer == OPENER_CACHE_TABLE) {
    g_autofree char *bytes = g_malloc(size);
    g_assert_cmpuint(size, ==, fixture->image.table->size);
    g_assert_cmpint(pread(fd, bytes, size, 0), ==, (gssize)size);
    g_assert_cmpmem(bytes, size, fixture->image.table, size);
    close(fd);
  } else {
    g_assert_cmpint(fd, ==, -1);
  }
  return answer;
}

static guint count_files(struct fixture *fixture)
{
  g_autoptr(GDir) opened = g_dir_open(fixture->directory, 0, NULL);
  guint count = 0;
  while (g_dir_read_name(opened) != NULL)
    count++;
  return count;
}

static void assert_removed(struct fixture *fixture)
{
  g_autofree char *path = path_of(fixture, NAME);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_ABSENT);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_TABLE);
}

static void test_store(struct fixture *fixture, gconstpointer data)
{
  struct stat status;
  g_autofree char *path = path_of(fixture, NAME);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_ABSENT);
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_TABLE);
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_cmpuint(count_files(fixture), ==, 1);
  g_assert_cmpint(find(fixture, "another"), ==, OPENER_CACHE_ABSENT);
  open_with(fixture, 0);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_TABLE);
  g_assert_cmpint(stat(path, &status), ==, 0);
  g_assert_cmpint(status.st_mode & 0777, ==, 0600);
  g_assert_cmpint(stat(fixture->directory, &status), ==, 0);
  g_assert_cmpint(status.st_mode & 0777, ==, 0700);
}

static void test_none(struct fixture *fixture, gconstpointer data)
{
  int fd, error = 0;
  guint64 size;
  g_assert_cmpint(opener_cache_store_none(&fixture->cache, ID, ENODATA), ==, 0);
  g_assert_cmpint(opener_cache_find(&fixture->cache, ID, &fd, &size, &error), ==, OPENER_CACHE_NONE);
  g_assert_cmpint(error, ==, ENODATA);
}

/* Each byte, changed, must be noticed; a sample of them in a table, all of what says that there is none. */
static void test_damage(struct fixture *fixture, gconstpointer none)
{
  g_autofree char *path = path_of(fixture, NAME);
  g_autofree char *bytes = NULL;
  gsize size;
  if (none != NULL)
    g_assert_cmpint(opener_cache_store_none(&fixture->cache, ID, ENODATA), ==, 0);
  else
    g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
  for (gsize i = 0; i < size; i += none != NULL ? 1 : size / 97) {
    bytes[i] ^= 0x10;
    g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
    g_assert_cmpint(chmod(path, 0600), ==, 0);
    g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_ABSENT);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    bytes[i] ^= 0x10;
  }
  g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
  g_assert_cmpint(chmod(path, 0600), ==, 0);
  g_assert_cmpint(find(fixture, ID), ==, none != NULL ? OPENER_CACHE_NONE : OPENER_CACHE_TABLE);
  for (gsize i = 0; i < size; i += 1 + size / 7) {
    g_assert_true(g_file_set_contents(path, bytes, (gssize)i, NULL));
    g_assert_cmpint(chmod(path, 0600), ==, 0);
    g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_ABSENT);
  }
}

/* Another version has another name; a file of it under this version's name is not believed either. */
static void test_version(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *path = path_of(fixture, NAME);
  g_autofree char *old = path_of(fixture, ID ".unwind0");
  struct unwind_table *table = fixture->image.table;
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_cmpint(g_rename(path, old), ==, 0);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_ABSENT);
  g_assert_true(g_file_test(old, G_FILE_TEST_EXISTS));
  table->version++;
  g_assert_cmpint(store(fixture, ID), ==, 0);
  table->version--;
  assert_removed(fixture);
}

static void test_owner(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *path = path_of(fixture, NAME);
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_cmpint(chown(path, SOMEBODY_ELSE, 0), ==, 0);
  assert_removed(fixture);
  g_assert_cmpint(chmod(path, 0620), ==, 0);
  assert_removed(fixture);
  g_assert_cmpint(chmod(path, 0602), ==, 0);
  assert_removed(fixture);
}

static void test_kinds(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *path = path_of(fixture, NAME);
  g_autofree char *other = path_of(fixture, "other");
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_cmpint(g_rename(path, other), ==, 0);
  g_assert_cmpint(symlink("other", path), ==, 0);
  assert_removed(fixture);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  assert_removed(fixture);
}

static void assert_refused(const char *path, int error)
{
  struct opener_cache cache;
  g_assert_cmpint(opener_cache_open(&cache, path, 0), ==, error);
  g_assert_cmpint(cache.directory, ==, -1);
  int fd;
  guint64 size;
  g_assert_cmpint(opener_cache_find(&cache, ID, &fd, &size, &error), ==, OPENER_CACHE_ABSENT);
  g_assert_cmpint(opener_cache_store_none(&cache, ID, ENODATA), <, 0);
}

static void test_directory(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *file = path_of(fixture, "file");
  g_autofree char *below = path_of(fixture, "file/below");
  g_assert_cmpint(chown(fixture->directory, SOMEBODY_ELSE, 0), ==, 0);
  assert_refused(fixture->directory, -EPERM);
  g_assert_cmpint(chown(fixture->directory, 0, 0), ==, 0);
  g_assert_cmpint(chmod(fixture->directory, 01777), ==, 0);
  assert_refused(fixture->directory, -EPERM);
  g_assert_cmpint(chmod(fixture->directory, 0700), ==, 0);
  g_assert_true(g_file_set_contents(file, "", 0, NULL));
  assert_refused(file, -ENOTDIR);
  assert_refused(below, -ENOTDIR);
  assert_refused("/proc/nothing", -ENOENT);
}

static void set_used(struct fixture *fixture, const char *name, time_t when)
{
  g_autofree char *path = path_of(fixture, name);
  struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
  g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

static gboolean has(struct fixture *fixture, guint number)
{
  g_autofree char *name = g_strdup_printf("%u.unwind%d", number, UNWIND_TABLE_VERSION);
  g_autofree char *path = path_of(fixture, name);
  return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* The oldest goes first, but what was found lately counts as new. */
static void test_limit(struct fixture *fixture, gconstpointer data)
{
  guint64 each = ((guint64)fixture->image.table->size + 4095) / 4096 * 4096;
  open_with(fixture, 8 * each);
  for (guint i = 0; i < 8; i++) {
    g_autofree char *identity = g_strdup_printf("%u", i);
    g_autofree char *name = g_strdup_printf("%u.unwind%d", i, UNWIND_TABLE_VERSION);
    g_assert_cmpint(store(fixture, identity), ==, 0);
    set_used(fixture, name, 1000000 + i);
  }
  g_assert_cmpuint(count_files(fixture), ==, 8);
  g_assert_cmpint(find(fixture, "0"), ==, OPENER_CACHE_TABLE);
  g_assert_cmpint(store(fixture, "8"), ==, 0);
  for (guint i = 0; i < 9; i++)
    g_assert_cmpint(has(fixture, i), ==, i != 1 && i != 2);
  open_with(fixture, each - 4096);
  g_assert_cmpint(store(fixture, "9"), ==, -EFBIG);
}

static void test_abandoned(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *old = path_of(fixture, ".new-1-0");
  g_autofree char *young = path_of(fixture, ".new-1-1");
  g_assert_true(g_file_set_contents(old, "x", 1, NULL));
  g_assert_true(g_file_set_contents(young, "x", 1, NULL));
  set_used(fixture, ".new-1-0", 1000000);
  g_assert_cmpint(store(fixture, ID), ==, 0);
  g_assert_false(g_file_test(old, G_FILE_TEST_EXISTS));
  g_assert_true(g_file_test(young, G_FILE_TEST_EXISTS));
}

static void test_full(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *options = g_strdup_printf("size=%u", fixture->image.table->size / 2);
  g_assert_cmpint(mount("none", fixture->directory, "tmpfs", 0, options), ==, 0);
  g_assert_cmpint(chmod(fixture->directory, 0700), ==, 0);
  open_with(fixture, 0);
  g_assert_cmpint(store(fixture, ID), ==, -ENOSPC);
  g_assert_cmpuint(count_files(fixture), ==, 0);
  g_assert_cmpint(find(fixture, ID), ==, OPENER_CACHE_ABSENT);
  opener_cache_close(&fixture->cache);
  g_assert_cmpint(umount(fixture->directory), ==, 0);
}

/* Two that store, find and throw away the same, all the time: nobody ever sees anything but whole tables. */
static void use(struct fixture *fixture, guint64 each)
{
  open_with(fixture, 5 * each);
  for (guint i = 0; i < 400; i++) {
    g_autofree char *identity = g_strdup_printf("%u", i % 11);
    if (store(fixture, identity) < 0)
      _exit(1);
    g_autofree char *other = g_strdup_printf("%u", (i + 5) % 11);
    find(fixture, other);
  }
  _exit(0);
}

static void test_two(struct fixture *fixture, gconstpointer data)
{
  pid_t pids[2];
  int status;
  guint64 each = ((guint64)fixture->image.table->size + 4095) / 4096 * 4096;
  for (guint i = 0; i < 2; i++)
    if ((pids[i] = fork()) == 0)
      use(fixture, each);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
    g_assert_cmpint(status, ==, 0);
  }
  g_assert_cmpuint(count_files(fixture), >, 0);
  g_assert_cmpuint(count_files(fixture), <=, 10);
}

static void add(const char *path, void (*test)(struct fixture *, gconstpointer), gconstpointer data)
{
  g_test_add(path, struct fixture, data, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  files_own_mounts();
  add("/cache/store", test_store, NULL);
  add("/cache/none", test_none, NULL);
  add("/cache/damage", test_damage, NULL);
  add("/cache/damage to none", test_damage, "none");
  add("/cache/version", test_version, NULL);
  add("/cache/owner", test_owner, NULL);
  add("/cache/kinds", test_kinds, NULL);
  add("/cache/directory", test_directory, NULL);
  add("/cache/limit", test_limit, NULL);
  add("/cache/abandoned", test_abandoned, NULL);
  add("/cache/full", test_full, NULL);
  add("/cache/two", test_two, NULL);
  return g_test_run();
}
