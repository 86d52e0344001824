/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/source-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *directory, *path;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
  fixture->directory = g_dir_make_tmp("source-XXXXXX", NULL);
  fixture->path = g_build_filename(fixture->directory, "a.c", NULL);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  g_remove(fixture->path);
  g_rmdir(fixture->directory);
  g_free(fixture->path);
  g_free(fixture->directory);
}

static ProfileSourceFile *read_text(const Fixture *fixture, const char *text, gssize length)
{
  g_assert_true(g_file_set_contents(fixture->path, text, length, NULL));
  return profile_source_file_new(fixture->path, NULL);
}

static void assert_line(const ProfileSourceFile *file, guint32 line, const char *text, const char *printable)
{
  g_autofree char *found = profile_source_file_get_line(file, line),
                  *shown = profile_source_file_get_printable_line(file, line);

  g_assert_cmpstr(found, ==, text);
  g_assert_cmpstr(shown, ==, printable);
}

static void test_lines(Fixture *fixture, gconstpointer data)
{
  static const char text[] = "one\n\ttwo\ta\r\n\nx\0\x1b[31m\xff\nlast";
  g_autoptr(ProfileSourceFile) file = read_text(fixture, text, sizeof text - 1);

  g_assert_cmpint(profile_source_file_get_status(file), ==, PROFILE_SOURCE_FILE_READ);
  g_assert_cmpuint(profile_source_file_get_n_lines(file), ==, 5);
  assert_line(file, 0, NULL, NULL);
  assert_line(file, 1, "one", "one");
  assert_line(file, 2, "\ttwo\ta", "        two     a");
  assert_line(file, 3, "", "");
  assert_line(file, 4, "x\xef\xbf\xbd\x1b[31m\xef\xbf\xbd", "x\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd");
  assert_line(file, 5, "last", "last");
  assert_line(file, 6, NULL, NULL);
}

static void test_sizes(Fixture *fixture, gconstpointer data)
{
  g_autoptr(ProfileSourceFile) empty = read_text(fixture, "", 0);
  g_autofree char *line = g_strnfill(100000, 'x');
  g_autoptr(ProfileSourceFile) wide = read_text(fixture, line, -1);
  g_autofree char *cut = profile_source_file_get_line(wide, 1);

  g_assert_cmpuint(profile_source_file_get_n_lines(empty), ==, 0);
  g_assert_true(g_str_has_suffix(cut, "x…"));
  g_assert_cmpuint(strlen(cut), <, 10000);
  g_assert_cmpint(truncate(fixture->path, PROFILE_SOURCE_FILE_MAX + 1), ==, 0);
  g_autoptr(ProfileSourceFile) large = profile_source_file_new(fixture->path, NULL);
  g_assert_cmpint(profile_source_file_get_status(large), ==, PROFILE_SOURCE_FILE_TOO_LARGE);
  g_assert_cmpuint(profile_source_file_get_n_lines(large), ==, 0);
}

static void assert_status(const char *path, ProfileSourceFileStatus status, const char *name)
{
  g_autoptr(ProfileSourceFile) file = profile_source_file_new(path, NULL);

  g_assert_cmpint(profile_source_file_get_status(file), ==, status);
  g_assert_cmpstr(profile_source_file_get_status_name(file), ==, name);
  g_assert_cmpuint(profile_source_file_get_n_lines(file), ==, 0);
}

static void test_refused(Fixture *fixture, gconstpointer data)
{
  assert_status(fixture->path, PROFILE_SOURCE_FILE_MISSING, "missing");
  assert_status("/proc/self/exe/a.c", PROFILE_SOURCE_FILE_MISSING, "missing");
  assert_status(fixture->directory, PROFILE_SOURCE_FILE_NOT_REGULAR, "not-regular");
  assert_status("/dev/zero", PROFILE_SOURCE_FILE_NOT_REGULAR, "not-regular");
  assert_status("a.c", PROFILE_SOURCE_FILE_RELATIVE, "relative");
  assert_status("", PROFILE_SOURCE_FILE_RELATIVE, "relative");
  g_assert_cmpint(mkfifo(fixture->path, 0600), ==, 0);
  assert_status(fixture->path, PROFILE_SOURCE_FILE_NOT_REGULAR, "not-regular");
}

static void assert_read_from(const char *path, const GArray *maps, const char *expected)
{
  g_autoptr(ProfileSourceFile) file = profile_source_file_new(path, maps);

  g_assert_cmpstr(profile_source_file_get_path(file), ==, expected);
}

static void test_maps(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GArray) maps = profile_path_maps_new(), any = profile_path_maps_new(),
                    root = profile_path_maps_new();
  g_autofree char *build = g_strconcat("/build=", fixture->directory, NULL);
  g_autoptr(ProfileSourceFile) file = read_text(fixture, "a\n", -1);

  profile_path_maps_append(maps, "/build", "/nowhere");
  g_assert_true(profile_path_maps_append_text(maps, build));
  profile_path_maps_append(maps, "/build/src/", fixture->directory);
  profile_path_maps_append(any, "", fixture->directory);
  profile_path_maps_append(root, "/", fixture->directory);
  g_assert_false(profile_path_maps_append_text(maps, "/build"));
  g_assert_false(profile_path_maps_append_text(maps, "/build="));
  g_assert_cmpuint(profile_source_file_get_n_lines(file), ==, 1);
  assert_read_from("/build/a.c", maps, fixture->path);
  assert_read_from("/build/src/a.c", maps, fixture->path);
  assert_read_from("/build/b.c", maps, "/nowhere/b.c");
  assert_read_from("/build/../build/./a.c", maps, fixture->path);
  assert_read_from("/out/../build/a.c", maps, fixture->path);
  assert_read_from("/builder/a.c", maps, "/builder/a.c");
  assert_read_from(fixture->path, maps, fixture->path);
  assert_read_from("a.c", any, fixture->path);
  assert_read_from("/a.c", root, fixture->path);
}

/* The folder below the fixture's is chosen for the path: the map is from `from` to a folder there. */
static void assert_found(Fixture *fixture, const char *path, const char *below, const char *from,
                         const char *to)
{
  g_autoptr(GArray) maps = profile_path_maps_new();
  g_autofree char *folder = g_build_filename(fixture->directory, below, NULL);
  g_autofree char *target = g_build_filename(fixture->directory, to, NULL);

  g_assert_true(profile_path_maps_append_found(maps, path, folder));
  g_assert_cmpuint(maps->len, ==, 1);
  g_assert_cmpstr(g_array_index(maps, ProfilePathMap, 0).from, ==, from);
  g_assert_cmpstr(g_array_index(maps, ProfilePathMap, 0).to, ==, target);
}

/* As much of the path as stands below the folder, whichever of its folders was chosen. */
static void test_found(Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename(fixture->directory, "x/sub", NULL);
  g_autofree char *above = g_path_get_dirname(folder);
  g_autofree char *path = g_build_filename(folder, "a.c", NULL);
  g_autoptr(GArray) maps = profile_path_maps_new();

  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_assert_true(g_file_set_contents(path, "a\n", -1, NULL));
  assert_found(fixture, "/build/x/sub/a.c", "x/sub", "/build/x", "x");
  assert_found(fixture, "/build/x/sub/a.c", "x", "/build/x", "x");
  assert_found(fixture, "/build/x/sub/a.c", "", "/build/x", "x");
  assert_found(fixture, "/build/y/sub/a.c", "x", "/build/y/sub", "x/sub");
  assert_found(fixture, "a.c", "x/sub", "", "x/sub");
  assert_found(fixture, "sub/a.c", "x", "sub", "x/sub");
  g_assert_false(profile_path_maps_append_found(maps, "/build/x/sub/a.c", "/nowhere"));
  g_assert_false(profile_path_maps_append_found(maps, "/build/x/sub/", folder));
  g_assert_cmpuint(maps->len, ==, 0);
  g_remove(path);
  g_rmdir(folder);
  g_rmdir(above);
}

static void test_newer(Fixture *fixture, gconstpointer data)
{
  g_autofree char *binary = g_build_filename(fixture->directory, "binary", NULL);
  const struct timespec old[2] = {{1000, 5}, {1000, 5}}, later[2] = {{1000, 6}, {1000, 6}};

  g_assert_true(g_file_set_contents(binary, "x", -1, NULL));
  g_assert_true(g_file_set_contents(fixture->path, "x", -1, NULL));
  g_assert_cmpint(utimensat(AT_FDCWD, binary, old, 0), ==, 0);
  g_assert_cmpint(utimensat(AT_FDCWD, fixture->path, old, 0), ==, 0);
  g_autoptr(ProfileSourceFile) same = profile_source_file_new(fixture->path, NULL);
  g_assert_false(profile_source_file_is_newer_than(same, binary));
  g_assert_cmpint(utimensat(AT_FDCWD, fixture->path, later, 0), ==, 0);
  g_autoptr(ProfileSourceFile) newer = profile_source_file_new(fixture->path, NULL);
  g_assert_true(profile_source_file_is_newer_than(newer, binary));
  g_assert_false(profile_source_file_is_newer_than(newer, "[kernel]"));
  g_remove(binary);
  g_assert_false(profile_source_file_is_newer_than(newer, binary));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/source-file/lines", Fixture, NULL, set_up, test_lines, tear_down);
  g_test_add("/source-file/sizes", Fixture, NULL, set_up, test_sizes, tear_down);
  g_test_add("/source-file/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add("/source-file/maps", Fixture, NULL, set_up, test_maps, tear_down);
  g_test_add("/source-file/found", Fixture, NULL, set_up, test_found, tear_down);
  g_test_add("/source-file/newer", Fixture, NULL, set_up, test_newer, tear_down);
  return g_test_run();
}
