/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/common/error.h"
#include "recording/common/output.h"

typedef struct {
  char *directory;
  char *path;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
  f->directory = g_dir_make_tmp("recording-XXXXXX", NULL);
  f->path = g_build_filename(f->directory, "a.capture", NULL);
}

static void tear_down(Fixture *f, gconstpointer data)
{
  g_unlink(f->path);
  g_assert_cmpint(g_rmdir(f->directory), ==, 0);
  g_free(f->directory);
  g_free(f->path);
}

static void assert_refused(const char *path, const char *why)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RecordingOutput) output = recording_output_new(path, &error);

  g_assert_null(output);
  g_assert_error(error, RECORDING_ERROR, RECORDING_ERROR_OUTPUT);
  g_assert_nonnull(strstr(error->message, path));
  g_assert_nonnull(strstr(error->message, why));
}

static RecordingOutput *open_output(const char *path)
{
  g_autoptr(GError) error = NULL;
  RecordingOutput *output = recording_output_new(path, &error);

  g_assert_no_error(error);
  g_assert_cmpint(write(recording_output_get_fd(output), "new", 3), ==, 3);
  return output;
}

static void publish(RecordingOutput *output)
{
  g_autoptr(GError) error = NULL;

  recording_output_publish(output, &error);
  g_assert_no_error(error);
}

static void assert_content(const char *path, const char *expected)
{
  g_autofree char *content = NULL;

  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, expected);
}

static void test_unpublished(Fixture *f, gconstpointer data)
{
  g_autoptr(RecordingOutput) output = open_output(f->path);
  g_assert_false(g_file_test(f->path, G_FILE_TEST_EXISTS));
}

static void test_published(Fixture *f, gconstpointer data)
{
  g_autoptr(RecordingOutput) output = open_output(f->path);
  struct stat status;

  publish(output);
  assert_content(f->path, "new");
  g_assert_cmpint(g_stat(f->path, &status), ==, 0);
  g_assert_cmpint(status.st_mode & 0777, ==, 0600);
}

static void test_replaced(Fixture *f, gconstpointer data)
{
  g_assert_true(g_file_set_contents(f->path, "old", -1, NULL));
  g_autoptr(RecordingOutput) output = open_output(f->path);
  assert_content(f->path, "old");
  publish(output);
  assert_content(f->path, "new");
}

/* The link stays, what it leads to is replaced. */
static void test_link(Fixture *f, gconstpointer data)
{
  g_autofree char *link = g_build_filename(f->directory, "link", NULL);

  g_assert_true(g_file_set_contents(f->path, "old", -1, NULL));
  g_assert_cmpint(symlink("a.capture", link), ==, 0);
  g_autoptr(RecordingOutput) output = open_output(link);
  publish(output);
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
  assert_content(f->path, "new");
  g_unlink(link);
}

/* As a shell would do it: the file that is not there yet is made, through two links, the second one relative
 * to its own place.
 */
static void test_dangling_link(Fixture *f, gconstpointer data)
{
  g_autofree char *directory = g_build_filename(f->directory, "below", NULL);
  g_autofree char *first = g_build_filename(f->directory, "first", NULL);
  g_autofree char *second = g_build_filename(directory, "second", NULL);

  g_assert_cmpint(mkdir(directory, 0700), ==, 0);
  g_assert_cmpint(symlink("below/second", first), ==, 0);
  g_assert_cmpint(symlink("../a.capture", second), ==, 0);
  g_autoptr(RecordingOutput) output = open_output(first);
  publish(output);
  assert_content(f->path, "new");
  g_assert_true(g_file_test(first, G_FILE_TEST_IS_SYMLINK));
  g_assert_true(g_file_test(second, G_FILE_TEST_IS_SYMLINK));
  g_unlink(first);
  g_unlink(second);
  g_rmdir(directory);
}

static void test_links_that_lead_nowhere(Fixture *f, gconstpointer data)
{
  g_autofree char *link = g_build_filename(f->directory, "link", NULL);

  g_assert_cmpint(symlink("link", link), ==, 0);
  assert_refused(link, "in a circle");
  g_unlink(link);
  g_assert_cmpint(symlink("none/a.capture", link), ==, 0);
  assert_refused(link, "directory does not exist");
  g_unlink(link);
}

static void test_missing_directory(Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename(f->directory, "none", "a.capture", NULL);
  assert_refused(path, "directory does not exist");
}

static void test_directory(Fixture *f, gconstpointer data)
{
  assert_refused(f->directory, "is a directory");
}

static void test_device(Fixture *f, gconstpointer data)
{
  assert_refused("/dev/null", "not a regular file");
}

static void test_read_only(Fixture *f, gconstpointer data)
{
  assert_refused("/proc/self/a.capture", "Cannot write");
}

#define ADD(path, function) g_test_add("/recording/output/" path, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("unpublished", test_unpublished);
  ADD("published", test_published);
  ADD("replaced", test_replaced);
  ADD("link", test_link);
  ADD("link/dangling", test_dangling_link);
  ADD("link/nowhere", test_links_that_lead_nowhere);
  ADD("missing-directory", test_missing_directory);
  ADD("directory", test_directory);
  ADD("device", test_device);
  ADD("read-only", test_read_only);
  return g_test_run();
}
