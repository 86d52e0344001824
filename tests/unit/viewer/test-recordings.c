/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which recordings are the viewer's to remove, and which of them it removes. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/remove-tree.h"
#include "viewer/recents/recents-store.h"
#include "viewer/recents/recents.h"
#include "viewer/recents/recordings.h"

/* When the tests take place, seconds since 1970. */
enum { NOW = 1700000000 };

typedef struct {
  char *directory; /* of recordings */
  char *elsewhere; /* another one */
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
  f->directory = viewer_recordings_get_directory();
  f->elsewhere = g_build_filename(g_get_user_cache_dir(), "elsewhere", NULL);
  g_assert_cmpint(g_mkdir_with_parents(f->directory, 0700), ==, 0);
  g_assert_cmpint(g_mkdir_with_parents(f->elsewhere, 0700), ==, 0);
}

static void tear_down(Fixture *f, gconstpointer data)
{
  remove_tree(g_get_user_cache_dir());
  remove_tree(g_get_user_data_dir());
  g_free(f->directory);
  g_free(f->elsewhere);
}

/* So many seconds old, so many bytes long. */
static GFile *make(const char *directory, const char *name, gint64 age, guint64 size)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);
  const struct timespec times[2] = {{NOW - age, 0}, {NOW - age, 0}};
  int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(ftruncate(fd, (off_t)size), ==, 0);
  g_assert_cmpint(futimens(fd, times), ==, 0);
  close(fd);
  return g_file_new_for_path(path);
}

static void assert_stays(GFile *file)
{
  g_assert_false(viewer_recordings_is_unsaved(file));
  g_assert_false(viewer_recordings_remove(file));
  g_assert_true(g_file_query_exists(file, NULL));
}

static void test_own(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) file = make(f->directory, "ls 2026.capture", 0, 10);

  g_assert_true(viewer_recordings_is_unsaved(file));
  g_assert_true(viewer_recordings_remove(file));
  g_assert_false(g_file_query_exists(file, NULL));
  g_assert_false(viewer_recordings_is_unsaved(file));
  g_assert_false(viewer_recordings_remove(file));
}

static void test_others(Fixture *f, gconstpointer data)
{
  g_autofree char *below = g_build_filename(f->directory, "below", NULL);
  g_autofree char *link = g_build_filename(f->directory, "link.capture", NULL);
  g_autofree char *aside = g_build_filename(f->directory, "..", "..", "elsewhere", "saved.capture", NULL);

  g_assert_cmpint(g_mkdir(below, 0700), ==, 0);
  g_autoptr(GFile) saved = make(f->elsewhere, "saved.capture", 0, 10);
  g_autoptr(GFile) inner = make(below, "inner.capture", 0, 10);
  g_autoptr(GFile) text = make(f->directory, "notes.txt", 0, 10);
  g_assert_cmpint(symlink(g_file_peek_path(saved), link), ==, 0);
  g_autoptr(GFile) linked = g_file_new_for_path(link), indirect = g_file_new_for_path(aside);
  g_autoptr(GFile) remote = g_file_new_for_uri("http://localhost/a.capture");
  assert_stays(saved);
  assert_stays(inner);
  assert_stays(text);
  assert_stays(linked);
  assert_stays(indirect);
  g_assert_false(viewer_recordings_is_unsaved(remote));
  g_assert_false(viewer_recordings_remove(remote));
}

/* Whoever put a directory of his own there keeps what is in it. */
static void test_linked_directory(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) saved = make(f->elsewhere, "saved.capture", 1000000, 10);

  g_assert_cmpint(g_rmdir(f->directory), ==, 0);
  g_assert_cmpint(symlink(f->elsewhere, f->directory), ==, 0);
  g_autofree char *path = g_build_filename(f->directory, "saved.capture", NULL);
  g_autoptr(GFile) through = g_file_new_for_path(path);
  assert_stays(through);
  for (int i = 0; i < VIEWER_RECORDINGS_MAX + 5; i++) {
    g_autofree char *name = g_strdup_printf("%d.capture", i);
    g_object_unref(make(f->elsewhere, name, 1000000, 10));
  }
  g_autoptr(GPtrArray) removed = viewer_recordings_tidy(NOW);
  g_assert_cmpuint(removed->len, ==, 0);
}

/* "a b": what was removed, in that order. */
static void assert_tidied(const char *expected)
{
  g_autoptr(GPtrArray) removed = viewer_recordings_tidy(NOW);
  g_autoptr(GString) names = g_string_new(NULL);

  for (guint i = 0; i < removed->len; i++) {
    g_autofree char *name = g_file_get_basename(removed->pdata[i]);
    g_string_append_printf(names, "%s%.*s", i ? " " : "", (int)strlen(name) - (int)strlen(".capture"), name);
    g_assert_false(g_file_query_exists(removed->pdata[i], NULL));
  }
  g_assert_cmpstr(names->str, ==, expected);
}

static void make_many(Fixture *f, int n, gint64 age, guint64 size)
{
  for (int i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("%d.capture", i);
    g_object_unref(make(f->directory, name, age + i, size));
  }
}

static void test_tidy_nothing(Fixture *f, gconstpointer data)
{
  assert_tidied("");
  g_assert_cmpint(g_rmdir(f->directory), ==, 0);
  assert_tidied("");
}

static void test_tidy_many(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) text = make(f->directory, "notes.txt", 10000000, 10);
  g_autoptr(GFile) saved = make(f->elsewhere, "saved.capture", 10000000, 10);

  make_many(f, VIEWER_RECORDINGS_MAX + 2, VIEWER_RECORDINGS_FRESH, 10);
  assert_tidied("20 21");
  assert_tidied("");
  g_assert_true(g_file_query_exists(text, NULL));
  g_assert_true(g_file_query_exists(saved, NULL));
}

static void test_tidy_large(Fixture *f, gconstpointer data)
{
  make_many(f, 6, VIEWER_RECORDINGS_FRESH, VIEWER_RECORDINGS_BYTES_MAX / 4);
  assert_tidied("4 5");
}

/* The last one is kept however large it is. */
static void test_tidy_largest(Fixture *f, gconstpointer data)
{
  make_many(f, 2, VIEWER_RECORDINGS_FRESH, VIEWER_RECORDINGS_BYTES_MAX + 1);
  assert_tidied("1");
}

static void test_tidy_fresh(Fixture *f, gconstpointer data)
{
  make_many(f, VIEWER_RECORDINGS_MAX + 3, VIEWER_RECORDINGS_FRESH - VIEWER_RECORDINGS_MAX - 1, 10);
  assert_tidied("21 22");
}

static void wait_for_items(ViewerRecents *recents, guint n)
{
  while (g_list_model_get_n_items(G_LIST_MODEL(recents)) != n)
    g_main_context_iteration(NULL, TRUE);
}

static ViewerRecents *make_recents(GFile *first, GFile *second)
{
  g_autofree char *path = viewer_recents_store_get_path();
  g_autoptr(ViewerRecentsStore) store = viewer_recents_store_new(path);

  viewer_recents_store_put(store, &(ViewerRecentFacts){first, "first", 2, 1, 1, NULL});
  viewer_recents_store_put(store, &(ViewerRecentFacts){second, "second", 1, 1, 1, NULL});
  ViewerRecents *recents = viewer_recents_new(path);
  wait_for_items(recents, 2);
  return recents;
}

static void remove_first(ViewerRecents *recents)
{
  g_autoptr(ViewerRecent) recent = g_list_model_get_item(G_LIST_MODEL(recents), 0);

  viewer_recents_remove(recents, recent);
}

static void test_recents(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) unsaved = make(f->directory, "a.capture", 0, 10);
  g_autoptr(GFile) saved = make(f->elsewhere, "b.capture", 0, 10);
  g_autoptr(ViewerRecents) recents = make_recents(unsaved, saved);
  g_autoptr(ViewerRecent) first = g_list_model_get_item(G_LIST_MODEL(recents), 0);
  g_autoptr(ViewerRecent) second = g_list_model_get_item(G_LIST_MODEL(recents), 1);

  g_assert_true(viewer_recent_is_unsaved(first));
  g_assert_false(viewer_recent_is_unsaved(second));
  remove_first(recents);
  wait_for_items(recents, 1);
  g_assert_false(g_file_query_exists(unsaved, NULL));
  remove_first(recents);
  wait_for_items(recents, 0);
  g_assert_true(g_file_query_exists(saved, NULL));
}

static void test_forget(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) unsaved = make(f->directory, "a.capture", 0, 10);
  g_autoptr(GFile) saved = make(f->elsewhere, "b.capture", 0, 10);
  g_autoptr(ViewerRecents) recents = make_recents(unsaved, saved);

  viewer_recents_forget(recents, unsaved);
  wait_for_items(recents, 1);
  g_assert_true(g_file_query_exists(unsaved, NULL));
}

/* What is tidied up when the viewer starts is in the list no more. */
static void test_start(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) newest = make(f->directory, "new.capture", 0, 10);
  g_autoptr(GFile) oldest = make(f->directory, "old.capture", 0, 10);
  const struct timespec times[2] = {{0, 0}, {0, 0}};

  g_assert_cmpint(truncate(g_file_peek_path(newest), (off_t)VIEWER_RECORDINGS_BYTES_MAX), ==, 0);
  g_assert_cmpint(utimensat(AT_FDCWD, g_file_peek_path(oldest), times, 0), ==, 0);
  g_object_unref(make_recents(newest, oldest));
  wait_for_items(viewer_recents_get_default(), 1);
  g_assert_true(g_file_query_exists(newest, NULL));
  g_assert_false(g_file_query_exists(oldest, NULL));
}

/* GLib's own way to isolate directories keeps what it had before. */
static void set_directory(const char *variable, const char *home, const char *name)
{
  g_autofree char *path = g_build_filename(home, name, NULL);

  g_setenv(variable, path, TRUE);
}

int main(int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp("recordings-XXXXXX", NULL);
  int status;

  set_directory("XDG_CACHE_HOME", home, "cache");
  set_directory("XDG_DATA_HOME", home, "data");
  g_test_init(&argc, &argv, NULL);
#define ADD(path, function) g_test_add("/viewer/recordings/" path, Fixture, NULL, set_up, function, tear_down)
  ADD("own", test_own);
  ADD("others", test_others);
  ADD("linked-directory", test_linked_directory);
  ADD("tidy/nothing", test_tidy_nothing);
  ADD("tidy/many", test_tidy_many);
  ADD("tidy/large", test_tidy_large);
  ADD("tidy/largest", test_tidy_largest);
  ADD("tidy/fresh", test_tidy_fresh);
  ADD("recents", test_recents);
  ADD("forget", test_forget);
  ADD("start", test_start);
  status = g_test_run();
  remove_tree(home);
  return status;
}
