/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of what processes have mapped: found, compiled, and kept. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "helpers/common/proc.h"
#include "helpers/recorder/common/child.h"
#include "tables-fixture.h"
#include "unwind/unwind-compile.h"

#define ORDINARY 12345

static void test_compile(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "a name with spaces\nand a line end.so");
  struct tables_mapped mapped = tables_map(path);
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  g_assert_cmpint(table->state, ==, RECORDER_TABLE_PENDING);
  g_assert_true(tables_request(fixture, &mapped) == table);
  tables_wait(fixture);
  tables_assert_ready(table);
  g_assert_cmpuint(fixture->announced, ==, 1);
  g_assert_true(tables_request(fixture, &mapped) == table);
  tables_unmap(&mapped);
}

static struct recorder_unwind_table *request_nothing(struct tables_fixture *fixture, guint number)
{
  g_autofree char *path = g_strdup_printf("%s/nothing/%u", fixture->directory, number);
  struct recorder_binary_key key = {.device = 1, .inode = number + 1};

  recorder_binary_key_set_path(&key, path, strlen(path));
  return recorder_tables_request(fixture->tables, &key, getpid(), 4096, 8192);
}

static guint count_items(const struct tables_fixture *fixture)
{
  guint count = 0;

  for (const struct item *item = fixture->tables->all; item != NULL; item = item->next_all)
    count++;
  return count;
}

/* Who maps ever new files makes nothing grow for ever; what is held stays. */
static void test_many(struct tables_fixture *fixture, gconstpointer data)
{
  struct tables_mapped mapped = tables_map(files_library());
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  tables_wait(fixture);
  table->holders = 1;
  for (guint i = 0; i < 40000; i++) {
    request_nothing(fixture, i);
    if (i % 256 == 0)
      tables_wait(fixture);
  }
  g_assert_cmpuint(count_items(fixture), <, 10000);
  g_assert_cmpuint(fixture->tables->names.count, <, 20000);
  tables_assert_ready(table);
  g_assert_true(tables_request(fixture, &mapped) == table);
  tables_unmap(&mapped);
}

/* No more wait for the opener than have room; the rest may come again. */
static void test_crowd(struct tables_fixture *fixture, gconstpointer data)
{
  fixture->tables->ask_patience = 0;
  for (guint i = 0; i < 10000; i++)
    request_nothing(fixture, i);
  g_assert_cmpuint(fixture->tables->to_open.count, <, 4096);
  tables_assert_none(request_nothing(fixture, 9999), EBUSY);
  tables_wait(fixture);
  g_assert_cmpint(request_nothing(fixture, 9999)->state, ==, RECORDER_TABLE_PENDING);
  tables_wait(fixture);
  g_assert_cmpint(request_nothing(fixture, 9999)->error, !=, EBUSY);
}

/* A copy elsewhere, another process's record of it, its build-id: all the same table. */
static void test_identity(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *one = tables_copy(fixture, files_library(), "one"),
                  *two = tables_copy(fixture, files_library(), "two");
  struct tables_mapped first = tables_map(one), second = tables_map(two), third = tables_map(two);
  struct recorder_unwind_table *table = tables_request(fixture, &first);
  third.key = tables_key_by_build_id(two);
  tables_wait(fixture);
  tables_assert_ready(table);
  g_assert_true(tables_request(fixture, &second) == table);
  g_assert_true(tables_request(fixture, &third) == table);
  g_assert_cmpuint(fixture->announced, ==, 1);
  tables_unmap(&first);
  tables_unmap(&second);
  tables_unmap(&third);
}

/* What says it had another's build-id must not pass for that one when somebody else may have written it. */
static void test_impostor(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *one = tables_copy(fixture, files_library(), "one"),
                  *two = tables_copy(fixture, files_library(), "two");
  g_autofree char *three = tables_copy(fixture, files_library(), "three");
  g_assert_cmpint(chown(two, ORDINARY, 0), ==, 0);
  g_assert_cmpint(chmod(three, 0777), ==, 0);
  struct tables_mapped first = tables_map(one), second = tables_map(two), third = tables_map(three);
  struct recorder_unwind_table *table = tables_request(fixture, &first);
  g_assert_true(tables_request(fixture, &second) != table);
  g_assert_true(tables_request(fixture, &third) != table);
  tables_wait(fixture);
  g_assert_cmpuint(fixture->announced, ==, 3);
  tables_unmap(&first);
  tables_unmap(&second);
  tables_unmap(&third);
}

/* Without a build-id, a file that was written anew is another one, and so is one that got the inode of a
 * deleted one. */
static void test_changed(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_build_filename(fixture->directory, "text", NULL);
  g_assert_true(g_file_set_contents(text, "first", -1, NULL));
  struct tables_mapped first = tables_map(text);
  struct recorder_unwind_table *table = tables_request(fixture, &first);
  tables_wait(fixture);
  tables_assert_none(table, ENOEXEC);
  tables_unmap(&first);
  tables_recreate(fixture, fixture->cache, "/bin/false");
  first = tables_map(text);
  tables_assert_none(tables_request(fixture, &first), ENOEXEC);
  tables_unmap(&first);
  int fd = open(text, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint(write(fd, "other", 5), ==, 5);
  close(fd);
  tables_recreate(fixture, fixture->cache, "/bin/false");
  first = tables_map(text);
  table = tables_request(fixture, &first);
  tables_wait(fixture);
  tables_assert_none(table, ENOSYS);
  tables_unmap(&first);
}

static void test_cache(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  struct tables_mapped mapped = tables_map(path);
  tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_recreate(fixture, fixture->cache, "/bin/false");
  tables_assert_ready(tables_request(fixture, &mapped));
  tables_unmap(&mapped);
}

static void test_drop(struct tables_fixture *fixture, gconstpointer with_cache)
{
  struct tables_mapped mapped = tables_map(files_library());
  if (with_cache == NULL)
    tables_recreate(fixture, NULL, fixture->reader);
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_assert_ready(table);
  table->user = fixture;
  recorder_tables_drop(fixture->tables, table);
  g_assert_true(tables_request(fixture, &mapped) == table);
  g_assert_cmpint(table->state, ==, RECORDER_TABLE_READY);
  g_assert_null(table->table);
  table->user = NULL;
  g_assert_true(tables_request(fixture, &mapped) == table);
  if (with_cache == NULL)
    g_assert_cmpint(table->state, ==, RECORDER_TABLE_PENDING);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

static void test_vdso(struct tables_fixture *fixture, gconstpointer data)
{
  struct recorder_binary_key key = {0};
  recorder_binary_key_set_path(&key, "[vdso]", strlen("[vdso]"));
  struct recorder_unwind_table *table = recorder_tables_request(fixture->tables, &key, 1, 4096, 8192);
  tables_wait(fixture);
  tables_assert_ready(table);
  g_assert_true(recorder_tables_request(fixture->tables, &key, 2, 8192, 12288) == table);
}

static void test_special(struct tables_fixture *fixture, gconstpointer data)
{
  struct recorder_binary_key key = {0};
  recorder_binary_key_set_path(&key, "//anon", strlen("//anon"));
  tables_assert_none(recorder_tables_request(fixture->tables, &key, getpid(), 4096, 8192), ENODATA);
  recorder_binary_key_set_path(&key, "/memfd:code", strlen("/memfd:code"));
  tables_assert_none(recorder_tables_request(fixture->tables, &key, getpid(), 4096, 8192), ENODATA);
}

static void test_deleted(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  g_autofree char *shown = g_strconcat(path, " (deleted)", NULL);
  struct tables_mapped mapped = tables_map(path);
  g_assert_cmpint(g_unlink(path), ==, 0);
  recorder_binary_key_set_path(&mapped.key, shown, strlen(shown));
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

/* The range of a mapping as it was; its pieces have other names by now. */
static void test_split(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  struct tables_mapped mapped = tables_map(path);
  guint64 start = (guint64)(guintptr)mapped.memory;
  g_assert_cmpint(g_unlink(path), ==, 0);
  struct recorder_unwind_table *table =
      recorder_tables_request(fixture->tables, &mapped.key, getpid(), start, start + 3 * mapped.size);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

/* One that could not be opened at first turns out to be known already; whoever holds it holds it still. */
static void test_again_known(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *one = tables_copy(fixture, files_library(), "one");
  g_autofree char *two = tables_copy(fixture, files_library(), "two");
  struct tables_mapped first = tables_map(one), second = tables_map(two);
  g_assert_cmpint(g_unlink(two), ==, 0);
  struct recorder_unwind_table *lacking = tables_request_path(fixture, &second, G_MAXINT);
  tables_assert_none(lacking, ENOENT);
  struct recorder_unwind_table *known = tables_request(fixture, &first);
  tables_wait(fixture);
  g_assert_true(tables_request(fixture, &second) == lacking);
  tables_wait(fixture);
  tables_assert_ready(known);
  tables_assert_ready(lacking);
  tables_unmap(&first);
  tables_unmap(&second);
}

/* A child in another mount namespace has the library where nobody else sees one. */
static pid_t start_elsewhere(const char *place, const char *library_copy, int *ret_socket)
{
  int pair[2];
  char word = 0;
  g_autofree char *path = g_build_filename(place, "library", NULL);
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  pid_t pid = fork();
  if (pid == 0) {
    g_autofree char *bytes = NULL;
    gsize size;
    close(pair[0]);
    if (unshare(CLONE_NEWNS) < 0 || mount("none", place, "tmpfs", 0, NULL) < 0 ||
        !g_file_get_contents(library_copy, &bytes, &size, NULL) ||
        !g_file_set_contents(path, bytes, (gssize)size, NULL))
      _exit(1);
    struct tables_mapped mapped = tables_map(path);
    if (send(pair[1], &mapped, sizeof mapped, 0) < 0 || recv(pair[1], &word, 1, 0) < 0)
      _exit(1);
    _exit(0);
  }
  close(pair[1]);
  *ret_socket = pair[0];
  return pid;
}

static void test_elsewhere(struct tables_fixture *fixture, gconstpointer by_path)
{
  int socket, status;
  struct tables_mapped mapped;
  g_autofree char *place = g_build_filename(fixture->directory, "place", NULL);
  g_autofree char *path = g_build_filename(place, "library", NULL);
  g_assert_cmpint(g_mkdir(place, 0755), ==, 0);
  pid_t pid = start_elsewhere(place, files_library(), &socket);
  g_assert_cmpint(recv(socket, &mapped, sizeof mapped, 0), ==, sizeof mapped);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  mapped.key.path = path;
  guint64 start = (guint64)(guintptr)mapped.memory;
  struct recorder_unwind_table *table =
      by_path != NULL
          ? tables_request_path(fixture, &mapped, pid)
          : recorder_tables_request(fixture->tables, &mapped.key, pid, start, start + mapped.size);
  tables_wait(fixture);
  tables_assert_ready(table);
  close(socket);
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
}

static void take_line(const struct recorder_map_line *line, void *data)
{
  struct tables_mapped *mapped = data;
  if (line->start == (guint64)(guintptr)mapped->memory) {
    mapped->key.device = line->device;
    mapped->key.inode = line->inode;
  }
}

/* A mapping shows another device there than the file has. */
static void test_overlay(struct tables_fixture *fixture, gconstpointer by_path)
{
  static const char *const places[] = {"lower", "upper", "work", "merged"};
  g_autofree char *path = g_build_filename(fixture->directory, "merged", "library", NULL);
  g_autofree char *merged = g_path_get_dirname(path);
  g_autofree char *lower = g_build_filename(fixture->directory, "lower", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autofree char *place = g_build_filename(fixture->directory, places[i], NULL);
    g_assert_cmpint(g_mkdir(place, 0755), ==, 0);
  }
  /* Another file system below: then the numbers differ most. */
  g_assert_cmpint(mount("none", lower, "tmpfs", 0, NULL), ==, 0);
  g_autofree char *copy = tables_copy(fixture, files_library(), "lower/library");
  g_autofree char *options =
      g_strdup_printf("lowerdir=%1$s/lower,upperdir=%1$s/upper,workdir=%1$s/work", fixture->directory);
  g_assert_cmpint(mount("none", merged, "overlay", 0, options), ==, 0);
  struct tables_mapped mapped = tables_map(path);
  g_assert_cmpint(recorder_proc_maps(getpid(), take_line, &mapped), ==, 0);
  struct recorder_unwind_table *table =
      by_path != NULL ? tables_request_path(fixture, &mapped, getpid()) : tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
  g_assert_cmpint(umount2(merged, MNT_DETACH), ==, 0);
  g_assert_cmpint(umount2(lower, MNT_DETACH), ==, 0);
}

/* A process that is gone; its file is not. */
static void test_gone(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  struct tables_mapped mapped = tables_map(path);
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  waitpid(pid, NULL, 0);
  struct recorder_unwind_table *table = tables_request_path(fixture, &mapped, pid);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

/* What cannot be opened through one process is tried again through another. */
static void test_again(struct tables_fixture *fixture, gconstpointer data)
{
  g_autofree char *path = tables_copy(fixture, files_library(), "library");
  struct tables_mapped mapped = tables_map(path);
  g_assert_cmpint(g_unlink(path), ==, 0);
  struct recorder_unwind_table *table = tables_request_path(fixture, &mapped, G_MAXINT);
  tables_assert_none(table, ENOENT);
  g_assert_true(tables_request(fixture, &mapped) == table);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_unmap(&mapped);
}

static void request_libraries(struct tables_fixture *fixture, guint *ret_ready)
{
  struct recorder_unwind_table *found[64];
  struct tables_mapped mapped[64];
  guint n = 0;
  g_autoptr(GDir) directory = g_dir_open("/usr/lib/x86_64-linux-gnu", 0, NULL);
  for (const char *name; directory != NULL && n < 64 && (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *path = g_build_filename("/usr/lib/x86_64-linux-gnu", name, NULL);
    struct stat status;
    if (strstr(name, ".so") == NULL || lstat(path, &status) < 0 || !S_ISREG(status.st_mode) ||
        status.st_size > 200000 || status.st_size < 4096)
      continue;
    mapped[n] = tables_map(path);
    found[n] = tables_request(fixture, &mapped[n]);
    n++;
  }
  tables_wait(fixture);
  for (guint i = 0; i < n; i++) {
    *ret_ready += found[i]->state == RECORDER_TABLE_READY &&
                  unwind_table_is_valid(found[i]->table, found[i]->size, true);
    g_assert_cmpint(found[i]->state, !=, RECORDER_TABLE_PENDING);
    tables_unmap(&mapped[i]);
  }
}

/* Two recorders, one cache: both get all, and so does the next one without compiling anything. */
static void test_two(struct tables_fixture *fixture, gconstpointer data)
{
  pid_t pids[2];
  int status;
  guint ready = 0, again = 0;
  request_libraries(fixture, &ready);
  g_assert_cmpuint(ready, >, 10);
  recorder_tables_free(fixture->tables);
  fixture->tables = NULL;
  files_remove_all(fixture->cache);
  for (guint i = 0; i < 2; i++) {
    if ((pids[i] = fork()) == 0) {
      guint own = 0;
      tables_create(fixture, fixture->cache, fixture->reader);
      request_libraries(fixture, &own);
      recorder_tables_free(fixture->tables);
      _exit(own == ready ? 0 : 1);
    }
  }
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
    g_assert_cmpint(status, ==, 0);
  }
  tables_create(fixture, fixture->cache, "/bin/false");
  request_libraries(fixture, &again);
  g_assert_cmpuint(again, ==, ready);
}

/* In a child without any right: compiled, kept, found again; through paths, as map_files is not for
 * everybody. */
static void be_ordinary(struct tables_fixture *fixture, const char *reader)
{
  g_autofree char *cache = g_build_filename(fixture->directory, "own", "cache", NULL);
  if (setgroups(0, NULL) < 0 || setresgid(ORDINARY, ORDINARY, ORDINARY) < 0 ||
      setresuid(ORDINARY, ORDINARY, ORDINARY) < 0)
    _exit(2);
  struct tables_mapped mapped = tables_map(files_library());
  tables_create(fixture, cache, reader);
  struct recorder_unwind_table *table = tables_request(fixture, &mapped);
  tables_wait(fixture);
  tables_assert_ready(table);
  tables_recreate(fixture, cache, "/bin/false");
  tables_assert_ready(tables_request(fixture, &mapped));
  recorder_tables_free(fixture->tables);
  _exit(0);
}

static void test_ordinary(struct tables_fixture *fixture, gconstpointer data)
{
  int status;
  g_autofree char *reader = tables_copy(fixture, fixture->reader, "capture-elf-reader");
  g_autofree char *own = g_build_filename(fixture->directory, "own", NULL);
  g_assert_cmpint(g_mkdir(own, 0700), ==, 0);
  g_assert_cmpint(chown(own, ORDINARY, ORDINARY), ==, 0);
  pid_t pid = fork();
  if (pid == 0)
    be_ordinary(fixture, reader);
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
}

/* The process that opens files keeps three capabilities, and none of the descriptors that it was born with.
 */
static void test_opener(struct tables_fixture *fixture, gconstpointer data)
{
  struct tables_mapped mapped = tables_map(files_library());
  int file = open("/proc/self/exe", O_RDONLY);
  tables_recreate(fixture, fixture->cache, fixture->reader);
  tables_request(fixture, &mapped);
  g_autofree char *path = g_strdup_printf("/proc/%d/status", fixture->tables->opener->pid);
  g_autofree char *own = g_strdup_printf("/proc/%d/fd/%d", fixture->tables->opener->pid, file);
  g_autofree char *status = NULL;
  g_assert_true(g_file_get_contents(path, &status, NULL, NULL));
  g_assert_nonnull(
      strstr(status, "\nCapInh:\t0000000000000000\nCapPrm:\t0000010000080004\nCapEff:\t0000010000080004\n"));
  g_assert_nonnull(strstr(status, "\nNoNewPrivs:\t1\n"));
  g_assert_false(g_file_test(own, G_FILE_TEST_IS_SYMLINK));
  close(file);
  tables_unmap(&mapped);
}

static void test_no_trace(struct tables_fixture *fixture, gconstpointer data)
{
  struct tables_mapped mapped = tables_map(files_library());
  tables_request(fixture, &mapped);
  tables_wait(fixture);
  pid_t opener = fixture->tables->opener->pid;
  g_assert_cmpint(kill(opener, 0), ==, 0);
  recorder_tables_free(fixture->tables);
  fixture->tables = NULL;
  /* There is an end to them, soon. */
  while (waitpid(-1, NULL, 0) > 0)
    continue;
  g_assert_cmpint(errno, ==, ECHILD);
  g_assert_cmpint(kill(opener, 0), <, 0);
  tables_unmap(&mapped);
}

/* Who was killed and has died does not stay behind as a zombie as long as the recorder lives. */
static void test_reaped(struct tables_fixture *fixture, gconstpointer data)
{
  siginfo_t info;
  pid_t pid = fork();
  if (pid == 0)
    for (;;)
      pause();
  recorder_child_end(pid);
  g_assert_true(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 || errno == ECHILD);
  recorder_tables_serve(fixture->tables, NULL, NULL);
  g_assert_cmpint(waitpid(pid, NULL, WNOHANG), <, 0);
}

/* Whatever ends the recorder ends all that it started. */
static void test_killed(struct tables_fixture *fixture, gconstpointer data)
{
  int pair[2], status;
  pid_t pids[2];
  g_assert_cmpint(prctl(PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  pid_t recorder = fork();
  if (recorder == 0) {
    struct tables_mapped mapped = tables_map(files_library());
    tables_create(fixture, fixture->cache, fixture->reader);
    tables_request(fixture, &mapped);
    tables_wait(fixture);
    pids[0] = fixture->tables->opener->pid;
    pids[1] = fixture->tables->readers[0].pid;
    send(pair[1], pids, sizeof pids, 0);
    for (;;)
      pause();
  }
  g_assert_cmpint(recv(pair[0], pids, sizeof pids, 0), ==, sizeof pids);
  g_assert_cmpint(kill(recorder, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(recorder, &status, 0), ==, recorder);
  for (guint i = 0; i < G_N_ELEMENTS(pids); i++)
    g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
  g_assert_cmpint(prctl(PR_SET_CHILD_SUBREAPER, 0), ==, 0);
  close(pair[0]);
  close(pair[1]);
}

static void test_no_reader(struct tables_fixture *fixture, gconstpointer data)
{
  struct recorder_tables *tables = NULL;
  struct recorder_tables_options options = {.reader = "/nonexistent/capture-elf-reader"};
  g_assert_cmpint(recorder_tables_create(&tables, &options), ==, -ENOENT);
  options.reader = "/etc/passwd";
  g_assert_cmpint(recorder_tables_create(&tables, &options), ==, -EACCES);
  g_assert_null(tables);
}

static void test_default_cache(struct tables_fixture *fixture, gconstpointer data)
{
  char path[256];
  g_assert_cmpint(chown(fixture->directory, ORDINARY, 0), ==, 0);
  g_setenv("XDG_CACHE_HOME", fixture->directory, TRUE);
  g_assert_true(recorder_tables_default_cache(path, sizeof path));
  g_assert_cmpstr(path, ==, "/var/cache/capture/unwind");
  g_setenv("XDG_CACHE_HOME", "/some/where", TRUE);
  g_assert_true(recorder_tables_default_cache(path, sizeof path));
  g_assert_cmpstr(path, ==, "/some/where/capture/unwind");
  g_assert_false(recorder_tables_default_cache(path, 10));
  g_setenv("XDG_CACHE_HOME", "relative", TRUE);
  g_assert_true(recorder_tables_default_cache(path, sizeof path));
  g_assert_cmpstr(path, ==, "/var/cache/capture/unwind");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  files_own_mounts();
  tables_add("/tables/compile", test_compile, NULL);
  tables_add("/tables/identity", test_identity, NULL);
  tables_add("/tables/impostor", test_impostor, NULL);
  tables_add("/tables/changed", test_changed, NULL);
  tables_add("/tables/cache", test_cache, NULL);
  tables_add("/tables/drop", test_drop, "cache");
  tables_add("/tables/drop without a cache", test_drop, NULL);
  tables_add("/tables/vdso", test_vdso, NULL);
  tables_add("/tables/special", test_special, NULL);
  tables_add("/tables/deleted", test_deleted, NULL);
  tables_add("/tables/split", test_split, NULL);
  tables_add("/tables/elsewhere", test_elsewhere, NULL);
  tables_add("/tables/elsewhere by path", test_elsewhere, "path");
  tables_add("/tables/overlay", test_overlay, NULL);
  tables_add("/tables/overlay by path", test_overlay, "path");
  tables_add("/tables/gone", test_gone, NULL);
  tables_add("/tables/again", test_again, NULL);
  tables_add("/tables/again, known", test_again_known, NULL);
  tables_add("/tables/two", test_two, NULL);
  tables_add("/tables/ordinary", test_ordinary, NULL);
  tables_add("/tables/many", test_many, NULL);
  tables_add("/tables/crowd", test_crowd, NULL);
  tables_add("/tables/opener", test_opener, NULL);
  tables_add("/tables/no trace", test_no_trace, NULL);
  tables_add("/tables/reaped", test_reaped, NULL);
  tables_add("/tables/killed", test_killed, NULL);
  tables_add("/tables/no reader", test_no_reader, NULL);
  tables_add("/tables/default cache", test_default_cache, NULL);
  return g_test_run();
}
