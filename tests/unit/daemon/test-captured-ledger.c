/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
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
  int fd = memfd_create("windows", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(pwrite(fd, "windows", 7, 4088), ==, 7);
  return fd;
}

static gboolean counts(Fixture *fixture)
{
  while (g_main_context_iteration(NULL, FALSE))
    ;
  return captured_idle_is_held(fixture->idle);
}

/* Fails when that takes for ever; looks are taken once a second, and later when they were in vain. */
static void wait_until_free(Fixture *fixture)
{
  for (guint i = 0; counts(fixture) && i < 1000; i++)
    g_usleep(10000);
  g_assert_false(counts(fixture));
}

/* Likewise, that nothing is let go of. */
static void assert_counts(Fixture *fixture)
{
  for (guint i = 0; i < 150; i++) {
    g_assert_true(counts(fixture));
    g_usleep(10000);
  }
}

/* A file that counts, opened for a caller. */
static int add(Fixture *fixture, int flags)
{
  g_autoptr(CapturedEntry) entry = enter(fixture, 1, 4096);
  g_autoptr(GError) error = NULL;
  int fd = make_file(), given = captured_entry_open(fd, flags);

  g_assert_cmpint(given, >=, 0);
  g_assert_true(captured_entry_add(entry, fd, &error));
  g_assert_no_error(error);
  return given;
}

static void test_descriptor(Fixture *fixture, gconstpointer data)
{
  int fd = add(fixture, O_RDONLY), copy = dup(fd);

  close(fd);
  assert_counts(fixture);
  close(copy);
  wait_until_free(fixture);
}

static void test_mapping(Fixture *fixture, gconstpointer data)
{
  int fd = add(fixture, O_RDWR);
  void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  close(fd);
  assert_counts(fixture);
  munmap(map, 4096);
  wait_until_free(fixture);
}

/* No lease would tell of this one. */
static void test_path(Fixture *fixture, gconstpointer data)
{
  int fd = add(fixture, O_RDONLY);
  g_autofree char *name = g_strdup_printf("/proc/self/fd/%d", fd);
  int path = open(name, O_PATH | O_CLOEXEC);

  close(fd);
  assert_counts(fixture);
  close(path);
  wait_until_free(fixture);
}

static void test_pipe(Fixture *fixture, gconstpointer data)
{
  int fd = add(fixture, O_RDONLY), ends[2];
  loff_t at = 4090;

  g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
  g_assert_cmpint(splice(fd, &at, ends[1], NULL, 1, 0), ==, 1);
  close(fd);
  assert_counts(fixture);
  close(ends[0]);
  close(ends[1]);
  wait_until_free(fixture);
}

static void test_socket(Fixture *fixture, gconstpointer data)
{
  int fd = add(fixture, O_RDONLY), ends[2];
  off_t at = 4090;

  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  g_assert_cmpint(sendfile(ends[0], fd, &at, 1), ==, 1);
  close(fd);
  assert_counts(fixture);
  close(ends[0]);
  close(ends[1]);
  wait_until_free(fixture);
}

/* Who may write may seal, so that nobody can ask any more. */
static void test_sealed(Fixture *fixture, gconstpointer data)
{
  const int *seals = data;
  int fd = add(fixture, O_RDWR);

  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, *seals), ==, 0);
  close(fd);
  assert_counts(fixture);
}

static void tear_down_held(Fixture *fixture, gconstpointer data)
{
  g_assert_true(captured_idle_is_held(fixture->idle));
}

/* For as long as there is a recorder. */
static void test_recorder(Fixture *fixture, gconstpointer data)
{
  CapturedEntry *entry = enter(fixture, 1, 4096);

  g_assert_true(captured_entry_add(entry, make_file(), NULL));
  assert_counts(fixture);
  captured_entry_unref(entry);
  wait_until_free(fixture);
}

static void test_two_files(Fixture *fixture, gconstpointer data)
{
  CapturedEntry *entry = enter(fixture, 1, 4096);
  int first = make_file(), given = captured_entry_open(first, O_RDONLY);

  g_assert_true(captured_entry_add(entry, first, NULL));
  g_assert_true(captured_entry_add(entry, make_file(), NULL));
  captured_entry_unref(entry);
  assert_counts(fixture);
  close(given);
  wait_until_free(fixture);
}

/* One file does not count for two. */
static void test_twice(Fixture *fixture, gconstpointer data)
{
  CapturedEntry *entry = enter(fixture, 1, 4096);
  g_autoptr(GError) error = NULL;
  int fd = make_file(), copy = dup(fd);

  g_assert_true(captured_entry_add(entry, fd, &error));
  g_assert_false(captured_entry_add(entry, copy, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED);
  captured_entry_unref(entry);
  wait_until_free(fixture);
}

int main(int argc, char **argv)
{
  static const int seals[] = {F_SEAL_SEAL, F_SEAL_WRITE};

  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/captured/ledger/" name, Fixture, NULL, set_up, function, tear_down)
  ADD("user", test_user);
  ADD("share", test_share);
  ADD("descriptor", test_descriptor);
  ADD("mapping", test_mapping);
  ADD("path", test_path);
  ADD("pipe", test_pipe);
  ADD("socket", test_socket);
  ADD("recorder", test_recorder);
  ADD("two-files", test_two_files);
  ADD("twice", test_twice);
  for (guint i = 0; i < G_N_ELEMENTS(seals); i++) {
    g_autofree char *name = g_strdup_printf("/captured/ledger/sealed/%u", i);
    g_test_add(name, Fixture, &seals[i], set_up, test_sealed, tear_down_held);
  }
  return g_test_run();
}
