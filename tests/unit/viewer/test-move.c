/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moving a file: to where it is renamed, and to another file system, where it is copied. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/remove-tree.h"
#include "viewer/kit/move.h"

/* On every Linux a file system of its own. */
#define ELSEWHERE "/dev/shm"

typedef struct {
  char *directory, *elsewhere;
  GFile *from;
  ViewerActivity *activity;
  GCancellable *cancellable;
  gboolean is_done, moved;
  GError *error;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
  g_autofree char *template = g_strdup(ELSEWHERE "/capture-move-XXXXXX");
  struct stat here, there;

  f->directory = g_dir_make_tmp("capture-move-XXXXXX", NULL);
  f->elsewhere = g_steal_pointer(&template);
  g_assert_nonnull(f->directory);
  g_assert_nonnull(g_mkdtemp(f->elsewhere));
  g_assert_cmpint(stat(f->directory, &here) | stat(f->elsewhere, &there), ==, 0);
  g_assert_cmpuint(here.st_dev, !=, there.st_dev);
  f->from = g_file_new_build_filename(f->directory, "from", NULL);
  f->activity = viewer_activity_new();
  f->cancellable = g_cancellable_new();
}

static void tear_down(Fixture *f, gconstpointer data)
{
  remove_tree(f->directory);
  remove_tree(f->elsewhere);
  g_free(f->directory);
  g_free(f->elsewhere);
  g_object_unref(f->from);
  viewer_activity_unref(f->activity);
  g_object_unref(f->cancellable);
  g_clear_error(&f->error);
}

static void on_moved(GObject *source, GAsyncResult *result, gpointer data)
{
  Fixture *f = data;

  f->moved = viewer_move_finish(result, &f->error);
  f->is_done = TRUE;
}

static void begin(Fixture *f, GFile *to)
{
  viewer_move_async(f->from, to, f->activity, f->cancellable, on_moved, f);
}

static void wait(Fixture *f)
{
  while (!f->is_done)
    g_main_context_iteration(NULL, TRUE);
}

static void write_file(GFile *file, const char *content)
{
  g_assert_true(g_file_set_contents(g_file_peek_path(file), content, -1, NULL));
}

static void assert_content(GFile *file, const char *expected)
{
  g_autofree char *content = NULL;

  g_assert_true(g_file_get_contents(g_file_peek_path(file), &content, NULL, NULL));
  g_assert_cmpstr(content, ==, expected);
}

/* That nothing else is there. */
static void assert_n_files(const char *directory, guint expected)
{
  g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
  guint n = 0;

  while (g_dir_read_name(dir))
    n++;
  g_assert_cmpuint(n, ==, expected);
}

static void test_rename(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) to = g_file_new_build_filename(f->directory, "to", NULL);
  g_autofree char *text = NULL;

  write_file(f->from, "content");
  write_file(to, "other");
  begin(f, to);
  wait(f);
  g_assert_no_error(f->error);
  g_assert_true(f->moved);
  assert_content(to, "content");
  assert_n_files(f->directory, 1);
  viewer_activity_get(f->activity, &text);
  g_assert_null(text);
}

static void test_copy(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) to = g_file_new_build_filename(f->elsewhere, "to", NULL);
  g_autofree char *content = g_strnfill(3000000, 'x'), *text = NULL;
  struct stat status;

  write_file(f->from, content);
  write_file(to, "other");
  begin(f, to);
  wait(f);
  g_assert_no_error(f->error);
  g_assert_true(f->moved);
  assert_content(to, content);
  g_assert_cmpint(g_stat(g_file_peek_path(to), &status), ==, 0);
  g_assert_cmpint(status.st_mode & 0777, ==, 0600);
  assert_n_files(f->directory, 0);
  assert_n_files(f->elsewhere, 1);
  g_assert_cmpfloat(viewer_activity_get(f->activity, &text), ==, 1);
  g_assert_cmpstr(text, ==, "Saving “to”");
}

/* A pipe is copied for as long as nobody has written all of it. */
static void test_cancel(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) to = g_file_new_build_filename(f->elsewhere, "to", NULL);

  g_assert_cmpint(mkfifo(g_file_peek_path(f->from), 0600), ==, 0);
  write_file(to, "other");
  begin(f, to);
  int pipe = open(g_file_peek_path(f->from), O_WRONLY | O_CLOEXEC); /* which waits for the reader */
  g_assert_cmpint(pipe, >=, 0);
  g_assert_cmpint(write(pipe, "content", 7), ==, 7);
  g_cancellable_cancel(f->cancellable);
  close(pipe);
  wait(f);
  g_assert_error(f->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false(f->moved);
  assert_content(to, "other");
  assert_n_files(f->directory, 1);
  assert_n_files(f->elsewhere, 1);
}

static void test_no_place(Fixture *f, gconstpointer data)
{
  g_autoptr(GFile) to = g_file_new_build_filename(f->elsewhere, "no", "to", NULL);

  write_file(f->from, "content");
  begin(f, to);
  wait(f);
  g_assert_error(f->error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  assert_content(f->from, "content");
  assert_n_files(f->elsewhere, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(path, function) g_test_add("/viewer/move/" path, Fixture, NULL, set_up, function, tear_down)
  ADD("rename", test_rename);
  ADD("copy", test_copy);
  ADD("cancel", test_cancel);
  ADD("no-place", test_no_place);
  return g_test_run();
}
