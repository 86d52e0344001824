/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that are not to be had: other files than expected, deadly ones, slow ones, and elf-readers that were
 * taken over. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tables-fixture.h"

static void assert_not_taken(struct tables_fixture *fixture, const struct tables_mapped *mapped, int error)
{
  tables_recreate(fixture, fixture->cache, fixture->reader);
  tables_assert_none(tables_request_path(fixture, mapped, getpid()), error);
}

/* The path leads to something else than what is mapped, by then. */
static void test_replaced(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  g_autofree char *other = tables_copy(fixture, files_library(), "other");
  struct tables_mapped mapped = tables_map(path);
  g_assert_cmpint(g_rename(other, path), ==, 0);
  assert_not_taken(fixture, &mapped, ESTALE);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(symlink("/bin/sh", path), ==, 0);
  assert_not_taken(fixture, &mapped, ESTALE);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(symlink("/proc/self/exe", path), ==, 0);
  assert_not_taken(fixture, &mapped, ELOOP);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  assert_not_taken(fixture, &mapped, EINVAL);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  assert_not_taken(fixture, &mapped, EINVAL);
  mapped.key = tables_key_by_build_id(files_library());
  mapped.key.build_id[0] ^= 1;
  assert_not_taken(fixture, &mapped, ESTALE);
  recorder_binary_key_set_path(&mapped.key, "/dev/null", strlen("/dev/null"));
  assert_not_taken(fixture, &mapped, EINVAL);
  tables_unmap(&mapped);
}

static void test_large(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  g_assert_cmpint(truncate(path, (off_t)5 << 30), ==, 0);
  struct tables_mapped mapped = tables_map(path);
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_assert_none(table, EFBIG);
  tables_unmap(&mapped);
}

/* A file whose bytes cannot be had when they are looked at, as one that was cut off meanwhile: its elf-reader
 * dies of it, the next one does not. */
static void test_bus_error(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *place = g_build_filename(fixture->directory, "place", NULL);
  g_autofree char *deadly = g_build_filename(place, "deadly", NULL);
  g_autofree char *filler = g_build_filename(place, "filler", NULL);
  g_autofree char *head = NULL;
  char page[4096] = "x";
  gsize size;
  g_assert_cmpint(g_mkdir(place, 0755), ==, 0);
  g_assert_cmpint(mount("none", place, "tmpfs", 0, "size=64k"), ==, 0);
  g_assert_true(g_file_get_contents(files_library(), &head, &size, NULL));
  g_assert_true(g_file_set_contents(deadly, head, 4096, NULL));
  g_assert_cmpint(truncate(deadly, (off_t)size), ==, 0);
  int fd = open(filler, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  while (write(fd, page, sizeof page) == sizeof page)
    continue;
  close(fd);
  struct tables_mapped killing = tables_map(deadly), harmless = tables_map("/proc/self/exe");
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  recorder_binary_key_set_path(&harmless.key, program, strlen(program));
  struct recorder_unwind_table *first = tables_request(fixture, &killing);
  struct recorder_unwind_table *second = tables_request(fixture, &harmless);
  tables_wait(fixture);
  tables_assert_none(first, ECONNABORTED);
  tables_assert_ready(second);
  g_assert_true(tables_request(fixture, &killing) == first);
  tables_assert_none(first, ECONNABORTED);
  tables_unmap(&killing);
  tables_unmap(&harmless);
  g_assert_cmpint(umount2(place, MNT_DETACH), ==, 0);
}

/* Elf-readers that were taken over, by what they do. */
static const struct deed {
  const char *name;
  int error;
} deeds[] = {
    {"hang", ETIMEDOUT},        {"die", ECONNABORTED},        {"wrong-cookie", ECONNABORTED},
    {"no-table", ECONNABORTED}, {"wrong-type", ECONNABORTED}, {"short", ECONNABORTED},
    {"wrong-size", EBADMSG},    {"holes", EBADMSG},           {"no-memfd", EBADMSG},
    {"unsealed", EBADMSG},      {"invalid", EBADMSG},         {"wrong-error", ECONNABORTED},
    {"never-ready", ENOSYS},    {"wrong-version", ENOSYS},
};

static void test_taken_over(struct tables_fixture *fixture, gconstpointer data)
{
  const struct deed *deed = data;
  g_autofree char *program =
      g_build_filename(g_getenv("G_TEST_BUILDDIR"), "unit", "recorder", "fake-elf-reader", NULL);
  g_autofree char *fake = tables_copy(fixture, program, deed->name);
  struct tables_mapped mapped = tables_map(files_library());
  tables_recreate(fixture, fixture->cache, fake);
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  g_assert_cmpint(table->state, ==, RECORDER_TABLE_PENDING);
  tables_wait(fixture);
  tables_assert_none(table, deed->error);
  g_assert_cmpuint(fixture->announced, ==, 1);
  tables_recreate(fixture, fixture->cache, fixture->reader);
  table = tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

/* Whoever serves a file system may take his time, or never answer. */
static void test_slow_file(struct tables_fixture *fixture, gconstpointer data)
{
  struct tables_mapped mapped = tables_map(files_library());
  fixture->tables->ask_patience = 1;
  g_assert_cmpint(kill(fixture->tables->opener->pid, SIGSTOP), ==, 0);
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  g_assert_cmpint(table->state, ==, RECORDER_TABLE_PENDING);
  g_assert_cmpint(kill(fixture->tables->opener->pid, SIGCONT), ==, 0);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

/* Two names are given out before anybody knows that they are one binary: both have a table, and the opener
 * lives to keep it. */
static void test_slow_names(struct tables_fixture *fixture, gconstpointer data)
{
  struct tables_mapped mapped = tables_map(files_library()), named = mapped;
  pid_t opener = fixture->tables->opener->pid;
  named.key = tables_key_by_build_id(files_library());
  fixture->tables->ask_patience = 1;
  g_assert_cmpint(kill(opener, SIGSTOP), ==, 0);
  struct recorder_unwind_table *first = tables_request(fixture, &mapped);
  struct recorder_unwind_table *second = tables_request(fixture, &named);
  g_assert_true(first != second);
  g_assert_cmpint(kill(opener, SIGCONT), ==, 0);
  tables_wait(fixture);
  tables_assert_ready(first);
  tables_assert_ready(second);
  while (fixture->tables->keepsakes != NULL || recorder_opener_is_busy(fixture->tables->opener)) {
    recorder_opener_wait(fixture->tables->opener, 100);
    recorder_tables_serve_opener(fixture->tables);
  }
  g_assert_cmpint(fixture->tables->opener->pid, ==, opener);
  tables_recreate(fixture, fixture->cache, fixture->reader);
  tables_assert_ready(tables_request(fixture, &named));
  tables_unmap(&mapped);
}

/* A file system whose server never says a word. Returns the server's descriptor; closing it ends all who
 * wait. */
static int mount_silence(const char *place)
{
  int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  g_autofree char *options = g_strdup_printf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(mount("none", place, "fuse", 0, options), ==, 0);
  return fd;
}

static void test_hanging_file(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *place = g_build_filename(fixture->directory, "place", NULL);
  g_autofree char *path = g_build_filename(place, "library", NULL);
  struct tables_mapped hanging = tables_map(files_library()), other = tables_map("/bin/sh");
  pid_t opener = fixture->tables->opener->pid;
  g_assert_cmpint(g_mkdir(place, 0755), ==, 0);
  int fd = mount_silence(place);
  fixture->tables->ask_patience = 1;
  recorder_binary_key_set_path(&hanging.key, path, strlen(path));
  struct recorder_unwind_table *table = tables_request_path(fixture, &hanging, getpid());
  struct recorder_unwind_table *next = tables_request(fixture, &other);
  tables_wait(fixture);
  tables_assert_none(table, ETIMEDOUT);
  tables_assert_ready(next);
  g_assert_cmpint(fixture->tables->opener->pid, !=, opener);
  g_assert_cmpint(umount2(place, MNT_DETACH), ==, 0);
  close(fd);
  tables_unmap(&hanging);
  tables_unmap(&other);
}

static void add_deeds(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(deeds); i++) {
    g_autofree char *path = g_strconcat("/tables/taken over/", deeds[i].name, NULL);
    tables_add(path, test_taken_over, &deeds[i]);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  files_own_mounts();
  tables_add("/tables/replaced", test_replaced, NULL);
  tables_add("/tables/large", test_large, NULL);
  tables_add("/tables/bus error", test_bus_error, NULL);
  tables_add("/tables/slow file", test_slow_file, NULL);
  tables_add("/tables/slow names", test_slow_names, NULL);
  tables_add("/tables/hanging file", test_hanging_file, NULL);
  add_deeds();
  return g_test_run();
}
