/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "daemon/captured-ledger.h"

#define MIB (G_GUINT64_CONSTANT(1) << 20)

typedef struct {
  CapturedIdle *idle;
  CapturedLedger *ledger;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  fixture->idle = captured_idle_new(0);
  fixture->ledger = captured_ledger_new(fixture->idle, &error);
  g_assert_no_error(error);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  g_assert_false(captured_idle_is_held(fixture->idle));
  g_object_unref(fixture->ledger);
  g_object_unref(fixture->idle);
}

static CapturedEntry *enter(Fixture *fixture, uid_t user, guint64 bytes)
{
  g_autoptr(GError) error = NULL;
  CapturedEntry *entry = captured_ledger_enter(fixture->ledger, user, bytes, &error);

  if (!entry)
    g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED);
  return entry;
}

static void test_user(Fixture *fixture, gconstpointer data)
{
  CapturedEntry *first = enter(fixture, 1, 40 * MIB), *second = enter(fixture, 1, 24 * MIB);

  g_assert_true(captured_idle_is_held(fixture->idle));
  g_assert_null(enter(fixture, 1, 1));
  captured_entry_unref(enter(fixture, 2, 64 * MIB));
  captured_entry_unref(second);
  g_assert_null(enter(fixture, 1, 25 * MIB));
  captured_entry_unref(enter(fixture, 1, 24 * MIB));
  captured_entry_unref(first);
}

/* Three who take all they may leave some for everybody else. */
static void test_share(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)captured_entry_unref);
  guint users = 0;

  for (uid_t user = 0; user < 3; user++)
    g_ptr_array_add(entries, enter(fixture, user, 64 * MIB));
  g_assert_null(enter(fixture, 3, CAPTURED_WINDOW_BYTES_SHARE + 1));
  for (uid_t user = 3; user < 100; user++) {
    CapturedEntry *entry = enter(fixture, user, CAPTURED_WINDOW_BYTES_SHARE);
    if (entry) {
      g_ptr_array_add(entries, entry);
      users++;
    }
  }
  g_assert_cmpuint(users, ==, 64 * MIB / CAPTURED_WINDOW_BYTES_SHARE);
}

static int make_file(void)
{
  int fd = memfd_create("windows", MFD_CLOEXEC);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(ftruncate(fd, 4096), ==, 0);
  return fd;
}

static gboolean counts(Fixture *fixture)
{
  while (g_main_context_iteration(NULL, FALSE))
    ;
  return captured_idle_is_held(fixture->idle);
}

static void watch(Fixture *fixture, int fd)
{
  g_autoptr(CapturedEntry) entry = enter(fixture, 1, 4096);
  g_autoptr(GError) error = NULL;

  g_assert_true(captured_entry_watch(entry, fd, &error));
  g_assert_no_error(error);
}

static void test_descriptor(Fixture *fixture, gconstpointer data)
{
  int fd = make_file(), copy = dup(fd);

  watch(fixture, fd);
  close(fd);
  g_assert_true(counts(fixture));
  close(copy);
  g_assert_false(counts(fixture));
}

static void test_mapping(Fixture *fixture, gconstpointer data)
{
  int fd = make_file();
  void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

  watch(fixture, fd);
  close(fd);
  g_assert_true(counts(fixture));
  munmap(map, 4096);
  g_assert_false(counts(fixture));
}

/* No lease would tell of this one. */
static void test_path(Fixture *fixture, gconstpointer data)
{
  int fd = make_file();
  g_autofree char *name = g_strdup_printf("/proc/self/fd/%d", fd);
  int path = open(name, O_PATH | O_CLOEXEC);

  watch(fixture, fd);
  close(fd);
  g_assert_true(counts(fixture));
  close(path);
  g_assert_false(counts(fixture));
}

static void test_two_files(Fixture *fixture, gconstpointer data)
{
  g_autoptr(CapturedEntry) entry = enter(fixture, 1, 4096);
  int first = make_file(), second = make_file();

  g_assert_true(captured_entry_watch(entry, first, NULL));
  g_assert_true(captured_entry_watch(entry, second, NULL));
  g_clear_pointer(&entry, captured_entry_unref);
  close(second);
  g_assert_true(counts(fixture));
  close(first);
  g_assert_false(counts(fixture));
}

/* One file does not count for two. */
static void test_twice(Fixture *fixture, gconstpointer data)
{
  g_autoptr(CapturedEntry) entry = enter(fixture, 1, 4096);
  g_autoptr(GError) error = NULL;
  int fd = make_file();

  watch(fixture, fd);
  g_assert_false(captured_entry_watch(entry, fd, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
  g_clear_pointer(&entry, captured_entry_unref);
  close(fd);
  g_assert_false(counts(fixture));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/captured/ledger/" name, Fixture, NULL, set_up, function, tear_down)
  ADD("user", test_user);
  ADD("share", test_share);
  ADD("descriptor", test_descriptor);
  ADD("mapping", test_mapping);
  ADD("path", test_path);
  ADD("two-files", test_two_files);
  ADD("twice", test_twice);
  return g_test_run();
}
