/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/profile/capture-fixture.h"
#include "tests/unit/remove-tree.h"
#include "viewer/recents/recents-store.h"
#include "viewer/recents/recents.h"
#include "viewer/recents/thumbnail.h"

#define NOBODY 65534

typedef struct {
  char *directory;
  char *path; /* of the database */
  ViewerRecentsStore *store;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
  f->directory = g_dir_make_tmp("recents-XXXXXX", NULL);
  f->path = g_build_filename(f->directory, "deep", "recents.sqlite", NULL);
  f->store = viewer_recents_store_new(f->path);
}

static void tear_down(Fixture *f, gconstpointer data)
{
  viewer_recents_store_free(f->store);
  remove_tree(f->directory);
  g_free(f->path);
  g_free(f->directory);
}

static void reopen(Fixture *f)
{
  viewer_recents_store_free(f->store);
  f->store = viewer_recents_store_new(f->path);
}

static void put(Fixture *f, const char *name, gint64 time)
{
  g_autofree char *path = g_build_filename(f->directory, name, NULL);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GBytes) thumbnail = g_bytes_new_static("no picture", 10);
  g_autofree char *title = g_strconcat("Title of ", name, NULL);
  const ViewerRecentFacts facts = {file, title, time, 12345, 6789, thumbnail, 1234567890};

  viewer_recents_store_put(f->store, &facts);
}

/* "c b a": names in their order. */
static char *list(Fixture *f)
{
  g_autoptr(GPtrArray) recents = viewer_recents_store_load(f->store);
  GString *names = g_string_new(NULL);

  for (guint i = 0; i < recents->len; i++) {
    g_autofree char *name = g_file_get_basename(viewer_recent_get_facts(recents->pdata[i])->file);
    g_string_append_printf(names, "%s%s", i ? " " : "", name);
  }
  return g_string_free(names, FALSE);
}

static void assert_list(Fixture *f, const char *expected)
{
  g_autofree char *names = list(f);

  g_assert_cmpstr(names, ==, expected);
}

static void assert_no_problem(Fixture *f)
{
  g_autofree char *problem = viewer_recents_store_take_problem(f->store);

  g_assert_null(problem);
}

/* Told once, with that word in it. */
static void assert_problem(Fixture *f, const char *word)
{
  g_autofree char *problem = viewer_recents_store_take_problem(f->store);

  g_assert_nonnull(problem);
  g_assert_nonnull(strstr(problem, word));
  g_assert_nonnull(strstr(problem, f->path));
  assert_no_problem(f);
}

static void test_order(Fixture *f, gconstpointer data)
{
  put(f, "a", 100);
  put(f, "c", 300);
  put(f, "b", 200);
  assert_list(f, "c b a");
  put(f, "a", 400);
  assert_list(f, "a c b");
  g_autofree char *path = g_build_filename(f->directory, "c", NULL);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  viewer_recents_store_remove(f->store, file);
  assert_list(f, "a b");
  reopen(f);
  assert_list(f, "a b");
  assert_no_problem(f);
}

static void test_facts(Fixture *f, gconstpointer data)
{
  put(f, "a", 1700000000);
  reopen(f);
  g_autoptr(GPtrArray) before = viewer_recents_store_load(f->store);
  const ViewerRecentFacts *facts = viewer_recent_get_facts(before->pdata[0]);
  g_assert_cmpstr(facts->title, ==, "Title of a");
  g_assert_cmpint(facts->time, ==, 1700000000);
  g_assert_cmpuint(facts->samples, ==, 12345);
  g_assert_cmpuint(facts->duration, ==, 6789);
  g_assert_cmpint(facts->recorded, ==, 1234567890);
  g_assert_cmpuint(g_bytes_get_size(facts->thumbnail), ==, 10);
  g_assert_null(viewer_recent_get_texture(before->pdata[0]));
  g_assert_true(viewer_recent_is_missing(before->pdata[0]));

  g_autofree char *path = g_build_filename(f->directory, "a", NULL);
  g_assert_true(g_file_set_contents(path, "x", 1, NULL));
  g_autoptr(GPtrArray) after = viewer_recents_store_load(f->store);
  g_assert_false(viewer_recent_is_missing(after->pdata[0]));
  g_assert_false(viewer_recent_equal(before->pdata[0], after->pdata[0]));
  g_autofree char *text = viewer_recent_describe(after->pdata[0]);
  g_assert_nonnull(strstr(text, "2009"));
}

static void test_limit(Fixture *f, gconstpointer data)
{
  for (int i = 0; i < VIEWER_RECENTS_MAX + 10; i++) {
    g_autofree char *name = g_strdup_printf("%d", i);
    put(f, name, i);
    viewer_recents_store_put_command(f->store, name);
  }
  g_autoptr(GPtrArray) recents = viewer_recents_store_load(f->store);
  g_auto(GStrv) commands = viewer_recents_store_load_commands(f->store);
  g_assert_cmpuint(recents->len, ==, VIEWER_RECENTS_MAX);
  g_assert_cmpint(viewer_recent_get_facts(recents->pdata[0])->time, ==, VIEWER_RECENTS_MAX + 9);
  g_assert_cmpuint(g_strv_length(commands), ==, VIEWER_RECENTS_MAX);
  g_assert_cmpstr(commands[0], ==, "59");
  g_assert_cmpstr(commands[VIEWER_RECENTS_MAX - 1], ==, "10");
}

static void test_commands(Fixture *f, gconstpointer data)
{
  viewer_recents_store_put_command(f->store, "make");
  viewer_recents_store_put_command(f->store, "gcc 'a b.c'");
  viewer_recents_store_put_command(f->store, "make");
  reopen(f);
  g_auto(GStrv) commands = viewer_recents_store_load_commands(f->store);
  const char *expected[] = {"make", "gcc 'a b.c'", NULL};
  g_assert_true(g_strv_equal((const char *const *)commands, expected));
}

static void make_file(Fixture *f, const char *content, gssize length)
{
  g_autofree char *directory = g_path_get_dirname(f->path);

  g_mkdir_with_parents(directory, 0755);
  g_assert_true(g_file_set_contents(f->path, content, length, NULL));
}

static void assert_works_in_memory(Fixture *f)
{
  put(f, "a", 1);
  viewer_recents_store_put_command(f->store, "make");
  assert_list(f, "a");
  g_auto(GStrv) commands = viewer_recents_store_load_commands(f->store);
  g_assert_cmpuint(g_strv_length(commands), ==, 1);
}

static void test_damaged(Fixture *f, gconstpointer data)
{
  g_autofree char *content = NULL;
  char garbage[4096];

  memset(garbage, 'x', sizeof garbage);
  make_file(f, garbage, sizeof garbage);
  assert_list(f, "");
  assert_problem(f, "damaged");
  assert_works_in_memory(f);
  assert_no_problem(f);
  g_assert_true(g_file_get_contents(f->path, &content, NULL, NULL));
  g_assert_cmpmem(content, sizeof garbage, garbage, sizeof garbage);
}

/* Whole at first sight: only reading finds out. */
static void test_damaged_inside(Fixture *f, gconstpointer data)
{
  g_autofree char *content = NULL;
  gsize length;

  for (int i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("%d", i);
    put(f, name, i);
  }
  viewer_recents_store_free(f->store);
  g_assert_true(g_file_get_contents(f->path, &content, &length, NULL));
  for (gsize page = 4096; page + 4096 <= length; page += 4096)
    memset(content + page, 0xff, 4096);
  g_assert_true(g_file_set_contents(f->path, content, (gssize)length, NULL));
  f->store = viewer_recents_store_new(f->path);
  assert_list(f, "");
  assert_problem(f, "damaged");
  assert_works_in_memory(f);
}

static void execute(Fixture *f, const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint(sqlite3_open(f->path, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close(db);
}

static void test_newer(Fixture *f, gconstpointer data)
{
  put(f, "old", 1);
  execute(f, "PRAGMA user_version = 1000");
  reopen(f);
  assert_list(f, "");
  assert_problem(f, "newer");
  assert_works_in_memory(f);
  execute(f, "PRAGMA user_version = 2");
  reopen(f);
  assert_list(f, "old");
}

/* Of the first version, which knew of no time of recording. */
static void test_older(Fixture *f, gconstpointer data)
{
  put(f, "old", 1);
  execute(f, "ALTER TABLE capture DROP COLUMN recorded; PRAGMA user_version = 1");
  reopen(f);
  g_autoptr(GPtrArray) recents = viewer_recents_store_load(f->store);
  g_assert_cmpint(viewer_recent_get_facts(recents->pdata[0])->recorded, ==, 0);
  put(f, "new", 2);
  reopen(f);
  assert_list(f, "new old");
  assert_no_problem(f);
}

static void test_hostile_rows(Fixture *f, gconstpointer data)
{
  put(f, "good", 1);
  execute(f, "INSERT INTO capture VALUES (x'00ff', 'blob', 2, 1, 1, NULL, 0),"
             " ('file:///a', x'ff', 3, 1, 1, NULL, 0), ('file:///b', 'negative', 4, -1, 1, NULL, 0),"
             " ('file:///c', 'nul' || char(0) || 'x', 5, 1, 1, NULL, 0),"
             " ('no uri at all', 'odd', 0, 1, 1, 'text for a picture', 'never'),"
             " ('file:///d', 'what', 'no time', 'x', 'y', x'89504e47', 0);"
             "INSERT INTO command VALUES (x'ff', 5), ('fine', 1), ('nul' || char(0), 2)");
  reopen(f);
  g_autoptr(GPtrArray) recents = viewer_recents_store_load(f->store);
  g_auto(GStrv) commands = viewer_recents_store_load_commands(f->store);
  /* The good one, and two that are odd but harmless. */
  g_assert_cmpuint(recents->len, ==, 3);
  g_assert_cmpuint(g_strv_length(commands), ==, 1);
  assert_no_problem(f);
}

/* Root may write anything: so nobody does it. */
static void become_nobody(gboolean begin)
{
  if (getuid() == 0)
    g_assert_cmpint(seteuid(begin ? NOBODY : 0), ==, 0);
}

static void test_read_only(Fixture *f, gconstpointer data)
{
  g_autofree char *directory = g_path_get_dirname(f->path);

  put(f, "kept", 1);
  viewer_recents_store_free(f->store);
  f->store = viewer_recents_store_new(f->path);
  g_chmod(f->directory, 0755);
  g_chmod(f->path, 0444);
  g_chmod(directory, 0555);
  become_nobody(TRUE);
  assert_list(f, "kept");
  assert_problem(f, "cannot be written");
  put(f, "new", 2);
  assert_list(f, "new kept");
  assert_no_problem(f);
  become_nobody(FALSE);
  g_chmod(directory, 0755);
  reopen(f);
  assert_list(f, "kept");
}

/* The file may be written, its directory may not: that shows with the first change. */
static void test_read_only_directory(Fixture *f, gconstpointer data)
{
  g_autofree char *directory = g_path_get_dirname(f->path);

  put(f, "kept", 1);
  viewer_recents_store_free(f->store);
  f->store = viewer_recents_store_new(f->path);
  g_chmod(f->directory, 0755);
  g_chmod(f->path, 0666);
  g_chmod(directory, 0555);
  become_nobody(TRUE);
  put(f, "new", 2);
  assert_list(f, "new kept");
  assert_problem(f, "cannot be written");
  become_nobody(FALSE);
  g_chmod(directory, 0755);
  reopen(f);
  assert_list(f, "kept");
}

static void test_nowhere(Fixture *f, gconstpointer data)
{
  viewer_recents_store_free(f->store);
  g_free(f->path);
  f->path = g_strdup("/proc/nowhere/recents.sqlite");
  f->store = viewer_recents_store_new(f->path);
  assert_works_in_memory(f);
  assert_problem(f, "cannot be written");
}

static gpointer put_many(gpointer data)
{
  Fixture *f = data;

  for (int i = 0; i < 10; i++) {
    g_autofree char *name = g_strdup_printf("%p-%d", g_thread_self(), i);
    put(f, name, i);
    g_ptr_array_unref(viewer_recents_store_load(f->store));
  }
  return NULL;
}

static void test_threads(Fixture *f, gconstpointer data)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("put", put_many, f);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
  g_autoptr(GPtrArray) recents = viewer_recents_store_load(f->store);
  g_assert_cmpuint(recents->len, ==, 40);
  assert_no_problem(f);
}

static void wait_for_items(ViewerRecents *recents, guint n)
{
  while (g_list_model_get_n_items(G_LIST_MODEL(recents)) != n)
    g_main_context_iteration(NULL, TRUE);
}

static void note_change(GListModel *model, guint position, guint removed, guint added, gpointer data)
{
  GString *changes = data;

  g_string_append_printf(changes, "%u-%u+%u ", position, removed, added);
}

/* Only what has changed is said to have changed. */
static void test_model(Fixture *f, gconstpointer data)
{
  g_autoptr(GString) changes = g_string_new(NULL);

  put(f, "a", 1);
  put(f, "b", 2);
  put(f, "c", 3);
  g_autoptr(ViewerRecents) recents = viewer_recents_new(f->path);
  g_signal_connect(recents, "items-changed", G_CALLBACK(note_change), changes);
  wait_for_items(recents, 3);
  g_assert_cmpstr(changes->str, ==, "0-0+3 ");
  g_autoptr(ViewerRecent) middle = g_list_model_get_item(G_LIST_MODEL(recents), 1);
  g_autoptr(ViewerRecent) last = g_list_model_get_item(G_LIST_MODEL(recents), 2);
  viewer_recents_remove(recents, middle);
  wait_for_items(recents, 2);
  g_assert_cmpstr(changes->str, ==, "0-0+3 1-1+0 ");
  g_autoptr(ViewerRecent) now_last = g_list_model_get_item(G_LIST_MODEL(recents), 1);
  g_assert_true(now_last == last);
  assert_list(f, "c a");
}

static void test_model_commands(Fixture *f, gconstpointer data)
{
  g_autoptr(ViewerRecents) recents = viewer_recents_new(f->path);

  g_assert_null(viewer_recents_get_commands(recents)[0]);
  viewer_recents_add_command(recents, "make");
  while (!viewer_recents_get_commands(recents)[0])
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpstr(viewer_recents_get_commands(recents)[0], ==, "make");
}

static void note_problem(ViewerRecents *recents, const char *sentence, gpointer data)
{
  GPtrArray *problems = data;

  g_ptr_array_add(problems, g_strdup(sentence));
}

static void test_model_problem(Fixture *f, gconstpointer data)
{
  g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);

  make_file(f, "This is no database, but long enough to be taken for one by somebody.", -1);
  g_autoptr(ViewerRecents) recents = viewer_recents_new(f->path);
  g_signal_connect(recents, "problem", G_CALLBACK(note_problem), problems);
  viewer_recents_add_command(recents, "make");
  while (!viewer_recents_get_commands(recents)[0])
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(problems->len, ==, 1);
}

/* Of the samples before a time. */
static ProfileWeights *weigh(ProfileCapture *capture, guint64 end)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  profile_filter_set_time(filter, 0, end);
  return profile_weights_new(filter);
}

static void test_capture(Fixture *f, gconstpointer data)
{
  const TestPlan plan = {.n_samples = 1000, .n_streams = 1, .epochs = 1, .seed = 1};
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(&plan, samples);
  g_autoptr(ProfileCapture) capture = test_capture_load(path);
  g_autoptr(ProfileWeights) weights = weigh(capture, G_MAXUINT64);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(ViewerRecents) recents = viewer_recents_new(f->path);

  viewer_recents_add_capture(recents, file, "a\xff program", weights);
  wait_for_items(recents, 1);
  g_autoptr(ViewerRecent) recent = g_list_model_get_item(G_LIST_MODEL(recents), 0);
  const ViewerRecentFacts *facts = viewer_recent_get_facts(recent);
  g_assert_cmpuint(facts->samples, ==, 1000);
  g_assert_true(g_utf8_validate(facts->title, -1, NULL));
  g_assert_cmpuint(facts->duration, ==, profile_capture_get_duration(capture));
  g_assert_false(viewer_recent_is_missing(recent));
  GdkTexture *texture = viewer_recent_get_texture(recent);
  g_assert_nonnull(texture);
  g_assert_cmpint(gdk_texture_get_width(texture), ==, 192);
  g_assert_cmpint(gdk_texture_get_height(texture), ==, 108);
  g_remove(path);
}

/* The row at the top is full: every sample leads through some outermost function. */
static void test_thumbnail(void)
{
  const TestPlan plan = {.n_samples = 1000, .n_streams = 1, .epochs = 1, .seed = 1};
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(&plan, samples);
  g_autoptr(ProfileCapture) capture = test_capture_load(path);
  g_autoptr(ProfileWeights) all = weigh(capture, G_MAXUINT64);
  g_autoptr(ProfileWeights) some = weigh(capture, g_array_index(samples, TestSample, 100).time);
  g_autoptr(GBytes) png = viewer_thumbnail_new(all, 100, 50);
  g_autoptr(GBytes) png_of_some = viewer_thumbnail_new(some, 100, 50);
  g_autoptr(GdkTexture) texture = gdk_texture_new_from_bytes(png, NULL);
  guint32 pixels[50][100];
  guint n_drawn = 0;

  g_remove(path);
  g_assert_nonnull(texture);
  gdk_texture_download(texture, (guchar *)pixels, sizeof pixels[0]);
  for (guint x = 0; x < 100; x++)
    n_drawn += pixels[0][x] >> 24 > 128;
  g_assert_cmpuint(n_drawn, >=, 90);
  g_assert_cmpuint(profile_weights_get_sum(some).count, <, 1000);
  g_assert_true(g_bytes_equal(png, png_of_some));
}

static void test_thumbnail_of_nothing(void)
{
  const TestPlan plan = {.n_samples = 0, .n_streams = 1, .epochs = 1, .seed = 1};
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(&plan, samples);
  g_autoptr(ProfileCapture) capture = test_capture_load(path);
  g_autoptr(ProfileWeights) weights = weigh(capture, G_MAXUINT64);

  g_remove(path);
  g_assert_null(viewer_thumbnail_new(weights, 100, 50));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(path, function) g_test_add("/viewer/recents/" path, Fixture, NULL, set_up, function, tear_down)
  ADD("order", test_order);
  ADD("facts", test_facts);
  ADD("limit", test_limit);
  ADD("commands", test_commands);
  ADD("damaged", test_damaged);
  ADD("damaged-inside", test_damaged_inside);
  ADD("newer", test_newer);
  ADD("older", test_older);
  ADD("hostile-rows", test_hostile_rows);
  ADD("read-only", test_read_only);
  ADD("read-only-directory", test_read_only_directory);
  ADD("nowhere", test_nowhere);
  ADD("threads", test_threads);
  ADD("model", test_model);
  ADD("model-commands", test_model_commands);
  ADD("model-problem", test_model_problem);
  ADD("capture", test_capture);
  g_test_add_func("/viewer/thumbnail", test_thumbnail);
  g_test_add_func("/viewer/thumbnail/of-nothing", test_thumbnail_of_nothing);
  return g_test_run();
}
