/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/naming/names-store.h"
#include "tests/unit/profile/symbol-files.h"

#define STORE       "cache/names.sqlite"
#define N_FUNCTIONS 50
#define BYTES_MAX   (16 * 1024 * 1024)

static const ProfileNameSources sources = {.binary = {1, 2, 3}, .debug = {4, 5, 6}};

/* The entry number key; every second stretch has no name. */
static ProfileStoredNames *make_entry(guint32 key, guint n)
{
  ProfileStoredNames *names =
      profile_stored_names_new((const guint8 *)&key, sizeof key, CAPTURE_NAMING_DYNAMIC, &sources, "x.debug");

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("function_%u_of_%u", i, key);
    ProfileFunctionRange range = {.start = i * 16, .end = i * 16 + 10};

    if (i % 2 == 0) {
      range.name = name;
      range.linkage_name = i % 4 == 0 ? "_Zlinkage" : name;
      range.nameless = i % 3 == 0;
    }
    g_assert_true(profile_stored_names_add(names, &range));
  }
  return names;
}

static void assert_ranges_equal(const ProfileFunctionRange *a, const ProfileFunctionRange *b)
{
  g_assert_cmpuint(a->start, ==, b->start);
  g_assert_cmpuint(a->end, ==, b->end);
  g_assert_cmpstr(a->name, ==, b->name);
  g_assert_cmpstr(a->linkage_name, ==, b->linkage_name);
  g_assert_cmpint(a->nameless, ==, b->nameless);
}

static void assert_entries_equal(const ProfileStoredNames *a, const ProfileStoredNames *b)
{
  gsize n, n_b;
  const ProfileFunctionRange *ranges = profile_stored_names_get_ranges(a, &n);
  const ProfileFunctionRange *ranges_b = profile_stored_names_get_ranges(b, &n_b);

  g_assert_cmpint(profile_stored_names_get_status(a), ==, profile_stored_names_get_status(b));
  g_assert_cmpstr(profile_stored_names_get_link(a), ==, profile_stored_names_get_link(b));
  g_assert_true(
      profile_name_sources_equal(profile_stored_names_get_sources(a), profile_stored_names_get_sources(b)));
  g_assert_cmpuint(n, ==, n_b);
  for (gsize i = 0; i < n; i++)
    assert_ranges_equal(&ranges[i], &ranges_b[i]);
}

static ProfileNamesStore *open_store(void)
{
  ProfileNamesStore *store = profile_names_store_open(STORE, BYTES_MAX);

  g_assert_nonnull(store);
  return store;
}

static ProfileStoredNames *load(ProfileNamesStore *store, guint32 key)
{
  return profile_names_store_load(store, (const guint8 *)&key, sizeof key);
}

static void save(ProfileNamesStore *store, guint32 key, guint n)
{
  g_autoptr(ProfileStoredNames) names = make_entry(key, n);

  profile_names_store_save(store, &names, 1);
}

static gboolean is_stored(ProfileNamesStore *store, guint32 key, guint n)
{
  g_autoptr(ProfileStoredNames) wanted = make_entry(key, n);
  g_autoptr(ProfileStoredNames) names = load(store, key);

  if (names)
    assert_entries_equal(names, wanted);
  return names != NULL;
}

/* Saves and loads as if nothing had ever been wrong. */
static void assert_works(void)
{
  g_autoptr(ProfileNamesStore) store = open_store();

  save(store, 7, N_FUNCTIONS);
  g_assert_true(is_stored(store, 7, N_FUNCTIONS));
}

/* A store of entries 1 … n, in one file. */
static void make_store(guint n)
{
  g_autoptr(ProfileNamesStore) store = open_store();

  for (guint i = 1; i <= n; i++)
    save(store, i, N_FUNCTIONS);
}

static void change(const char *sql)
{
  sqlite3 *db;
  char *message = NULL;

  g_assert_cmpint(sqlite3_open(STORE, &db), ==, SQLITE_OK);
  sqlite3_exec(db, sql, NULL, NULL, &message);
  g_assert_cmpstr(message, ==, NULL);
  sqlite3_close(db);
}

static gint64 ask(const char *sql)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  gint64 answer;

  g_assert_cmpint(sqlite3_open(STORE, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_step(statement), ==, SQLITE_ROW);
  answer = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return answer;
}

static void test_round_trip(void)
{
  char *directory = symbol_files_enter();

  make_store(2);
  {
    g_autoptr(ProfileNamesStore) store = open_store();

    g_assert_true(is_stored(store, 1, N_FUNCTIONS));
    g_assert_true(is_stored(store, 2, N_FUNCTIONS));
    g_assert_false(is_stored(store, 3, N_FUNCTIONS));
    g_assert_null(profile_names_store_load(store, (const guint8 *)"", 0));
  }
  symbol_files_leave(directory);
}

/* More of the same files is added; other files take the place of what was there. */
static void test_merge(void)
{
  char *directory = symbol_files_enter();
  g_autoptr(ProfileNamesStore) store = open_store();
  guint32 key = 1;
  ProfileNameSources others = sources;
  ProfileFunctionRange range = {.start = 5000, .end = 5001, .name = "later"};
  g_autoptr(ProfileStoredNames) added = NULL;
  g_autoptr(ProfileStoredNames) more = NULL;
  g_autoptr(ProfileStoredNames) other = NULL;
  g_autoptr(ProfileStoredNames) now = NULL;
  gsize n;

  save(store, key, N_FUNCTIONS);
  added = profile_stored_names_new((guint8 *)&key, sizeof key, CAPTURE_NAMING_DYNAMIC, &sources, "x.debug");
  g_assert_true(profile_stored_names_add(added, &range));
  profile_names_store_save(store, &added, 1);
  more = load(store, key);
  profile_stored_names_get_ranges(more, &n);
  g_assert_cmpuint(n, ==, N_FUNCTIONS + 1);
  g_assert_cmpstr(profile_stored_names_find(more, 5000)->name, ==, "later");

  others.debug.time++;
  other = profile_stored_names_new((guint8 *)&key, sizeof key, CAPTURE_NAMING_SYMBOLS, &others, NULL);
  g_assert_true(profile_stored_names_add(other, &range));
  profile_names_store_save(store, &other, 1);
  now = load(store, key);
  assert_entries_equal(now, other);
  g_assert_cmpint(ask("SELECT count(*) FROM function"), ==, 1);
  symbol_files_leave(directory);
}

static void test_find(void)
{
  g_autoptr(ProfileStoredNames) names = make_entry(1, 4);
  g_autofree char *long_text = g_strnfill(PROFILE_STORED_NAMES_STRING_MAX + 1, 'x');
  ProfileFunctionRange refused[] = {{.start = 57, .end = 60, .name = "overlaps"},
                                    {.start = 70, .end = 70, .name = "empty"},
                                    {.start = 70, .end = 60, .name = "backwards"},
                                    {.start = 70, .end = G_MAXUINT64, .name = "far"},
                                    {.start = 70, .end = 80, .name = long_text}};

  g_assert_cmpstr(profile_stored_names_find(names, 0)->name, ==, "function_0_of_1");
  g_assert_nonnull(profile_stored_names_find(names, 9));
  g_assert_null(profile_stored_names_find(names, 10));
  g_assert_null(profile_stored_names_find(names, 16)->name);
  g_assert_cmpstr(profile_stored_names_find(names, 32)->name, ==, "function_2_of_1");
  g_assert_null(profile_stored_names_find(names, 58));
  for (guint i = 0; i < G_N_ELEMENTS(refused); i++)
    g_assert_false(profile_stored_names_add(names, &refused[i]));
}

static void test_unusable(void)
{
  char *directory = symbol_files_enter();

  g_assert_null(profile_names_store_open("/proc/nowhere/names.sqlite", BYTES_MAX));
  symbol_files_write("file", "");
  g_assert_null(profile_names_store_open("file/names.sqlite", BYTES_MAX));
  g_assert_cmpint(g_mkdir_with_parents(STORE, 0700), ==, 0);
  g_assert_null(profile_names_store_open(STORE, BYTES_MAX));
  symbol_files_run("rmdir " STORE " && : >target && ln -s ../target " STORE);
  g_assert_null(profile_names_store_open(STORE, BYTES_MAX));
  symbol_files_run("test ! -s target && rm " STORE);
  make_store(1);
  g_assert_cmpint(g_chmod(STORE, 0666), ==, 0);
  g_assert_null(profile_names_store_open(STORE, BYTES_MAX));
  g_assert_cmpint(g_chmod(STORE, 0644), ==, 0);
  assert_works();
  symbol_files_leave(directory);
}

/* A child without privileges: what it can open it may read, and what it saves is not there. */
static void use_as_nobody(void)
{
  uid_t nobody = 65534;
  pid_t child = fork();
  int status;

  if (child == 0) {
    ProfileNamesStore *store;

    if (geteuid() == 0 && (setresgid(nobody, nobody, nobody) < 0 || setresuid(nobody, nobody, nobody) < 0))
      _exit(2);
    store = profile_names_store_open(STORE, BYTES_MAX);
    if (store) {
      is_stored(store, 1, N_FUNCTIONS);
      save(store, 9, N_FUNCTIONS);
      profile_names_store_free(store);
    }
    _exit(0);
  }
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
}

static void test_read_only(void)
{
  char *directory = symbol_files_enter();

  make_store(1);
  symbol_files_run("chmod 755 . && chmod 444 " STORE " && chmod 555 cache");
  if (geteuid() == 0)
    symbol_files_run("chown -R 65534:65534 cache");
  use_as_nobody();
  symbol_files_run("chmod 755 cache && chmod 644 " STORE " && rm " STORE " && chmod 555 cache");
  use_as_nobody();
  g_assert_false(g_file_test(STORE, G_FILE_TEST_EXISTS));
  symbol_files_run("chmod 755 cache");
  symbol_files_leave(directory);
}

static gboolean is_loaded(ProfileNamesStore *store, guint32 key)
{
  g_autoptr(ProfileStoredNames) names = load(store, key);

  return names != NULL;
}

/* Whatever the bytes are: it is read without harm, and can be written. */
static void assert_survives(const char *bytes, gsize length)
{
  g_assert_true(g_file_set_contents(STORE, bytes, (gssize)length, NULL));
  {
    g_autoptr(ProfileNamesStore) store = profile_names_store_open(STORE, BYTES_MAX);

    for (guint i = 1; store && i <= 3; i++)
      is_loaded(store, i);
    if (store)
      save(store, 4, N_FUNCTIONS);
  }
}

static void test_truncated(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *bytes = NULL;
  gsize length;

  make_store(3);
  g_assert_true(g_file_get_contents(STORE, &bytes, &length, NULL));
  g_assert_cmpuint(length, >, 4096);
  for (gsize cut = 0; cut < length; cut += cut < 128 ? 7 : 509) {
    assert_survives(bytes, cut);
    assert_works();
  }
  symbol_files_leave(directory);
}

static void test_random_bytes(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *bytes = NULL;
  g_autofree char *noise = NULL;
  gsize length;

  make_store(3);
  g_assert_true(g_file_get_contents(STORE, &bytes, &length, NULL));
  noise = g_memdup2(bytes, length);
  for (guint round = 0; round < 100; round++) {
    memcpy(noise, bytes, length);
    for (guint i = 0; i < 200; i++)
      noise[g_test_rand_int_range(100, (gint32)length)] = (char)g_test_rand_int();
    assert_survives(noise, length);
  }
  for (gsize i = 0; i < length; i++)
    noise[i] = (char)g_test_rand_int();
  assert_survives(noise, length);
  assert_works();
  g_assert_cmpint(ask("PRAGMA auto_vacuum"), ==, 1);
  symbol_files_leave(directory);
}

static void test_other_versions(void)
{
  char *directory = symbol_files_enter();

  make_store(1);
  change("PRAGMA user_version = 1000");
  g_assert_null(profile_names_store_open(STORE, BYTES_MAX));
  g_assert_cmpint(ask("SELECT count(*) FROM binary"), ==, 1);
  change("PRAGMA user_version = 0");
  {
    g_autoptr(ProfileNamesStore) store = open_store();
    g_assert_false(is_stored(store, 1, N_FUNCTIONS));
  }
  assert_works();
  change("DROP TABLE function; CREATE TABLE function (x)");
  assert_works();
  change("DROP TABLE binary; CREATE VIEW binary AS SELECT 1 AS id");
  assert_works();
  symbol_files_leave(directory);
}

/* What no run of ours has written. */
static void test_hostile_rows(void)
{
  static const char *const changes[] = {
      "UPDATE function SET length = 0 WHERE start = 16",
      "UPDATE function SET length = -5 WHERE start = 16",
      "UPDATE function SET length = 1000 WHERE start = 16",
      "UPDATE function SET length = 9223372036854775807 WHERE start = 784",
      "UPDATE function SET length = 'text' WHERE start = 16",
      "UPDATE function SET length = 1e300 WHERE start = 16",
      "UPDATE function SET start = -1 WHERE start = 16",
      "UPDATE function SET start = 'text' WHERE start = 16",
      "UPDATE function SET name = CAST(x'610062' AS TEXT) WHERE start = 0",
      "UPDATE function SET name = x'61' WHERE start = 0",
      "UPDATE function SET name = CAST(zeroblob(70000) AS TEXT) WHERE start = 0",
      "UPDATE function SET name = printf('%70000c', 'x') WHERE start = 0",
      "UPDATE function SET name = CAST(zeroblob(5000000) AS TEXT) WHERE start = 0",
      "UPDATE function SET linkage_name = printf('%70000c', 'x') WHERE start = 0",
      "UPDATE binary SET status = 3",
      "UPDATE binary SET status = -1",
      "UPDATE binary SET sources = x'00'",
      "UPDATE binary SET sources = zeroblob(49)",
      "UPDATE binary SET sources = 5",
      "UPDATE binary SET link = '../../../x'",
      "UPDATE binary SET link = printf('%300c', 'x')",
      "UPDATE binary SET link = x'00'",
  };

  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    char *directory = symbol_files_enter();

    make_store(1);
    change(changes[i]);
    {
      g_autoptr(ProfileNamesStore) store = open_store();
      g_autoptr(ProfileStoredNames) names = load(store, 1);

      g_test_message("%s", changes[i]);
      g_assert_null(names);
      save(store, 1, N_FUNCTIONS);
      g_assert_true(is_stored(store, 1, N_FUNCTIONS));
    }
    symbol_files_leave(directory);
  }
}

static void test_bound(void)
{
  char *directory = symbol_files_enter();
  guint64 bytes_max = 1024 * 1024;
  guint n = 10 * N_FUNCTIONS; /* several pages */
  struct stat st;

  {
    g_autoptr(ProfileNamesStore) store = profile_names_store_open(STORE, bytes_max);

    save(store, 1000, n);
    save(store, 1001, n);
  }
  change("UPDATE binary SET used = 1");
  {
    g_autoptr(ProfileNamesStore) store = profile_names_store_open(STORE, bytes_max);

    g_assert_true(is_stored(store, 1001, n));
    profile_names_store_save(store, NULL, 0);
    change("UPDATE binary SET used = used + 60 WHERE used > 1"); /* what comes now is of the same second */
    for (guint i = 0; ask("SELECT count(*) FROM binary WHERE used = 1") > 0; i++) {
      g_assert_cmpuint(i, <, 500);
      save(store, i, n);
    }
    g_assert_false(is_stored(store, 1000, n));
    g_assert_true(is_stored(store, 1001, n));
    save(store, 5000, 100000);
    save(store, 60, n);
    g_assert_true(is_stored(store, 60, n));
  }
  g_assert_cmpint(g_stat(STORE, &st), ==, 0);
  g_assert_cmpint(st.st_size, <=, bytes_max);
  g_assert_cmpint(ask("SELECT count(*) FROM function WHERE binary NOT IN (SELECT id FROM binary)"), ==, 0);
  symbol_files_leave(directory);
}

/* Four at once, each with entries of its own and one that all have. */
static gpointer use_much(gpointer data)
{
  guint32 first = GPOINTER_TO_UINT(data) * 100;

  for (guint32 i = 0; i < 10; i++) {
    g_autoptr(ProfileNamesStore) store = open_store();

    save(store, first + i, N_FUNCTIONS);
    save(store, 1, N_FUNCTIONS);
    g_assert_true(is_stored(store, first + i, N_FUNCTIONS));
    g_assert_true(is_stored(store, 1, N_FUNCTIONS));
  }
  return NULL;
}

static void assert_all_used(void)
{
  g_autoptr(ProfileNamesStore) store = open_store();

  for (guint32 i = 0; i < 40; i++)
    g_assert_true(is_stored(store, 100 + i / 10 * 100 + i % 10, N_FUNCTIONS));
  g_assert_cmpint(ask("SELECT count(*) FROM binary"), ==, 41);
}

static void test_threads(void)
{
  char *directory = symbol_files_enter();
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new("test", use_much, GUINT_TO_POINTER(i + 1));
  for (guint i = 0; i < 4; i++)
    g_thread_join(threads[i]);
  assert_all_used();
  symbol_files_leave(directory);
}

static void test_processes(void)
{
  char *directory = symbol_files_enter();
  pid_t children[4];

  for (guint i = 0; i < 4; i++)
    if ((children[i] = fork()) == 0) {
      use_much(GUINT_TO_POINTER(i + 1));
      _exit(0);
    }
  for (guint i = 0; i < 4; i++) {
    int status;

    g_assert_cmpint(waitpid(children[i], &status, 0), ==, children[i]);
    g_assert_cmpint(status, ==, 0);
  }
  assert_all_used();
  symbol_files_leave(directory);
}

static void save_forever(void)
{
  for (guint32 i = 0;; i++) {
    ProfileNamesStore *store = open_store();

    save(store, i % 20, N_FUNCTIONS);
    profile_names_store_free(store);
  }
}

/* What is there is whole. */
static void test_killed(void)
{
  char *directory = symbol_files_enter();

  for (guint round = 0; round < 30; round++) {
    pid_t child = fork();

    if (child == 0)
      save_forever();
    g_usleep((gulong)g_test_rand_int_range(0, 30000));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    {
      g_autoptr(ProfileNamesStore) store = open_store();
      for (guint32 i = 0; i < 20; i++)
        is_stored(store, i, N_FUNCTIONS);
    }
  }
  assert_works();
  symbol_files_leave(directory);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/names-store/round-trip", test_round_trip);
  g_test_add_func("/names-store/merge", test_merge);
  g_test_add_func("/names-store/find", test_find);
  g_test_add_func("/names-store/unusable", test_unusable);
  g_test_add_func("/names-store/read-only", test_read_only);
  g_test_add_func("/names-store/truncated", test_truncated);
  g_test_add_func("/names-store/random-bytes", test_random_bytes);
  g_test_add_func("/names-store/other-versions", test_other_versions);
  g_test_add_func("/names-store/hostile-rows", test_hostile_rows);
  g_test_add_func("/names-store/bound", test_bound);
  g_test_add_func("/names-store/threads", test_threads);
  g_test_add_func("/names-store/processes", test_processes);
  g_test_add_func("/names-store/killed", test_killed);
  return g_test_run();
}
